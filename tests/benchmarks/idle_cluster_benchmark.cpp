// Processor time of an idle ResourceManager with 1,000 idle nodes, all in this process, with real timers: each node
// registers and sends one heartbeat per second. Timers and sends of the nodes are included. Arguments: nodes (1000),
// seconds (20), scheduler (fair, capacity or fifo).
#include <sys/resource.h>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "actors/resource_manager/resource_manager.hpp"
#include "messages/registration.hpp"
#include "runtime/system_settings.hpp"
#include "runtime/timers.hpp"
#include "runtime/world/real_clock.hpp"

namespace {

using namespace heddle;
using namespace std::chrono_literals;

constexpr Duration heartbeat_interval = 1s;

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& each) {
    return static_cast<double>(each.tv_sec) + static_cast<double>(each.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Event sink that counts and drops.
class CountedEvents final : public ports::EventSink {
public:
  using EventSink::write;
  void write(Instant, std::string_view, const ports::EventFields&) override { ++written; }
  void summarize(const ports::EventFields&) override {}
  [[nodiscard]] bool has_room() const override { return true; }
  [[nodiscard]] std::string error() const override { return {}; }
  std::int64_t written = 0;
};

policies::ResourceScheduler rules_of(const std::string& name) {
  if (name == "fifo") return policies::ResourceScheduler{policies::FifoScheduler{{{1024, 1}, {8192, 4}, 1}}};
  if (name == "fair") {
    policies::FairSchedulerSettings settings;
    settings.update_interval = 500ms;
    settings.preemption.is_enabled = true;
    return policies::ResourceScheduler{policies::FairScheduler{settings, {}, Instant{}}};
  }
  const std::string prefix = "yarn.scheduler.capacity.root.";
  const auto file =
      config::read_capacity_properties({{prefix + "queues", "a", 0}, {prefix + "a.capacity", "100", 0}}, "");
  policies::CapacitySchedulerSettings settings;
  settings.preemption.is_enabled = true;
  return policies::ResourceScheduler{policies::CapacityScheduler{settings, *file}};
}

struct IdleNode {
  static constexpr const char* name = "idle_node";
};

/// A NodeManager without containers. Its first heartbeat depends on its number, so that heartbeats are spread over
/// time.
NodeManagerActor::behavior_type idle_node(NodeManagerActor::stateful_pointer<IdleNode> self,
                                          const ResourceManagerActor& cluster, int number) {
  self->send(cluster, RegisterNode{"h" + std::to_string(number),
                                   "/r" + std::to_string(number / 40),
                                   "h" + std::to_string(number) + ":1",
                                   {8192, 4},
                                   "build",
                                   false});
  auto beat = std::make_shared<NodeHeartbeat>();
  auto tick = std::make_shared<runtime::Timer>();
  return {
      [=](const NodeRegistered& message) {
        beat->node = message.node;
        beat->epoch = message.epoch;
        tick->arm<NodeManagerTick>(self, heartbeat_interval * (number % 997) / 997);
      },
      [](const NodeRefused&) {},
      [](const RegisterNodeAgain&) {},
      [](const ForgetApplication&) {},
      [](const StartContainer&) {},
      [](const StopContainer&) {},
      [](const ProcessEnded&) {},
      [](const MemoryMeasured&) {},
      [](const BeginDecommission&) {},
      [=](const NodeManagerTick& message) {
        if (!tick->accept(message.epoch)) return;
        self->send(cluster, *beat);
        tick->arm_shared<NodeManagerTick>(self, heartbeat_interval);
      },
  };
}

}  // namespace

int main(int argc, char** argv) {
  const int nodes = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int seconds = argc > 2 ? std::atoi(argv[2]) : 20;
  const std::string rules = argc > 3 ? argv[3] : "fair";
  caf::actor_system_config config;
  register_messages(config);
  runtime::apply(config, {});
  caf::actor_system system{config};
  const runtime::RealClock clock;
  CountedEvents events;
  const auto cluster = actors::spawn_resource_manager(
      system, {}, {&clock, &events, RandomStream{1}, {}},
      {1000, "build", 0, std::make_shared<const policies::ResourceScheduler>(rules_of(rules))});
  std::vector<NodeManagerActor> all;
  for (int i = 0; i < nodes; ++i) all.push_back(system.spawn(idle_node, cluster, i));
  std::this_thread::sleep_for(3s);
  const double before = processor_seconds();
  const std::int64_t written = events.written;
  std::this_thread::sleep_for(std::chrono::seconds{seconds});
  const double spent = processor_seconds() - before;
  std::printf("idle_resource_manager_%s %.3f %% of a core (%d nodes, %d s), %lld events\n", rules.c_str(),
              100 * spent / seconds, nodes, seconds, static_cast<long long>(events.written - written));
  std::fflush(stdout);
  std::_Exit(0);
}
