// One beat of a MapReduceMaster's allocator: the call to the ResourceManager is made, and the answer brings 100
// containers on random hosts and the ends of the 100 before. 10,000 maps wait, each with three of 1,000 hosts; 100 new
// ones are requested before each beat, which is not measured. Processor time; the median of 1,000 beats. The line that
// begins with a name has the figure of docs/performance.md.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <variant>
#include <vector>

#include "model/random_stream.hpp"
#include "policies/map_reduce/map_reduce_allocator.hpp"

namespace {

using namespace heddle;
using namespace heddle::policies;

constexpr int waiting = 10'000, granted = 100, hosts = 1'000, hosts_per_rack = 40, beats = 1'000;
constexpr Resource container{1024, 1};

double processor_us() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) * 1e6 + static_cast<double>(spent.tv_nsec) / 1e3;
}

std::string host_name(std::uint64_t host) { return "h" + std::to_string(host); }

RackTable racks() {
  RackTable table;
  for (int host = 0; host < hosts; ++host)
    table.set(host_name(static_cast<std::uint64_t>(host)), "/r" + std::to_string(host / hosts_per_rack));
  return table;
}

class Job {
public:
  Job() : allocator_{settings(), racks()} {
    allocator_.on_registered({8192, 8}, {});
    request(waiting);
  }
  double beat() {
    request(granted);
    MapReduceAnswer answer = next_answer();
    effects_.clear();
    const double start = processor_us();
    const auto call = allocator_.next_call();
    answer.response_id = call.response_id + 1;
    allocator_.on_answer(now_ += std::chrono::seconds{1}, answer, effects_);
    const double spent = processor_us() - start;
    assigned_ += static_cast<int>(std::count_if(effects_.begin(), effects_.end(), [](const auto& effect) {
      return std::holds_alternative<AssignContainer>(effect);
    }));
    return spent;
  }
  [[nodiscard]] int assigned() const { return assigned_; }

private:
  static MapReduceAllocatorSettings settings() {
    MapReduceAllocatorSettings made;
    made.total_maps = waiting + beats * granted;
    return made;
  }
  std::string random_host() { return host_name(random_.below(hosts)); }
  void request(int count) {
    for (int i = 0; i < count; ++i)
      allocator_.on_map_request(now_, MapReduceAttempt{false, next_map_++, 0}, container,
                                {random_host(), random_host(), random_host()}, false, effects_);
  }
  MapReduceAnswer next_answer() {
    MapReduceAnswer answer;
    answer.headroom = {1 << 20, 1 << 10};
    answer.cluster_nodes = hosts;
    for (const auto& grant : running_) answer.completed.push_back({grant.container});
    running_.clear();
    for (int i = 0; i < granted; ++i)
      running_.push_back({ContainerId{next_container_++}, random_host(),
                          static_cast<std::int32_t>(MapReducePriority::map), container});
    answer.granted = running_;
    return answer;
  }

  RandomStream random_{7};
  MapReduceAllocator allocator_;
  MapReduceEffects effects_;
  std::vector<MapReduceGrant> running_;
  Instant now_{};
  std::int32_t next_map_ = 0;
  std::int64_t next_container_ = 1;
  int assigned_ = 0;
};

}  // namespace

int main() {
  Job job;
  std::vector<double> spent;
  for (int i = 0; i < beats; ++i) spent.push_back(job.beat());
  std::sort(spent.begin(), spent.end());
  std::printf("allocator_beat %.3f ms (%d of %d containers assigned, slowest beat %.3f ms)\n", spent[beats / 2] / 1e3,
              job.assigned(), beats * granted, spent.back() / 1e3);
}
