// Goal: in any history no node has more containers than fit, no application gets more than it requested, and the tables
// agree; skipped instants and offers make no difference. Method: random histories of nodes, applications, asks and ends
// under FIFO, fair and capacity rules, with an independent count of containers. Each waiting application gets an
// explanation, and explaining changes nothing.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "config/hadoop/fair_scheduler_xml.hpp"
#include "model/random_stream.hpp"
#include "policies/cluster/fifo/fifo_scheduler.hpp"
#include "policies/cluster/scheduler/resource_scheduler.hpp"

namespace heddle::policies {
namespace resource_scheduler_properties_test {
namespace {

constexpr Resource node_capacity{8192, 8};
constexpr Resource asked_size{1024, 1};

/// A cluster with random events, and its own count of containers.
class RandomCluster {
public:
  RandomCluster(ResourceScheduler scheduler, std::vector<std::string> queues, std::uint64_t seed)
      : scheduler_{std::move(scheduler)}, queues_{std::move(queues)}, random_{seed} {}

  /// Time passes without an event. `is_quiet`: as in a ResourceManager that calls the scheduler when it is due;
  /// otherwise each 100 ms, with every update and an offer of every node.
  void rest(std::int64_t tenths, bool is_quiet) {
    for (; tenths > 0; --tenths) {
      now_ += std::chrono::milliseconds{100};
      ResourceEffects effects;
      if (!is_quiet) scheduler_.apply(now_, resource_input::NodeUpdated{NodeId{1'000'000}, {}}, effects);
      for (const NodeId node : nodes_)
        if (tenths % 10 == 0 && (!is_quiet || scheduler_.needs_offer(node)))
          scheduler_.apply(now_, resource_input::NodeOffered{node}, effects);
      if (const auto due = scheduler_.next_due(); due && *due <= now_) {
        scheduler_.apply(now_, resource_input::TimePassed{}, effects);
        ++runs_;
      }
      for (const auto& effect : effects) trace_.push_back({now_.time_since_epoch().count(), effect.index()});
      take(effects);
    }
  }
  [[nodiscard]] std::int64_t runs() const { return runs_; }
  using Trace = std::vector<std::pair<std::int64_t, std::size_t>>;
  [[nodiscard]] const Trace& trace() const { return trace_; }

