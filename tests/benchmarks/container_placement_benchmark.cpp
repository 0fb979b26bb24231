// Speed of container placement: 10,000 containers on 5,000 preferred hosts in 125 racks; one line per measure.
//   place         one call of the function: the result as counts over one shared host list
//   place_at_ten_times  cost per container (least of 200 calls), relative to that with a tenth of hosts and containers
//   totals, call  the allocator gets the totals, then creates its requests and those of one allocate call
//   allocated     10,000 containers arrive in one batch, are matched and launched
// The argument multiplies hosts and containers. The seed is fixed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "model/random_stream.hpp"
#include "policies/containers/container_allocator.hpp"
#include "policies/containers/container_placement.hpp"

namespace {

using namespace heddle;
using namespace heddle::policies;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

PlacementInput placement_input(std::int32_t hosts, std::int32_t containers) {
  RandomStream random{3};
  PlacementInput input{containers, containers * 4, 4, {}, {}};
  for (ResourceNameId host = 0; host < hosts; ++host)
    input.hints.push_back(
        {host, 1 + static_cast<std::int32_t>(random.below(50)), static_cast<std::int32_t>(random.below(2))});
  return input;
}

void place(std::int32_t hosts, std::int32_t containers) {
  const PlacementInput input = placement_input(hosts, containers);
  const auto start = Clock::now();
  const auto placement = place_containers(input);
  const double spent = milliseconds_since(start);
  std::printf("place %.3f ms (%zu groups over %zu hosts)\n", spent, placement.groups.size(), placement.hosts.size());
}

/// Milliseconds of one call, the least of many.
double least_call(std::int32_t hosts, std::int32_t containers) {
  const PlacementInput input = placement_input(hosts, containers);
  double least = 1e9;
  for (int call = 0; call < 200; ++call) {
    const auto start = Clock::now();
    const auto placement = place_containers(input);
    least = std::min(least, milliseconds_since(start));
    if (placement.groups.empty()) std::printf("no groups\n");
  }
  return least;
}

void allocate(std::int32_t hosts, std::int32_t containers) {
  RandomStream random{5};
  RackTable racks;
  ExecutorTotals group;
  group.totals[ProfileId{0}] = containers;
  group.locality_tasks[ProfileId{0}] = containers;
  for (std::int32_t i = 0; i < hosts; ++i) {
    racks.set("host" + std::to_string(i), "/rack" + std::to_string(i / 40));
    group.tasks_of_host[ProfileId{0}]["host" + std::to_string(i)] = 1 + static_cast<std::int32_t>(random.below(50));
  }
  ContainerAllocator allocator{{{}, racks}};
  ContainerEffects effects;
  auto start = Clock::now();
  allocator.apply(Instant{}, container_input::TotalsRequested{group}, effects);
  std::printf("totals %.2f ms\n", milliseconds_since(start));
  start = Clock::now();
  const auto call = allocator.apply(Instant{}, container_input::CallDue{}, effects);
  std::printf("call %.2f ms (%zu asks)\n", milliseconds_since(start), call.asks.size());
  std::vector<ContainerGrant> batch;
  for (std::int32_t i = 0; i < containers; ++i)
    batch.push_back({ContainerId{i + 1}, "host" + std::to_string(i % hosts), ProfileId{0}});
  start = Clock::now();
  allocator.apply(Instant{}, container_input::ContainersGranted{batch}, effects);
  while (allocator.apply(Instant{}, container_input::LaunchDue{}, effects)) {}
  std::printf("allocated %.2f ms\n", milliseconds_since(start));
}

}  // namespace

int main(int argc, char** argv) {
  const std::int32_t factor = argc > 1 ? std::atoi(argv[1]) : 1;
  for (int round = 0; round < 3; ++round) {
    place(5'000 * factor, 10'000 * factor);
    std::printf("place_at_ten_times %.2f x\n",
                least_call(5'000 * factor, 10'000 * factor) / least_call(500 * factor, 1'000 * factor) / 10);
    allocate(5'000 * factor, 10'000 * factor);
  }
  return 0;
}
