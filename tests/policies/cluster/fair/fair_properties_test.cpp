// Goal: in any history no node has more containers than fit, no application gets more than it requested, each waiting
// application gets an explanation, and a copy decides like the original. A queue stays within its maximum, except if an
// application requests several sizes at one priority: the size at "*" is compared with the maximum, but the container
// has the size of the ask it satisfies (a host, a rack, or an earlier reservation). Hadoop does the same:
// FSAppAttempt.hasContainerForNode checks the request at ANY, assignContainer uses the capability of the local request,
// and assignReservedContainer assumes one size. Method: random histories of nodes, applications, asks, ends and
// preemption over two trees of queues; a failure prints its seed.
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "model/random_stream.hpp"
#include "policies/cluster/fair/fair_scheduler.hpp"
#include "tests/support/fair_world.hpp"

namespace heddle::policies {
namespace fair_properties_test {
namespace {

const std::string tree =
    "<queue name='a'><weight>2</weight><maxResources>16384 mb,12 vcores</maxResources><queue name='x'/>"
    "<queue name='y'><schedulingPolicy>fifo</schedulingPolicy><maxRunningApps>2</maxRunningApps></queue></queue>"
    "<queue name='b'><minResources>4096 mb,2 "
    "vcores</minResources><minSharePreemptionTimeout>1</minSharePreemptionTimeout>"
    "<fairSharePreemptionTimeout>2</fairSharePreemptionTimeout></queue>"
    "<queue name='c'><maxResources>6144 mb,4 vcores</maxResources></queue>";

class History {
public:
  explicit History(std::uint64_t seed)
      : random_{seed}, world_{file(seed), settings(seed)}, has_one_size_{seed % 5 == 0} {
    for (int i = 0; i < 4; ++i) add_node();
  }
  void step() {
    world_.now += std::chrono::milliseconds{static_cast<std::int64_t>(random_.below(700))};
    switch (random_.below(10)) {
      case 0: return submit();
      case 1: return ask();
      case 2: return end_one();
      case 3: return remove_one();
      case 4: return random_.chance(1, 4) ? change_nodes() : world_.update();
      case 5: return preempt();
      default: return beat();
    }
  }
  void check() {
    world_.fair.check_invariants();
    check_maxima();
    for (const NodeId node : nodes_) {
      BOOST_REQUIRE(world_.node_books(node).unallocated.memory_mib >= 0);
      BOOST_REQUIRE(world_.node_books(node).unallocated.cores >= 0);
    }
    for (const auto app : applications_) {
      const ResourceExplanation why = world_.fair.explain(FairWorld::attempt(app).application);
      BOOST_REQUIRE(!why.reason.empty());
      BOOST_REQUIRE(!why.sentence.empty());
    }
  }

private:
  static std::string file(std::uint64_t seed) {
    return (seed % 2 == 0 ? "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>" : "") + tree;
  }
  /// A queue above its maximum gets no more containers. So it exceeds the maximum by at most one container, and by at
  /// most the difference between this container and the checked size.
  void check_maxima() {
    const MemoryAndCores excess = has_one_size_ ? MemoryAndCores{} : largest - smallest;
    const FairQueues& queues = world_.fair.queues();
    for (std::size_t i = 0; i < queues.size(); ++i) {
      const FairQueue& queue = queues.at(static_cast<RowIndex>(i));
      const MemoryAndCores& most = queue.limits.maximum_now;
      if (most.memory_mib < config::unlimited.memory_mib)
        BOOST_REQUIRE_MESSAGE(fits_in(queue.usage, most + excess), queue.name + " uses more than its maximum explains");
    }
  }
  static FairSchedulerSettings settings(std::uint64_t seed) {
    FairSchedulerSettings settings = numbered_settings();
    settings.preemption.is_enabled = true;
    settings.assignment.assigns_multiple = seed % 3 == 0;
    settings.reservation.nodes_max = 0.5F;
    settings.reservation.increment_multiple = 1;
    if (seed % 4 == 0) settings.locality.node_threshold = settings.locality.rack_threshold = 0.5F;
    return settings;
  }
  void add_node() {
    nodes_.push_back(world_.node(static_cast<std::int64_t>(2048 * (1 + random_.below(4))),
                                 static_cast<std::int64_t>(1 + random_.below(8)), random_.chance(1, 2) ? "r1" : "r2"));
  }
  void change_nodes() {
    if (nodes_.size() < 3 || random_.chance(1, 2)) return add_node();
    const std::size_t gone = random_.below(nodes_.size());
    world_.effects.clear();
    world_.fair.on_node_removed(world_.now, nodes_[gone], world_.effects);
    take_back();
    nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(gone));
  }
  void submit() {
    static const char* const leaves[] = {"a.x", "a.y", "b", "c", "ad.hoc"};
    const char* leaf = leaves[random_.below(5)];
    const bool has_master = random_.chance(1, 3);
    applications_.push_back(has_master ? world_.submit_with_master(1024, 1, leaf) : world_.submit(0, 0, leaf, 0));
    BOOST_REQUIRE(world_.refusal.empty());
  }
  void ask() {
    if (applications_.empty()) return;
    const auto app = applications_[random_.below(applications_.size())];
    const Resource drawn{static_cast<std::int64_t>(1024 * (1 + random_.below(3))),
                         static_cast<std::int64_t>(1 + random_.below(2))};
    const Resource size = has_one_size_ ? Resource{2048, 1} : drawn;
    const auto count = static_cast<std::int32_t>(random_.below(6));
    std::vector<ResourceRequest> asks = {{1, "*", count, size, true}};
    if (random_.chance(1, 3)) {
      asks.push_back({1, "n" + std::to_string(1 + random_.below(5)), count, size, true});
      asks.push_back({1, random_.chance(1, 2) ? "r1" : "r2", count, size, true});
    }
    (void)world_.ask(app, asks);
    wanted_[app] = count;
  }
  void beat() {
    if (nodes_.empty()) return;
    const NodeId node = nodes_[random_.below(nodes_.size())];
    FairScheduler copy = world_.fair;
    ResourceEffects of_copy;
    copy.node_heartbeat(world_.now, node, of_copy);
    const std::vector<ContainerAssigned> assigned = world_.beat(node);
    BOOST_REQUIRE_EQUAL(of_copy.size(), world_.effects.size());
    std::set<ContainerId> ids;
    for (const ContainerAssigned& each : assigned) {
      BOOST_REQUIRE(ids.insert(each.container).second);
      BOOST_REQUIRE((each.node == node));
      if (each.is_master) continue;
      BOOST_REQUIRE(--wanted_[each.attempt.application.number] >= 0);
    }
  }
  void end_one() {
    if (applications_.empty()) return;
    const auto containers = world_.container_ids(applications_[random_.below(applications_.size())]);
    world_.effects.clear();
    if (!containers.empty()) world_.end(containers[random_.below(containers.size())]);
    take_back();
  }
  void remove_one() {
    if (applications_.size() < 4) return;
    const std::size_t gone = random_.below(applications_.size());
    world_.remove(applications_[gone]);
    wanted_.erase(applications_[gone]);
    applications_.erase(applications_.begin() + static_cast<std::ptrdiff_t>(gone));
  }
  void preempt() {
    world_.update();
    world_.effects.clear();
    (void)world_.fair.preempt(world_.now, world_.effects);
    std::set<ContainerId> chosen;
    for (const ResourceEffect& effect : world_.effects)
      if (const auto* each = std::get_if<ContainerChosen>(&effect))
        BOOST_REQUIRE(chosen.insert(each->container).second);
    world_.effects.clear();
    world_.fair.kill_chosen(world_.now, world_.effects);
    take_back();
  }
  /// A container that ends before it is fetched is requested again by the ledger; the model subtracts it.
  void take_back() {
    for (const ResourceEffect& effect : world_.effects)
      if (const auto* each = std::get_if<ContainerEnded>(&effect)) ++wanted_[each->attempt.application.number];
  }

  static constexpr MemoryAndCores smallest{1024, 1};
  static constexpr MemoryAndCores largest{3072, 2};

  RandomStream random_;
  FairWorld world_;
  bool has_one_size_;  // all applications request containers of this size
  std::vector<NodeId> nodes_;
  std::vector<FairWorld::App> applications_;
  std::map<FairWorld::App, std::int32_t> wanted_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(fair_properties)

BOOST_AUTO_TEST_CASE(random_histories_keep_every_promise) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      History history{seed};
      for (int i = 0; i < 250; ++i) {
        history.step();
        history.check();
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fair_properties_test
}  // namespace heddle::policies