  void step() {
    now_ += std::chrono::milliseconds{100};
    switch (random_.below(10)) {
      case 0: add_node(); break;
      case 1: remove_node(); break;
      case 2: add_application(); break;
      case 3: remove_application(); break;
      case 4:
      case 5: ask(); break;
      case 6: end_container(); break;
      default: beat(); break;
    }
    ResourceEffects effects;
    if (const auto due = scheduler_.next_due(); due && *due <= now_)
      scheduler_.apply(now_, resource_input::TimePassed{}, effects);
    take(effects);
    scheduler_.check_invariants();
    for (const auto& [attempt, wanted] : wanted_) {
      const ResourceExplanation why = scheduler_.explain(attempt.application);
      BOOST_TEST(!why.reason.empty());
      BOOST_TEST(!why.sentence.empty());
      if (wanted > 0) BOOST_TEST(why.reason != "nothing_asked");
    }
  }
  [[nodiscard]] std::int64_t assigned() const { return assigned_; }
  /// The end of an unknown container and the second end of each container have no effect.
  void end_twice() const {
    ResourceScheduler scheduler = scheduler_;
    ResourceEffects effects;
    scheduler.apply(now_, resource_input::ContainerCompleted{ContainerId{1'000'000'000}, 0}, effects);
    BOOST_TEST(effects.empty());
    for (const auto& [container, each] : held_) {
      effects.clear();
      scheduler.apply(now_, resource_input::ContainerCompleted{container, 3}, effects);
      BOOST_REQUIRE(effects.size() == 1U);
      const auto& ended = std::get<ContainerEnded>(effects.front());
      BOOST_TEST((ended.container == container && ended.node == each.node && ended.attempt == each.attempt));
      BOOST_TEST(ended.exit_status == 3);
      scheduler.apply(now_, resource_input::ContainerCompleted{container, 4}, effects);
      BOOST_TEST(effects.size() == 1U);
    }
    scheduler.check_invariants();
  }

private:
  struct Held {
    NodeId node;
    AttemptId attempt;
    MemoryAndCores resource;
  };

  /// Counts the effects and checks the properties.
  void take(const ResourceEffects& effects) {
    for (const auto& effect : effects) {
      if (const auto* assigned = std::get_if<ContainerAssigned>(&effect)) {
        BOOST_TEST(!held_.contains(assigned->container), "a container is assigned once");
        BOOST_TEST(nodes_.contains(assigned->node), "a container is assigned on a node that is there");
        BOOST_TEST(attempts_.contains(assigned->attempt), "a container is for an attempt that is there");
        held_[assigned->container] = {assigned->node, assigned->attempt, assigned->resource};
        ++assigned_;
        if (!assigned->is_master) BOOST_TEST(--wanted_[assigned->attempt] >= 0, "no more than was asked for");
        std::int64_t memory = 0;
        for (const auto& [container, each] : held_)
          memory += each.node == assigned->node ? each.resource.memory_mib : 0;
        BOOST_TEST(memory <= node_capacity.memory_mib, "a node holds no more than it has");
      } else if (const auto* ended = std::get_if<ContainerEnded>(&effect)) {
        if (!ended->is_on_node) drop(ended->container);
      }
    }
  }
  /// A container that its application never fetched may be requested again.
  void drop(ContainerId container) {
    const auto row = held_.find(container);
    if (row == held_.end()) return;
    if (!handed_.contains(container) && attempts_.contains(row->second.attempt)) ++wanted_[row->second.attempt];
    held_.erase(row);
  }
  template <class Rows>
  auto any_of(const Rows& rows) {
    return std::next(rows.begin(), static_cast<std::ptrdiff_t>(random_.below(rows.size())));
  }
  void add_node() {
    if (nodes_.size() >= 6) return;
    const NodeId id{next_node_++};
    nodes_.insert(id);
    ResourceEffects effects;
    const auto host = "h" + std::to_string(id.value);
    scheduler_.apply(now_, resource_input::NodeAdded{{id, host, "/r" + std::to_string(id.value % 2), node_capacity}},
                     effects);
    take(effects);
  }
  void remove_node() {
    if (nodes_.size() < 2) return;
    const NodeId id = *any_of(nodes_);
    nodes_.erase(id);
    ResourceEffects effects;
    scheduler_.apply(now_, resource_input::NodeRemoved{id}, effects);
    take(effects);
    std::vector<ContainerId> gone;
    for (const auto& [container, each] : held_)
      if (each.node == id) gone.push_back(container);
    for (const auto container : gone) drop(container);
  }
  void add_application() {
    if (attempts_.size() >= 5) return;
    const AttemptId attempt{{1, next_application_++}, 1};
    const std::string user = random_.chance(1, 2) ? "ann" : "bob";
    const auto answer = scheduler_.apply(
        now_, resource_input::ApplicationAdded{{attempt.application, *any_of(queues_), user, 0, std::nullopt}});
    BOOST_REQUIRE(answer.is_accepted);
    attempts_.insert(attempt);
    ResourceEffects effects;
    scheduler_.apply(now_, resource_input::AttemptAdded{attempt}, effects);
    take(effects);
  }
  void remove_application() {
    if (attempts_.empty()) return;
    const AttemptId attempt = *any_of(attempts_);
    ResourceEffects effects;
    scheduler_.apply(now_, resource_input::ApplicationRemoved{attempt.application}, effects);
    take(effects);
    attempts_.erase(attempt);
    wanted_.erase(attempt);
  }
  void ask() {
    if (attempts_.empty()) return;
    const AttemptId attempt = *any_of(attempts_);
    const auto count = static_cast<std::int32_t>(random_.below(20));
    wanted_[attempt] = count;
    ResourceEffects effects;
    AllocateRequest batch;
    batch.asks = {{1, "*", count, asked_size, true}};
    const auto answer = scheduler_.apply(now_, resource_input::AsksMade{attempt, batch}, effects);
    BOOST_TEST(!answer.refusal.has_value());
    BOOST_TEST((scheduler_.headroom(attempt) == answer.headroom));
    for (const auto& granted : answer.granted) handed_.insert(granted.container);
    take(effects);
    BOOST_TEST(scheduler_.explain(attempt.application).reason == scheduler_.explain(attempt.application).reason);
  }
  void end_container() {
    if (held_.empty()) return;
    const ContainerId container = any_of(held_)->first;
    if (random_.chance(1, 2)) scheduler_.apply(now_, resource_input::ContainerLaunched{container});
    ResourceEffects effects;
    scheduler_.apply(now_, resource_input::ContainerCompleted{container, 0}, effects);
    take(effects);
    drop(container);
  }
  void beat() {
    if (nodes_.empty()) return;
    ResourceEffects effects;
    scheduler_.apply(now_, resource_input::NodeOffered{*any_of(nodes_)}, effects);
    take(effects);
  }

  ResourceScheduler scheduler_;
  std::vector<std::string> queues_;
  RandomStream random_;
  Instant now_{std::chrono::seconds{1}};
  std::set<NodeId> nodes_;
  std::set<AttemptId> attempts_;
  std::map<AttemptId, std::int32_t> wanted_;
  std::map<ContainerId, Held> held_;
  std::set<ContainerId> handed_;
  std::int64_t next_node_ = 1;
  std::int64_t next_application_ = 1;
  std::int64_t assigned_ = 0;
  std::int64_t runs_ = 0;  // of on_time while it rested
  Trace trace_;            // of rests: the instant and the kind of each effect
};

/// Two clusters with the same events and rests; one skips calls that would change nothing.
void compare_quiet(const ResourceScheduler& rules, const std::vector<std::string>& queues, bool has_instants = true) {
  std::size_t effects = 0;
  std::int64_t quiet_runs = 0;
  std::int64_t all_runs = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      RandomCluster quiet{rules, queues, seed};
      RandomCluster always{rules, queues, seed};
      RandomStream random{seed};
      for (int step = 0; step < 200; ++step) {
        for (auto left = random.below(6); left > 0; --left) quiet.step(), always.step();
        const auto tenths = static_cast<std::int64_t>(random.chance(1, 4) ? random.below(300) : random.below(10));
        quiet.rest(tenths, true);
        always.rest(tenths, false);
        BOOST_REQUIRE(quiet.trace() == always.trace());
        BOOST_REQUIRE(quiet.assigned() == always.assigned());
      }
      effects += quiet.trace().size();
      quiet_runs += quiet.runs();
      all_runs += always.runs();
    }
  }
  BOOST_TEST(effects > 1000U);
  if (has_instants) BOOST_TEST(quiet_runs * 2 < all_runs);
}

void run_histories(const ResourceScheduler& rules, const std::vector<std::string>& queues) {
  std::int64_t assigned = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      RandomCluster cluster{rules, queues, seed};
      for (int step = 0; step < 300; ++step) cluster.step();
      cluster.end_twice();
      assigned += cluster.assigned();
    }
  }
  BOOST_TEST(assigned > 1000);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(resource_scheduler_properties)

BOOST_AUTO_TEST_CASE(fifo_keeps_to_what_nodes_have_and_applications_ask) {
  run_histories(ResourceScheduler{FifoScheduler{{{1024, 1}, {8192, 8}, 1}}}, {"root.default"});
}

BOOST_AUTO_TEST_CASE(fair_keeps_to_what_nodes_have_and_applications_ask) {
  FairSchedulerSettings settings;
  settings.maximum_allocation = {8192, 8};
  settings.update_interval = std::chrono::milliseconds{500};
  settings.container_epoch = 1;
  run_histories(ResourceScheduler{FairScheduler{settings, {}, Instant{std::chrono::seconds{1}}}},
                {"root.a", "root.b.x", "root.b.y"});
}

BOOST_AUTO_TEST_CASE(capacity_keeps_to_what_nodes_have_and_applications_ask) {
  const std::string prefix = "yarn.scheduler.capacity.";
  for (const bool is_dominant : {false, true}) {
    std::vector<config::HadoopProperty> rows = {{prefix + "root.queues", "a,b", 0},
                                                {prefix + "root.a.capacity", "40", 0},
                                                {prefix + "root.b.capacity", "60", 0},
                                                {prefix + "root.b.queues", "x,y", 0},
                                                {prefix + "root.b.x.capacity", "50", 0},
                                                {prefix + "root.b.y.capacity", "50", 0},
                                                {prefix + "root.b.y.ordering-policy", "fair", 0},
                                                {prefix + "root.a.user-limit-factor", "2", 0},
                                                {prefix + "maximum-am-resource-percent", "1", 0},
                                                {prefix + "per-node-heartbeat.maximum-offswitch-assignments", "4", 0}};
    if (is_dominant)
      rows.push_back(
          {prefix + "resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator", 0});
    const auto file = config::read_capacity_properties(rows, "test");
    BOOST_TEST_REQUIRE(file.has_value());
    CapacitySchedulerSettings settings;
    settings.maximum_allocation = {8192, 8};
    settings.container_epoch = 1;
    run_histories(ResourceScheduler{CapacityScheduler{settings, *file}}, {"root.a", "root.b.x", "root.b.y"});
  }
}

BOOST_AUTO_TEST_CASE(fair_updates_that_are_skipped_would_have_changed_nothing) {
  const auto file = config::read_fair_scheduler_xml(
      "<allocations><defaultFairSharePreemptionThreshold>1</defaultFairSharePreemptionThreshold>"
      "<defaultFairSharePreemptionTimeout>3</defaultFairSharePreemptionTimeout>"
      "<defaultMinSharePreemptionTimeout>2</defaultMinSharePreemptionTimeout>"
      "<queue name='a'><minResources>6144mb,6vcores</minResources></queue>"
      "<queue name='b'><queue name='x'><minResources>4096mb,4vcores</minResources></queue><queue name='y'/></queue>"
      "</allocations>",
      "test");
  BOOST_TEST_REQUIRE(file.has_value());
  FairSchedulerSettings settings;
  settings.maximum_allocation = {8192, 8};
  settings.update_interval = std::chrono::milliseconds{500};
  settings.container_epoch = 1;
  settings.preemption.is_enabled = true;
  settings.preemption.utilization_threshold = 0.3F;
  settings.preemption.wait_before_kill = std::chrono::milliseconds{1700};
  settings.preemption.wait_before_next_check = std::chrono::milliseconds{1000};
  compare_quiet(ResourceScheduler{FairScheduler{settings, *file, Instant{std::chrono::seconds{1}}}},
                {"root.a", "root.b.x", "root.b.y"});
}

BOOST_AUTO_TEST_CASE(capacity_checks_that_are_skipped_would_have_changed_nothing) {
  const std::string prefix = "yarn.scheduler.capacity.";
  const auto file = config::read_capacity_properties({{prefix + "root.queues", "a,b", 0},
                                                      {prefix + "root.a.capacity", "40", 0},
                                                      {prefix + "root.b.capacity", "60", 0},
                                                      {prefix + "root.a.user-limit-factor", "3", 0},
                                                      {prefix + "root.b.user-limit-factor", "3", 0},
                                                      {prefix + "maximum-am-resource-percent", "1", 0}},
                                                     "test");
  BOOST_TEST_REQUIRE(file.has_value());
  CapacitySchedulerSettings settings;
  settings.maximum_allocation = {8192, 8};
  settings.container_epoch = 1;
  settings.preemption.is_enabled = true;
  settings.preemption.interval = std::chrono::milliseconds{700};
  settings.preemption.wait_before_kill = std::chrono::milliseconds{2000};
  settings.preemption.part_per_round = 1.0F;
  settings.preemption.natural_termination_factor = 1.0F;
  settings.preemption.ignored_over_capacity = 0.0F;
  compare_quiet(ResourceScheduler{CapacityScheduler{settings, *file, Instant{std::chrono::seconds{1}}}},
                {"root.a", "root.b"});
}

BOOST_AUTO_TEST_CASE(fifo_offers_that_are_skipped_would_have_changed_nothing) {
  compare_quiet(ResourceScheduler{FifoScheduler{{{1024, 1}, {8192, 8}, 1}}}, {"root.default"}, false);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace resource_scheduler_properties_test
}  // namespace heddle::policies
