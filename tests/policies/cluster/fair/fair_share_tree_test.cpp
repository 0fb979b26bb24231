// Goal: incremental updates of demands and shares give the same results as a full update. Method: random trees of
// queues and random events; each update is compared with a computation from the definitions, and with a full update of
// a copy.
#include "policies/cluster/fair/fair_share_tree.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "model/random_stream.hpp"
#include "policies/cluster/resource_calculator.hpp"
#include "tests/support/fair_world.hpp"

namespace heddle::policies {
namespace fair_share_tree_test {
namespace {

ShareInput random_input(RandomStream& random) {
  ShareInput input;
  input.weight = static_cast<float>(random.below(5));
  input.minimum = static_cast<std::int64_t>(random.below(3) == 0 ? random.below(2000) : 0);
  if (random.below(3) == 0) input.maximum = static_cast<std::int64_t>(random.below(5000));
  input.is_queue = true;
  input.is_active = random.below(4) != 0;
  return input;
}

BOOST_AUTO_TEST_CASE(shares_of_a_group_equal_those_from_scratch_after_any_change) {
  FairShareSearch search;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      RandomStream random{seed};
      const ShareKind kind = seed % 2 == 0 ? ShareKind::steady : ShareKind::instantaneous;
      FairShareGroup group{kind};
      std::vector<ShareInput> inputs;
      std::int64_t total = 10'000;
      for (int step = 0; step < 100; ++step) {
        if (random.below(10) == 0) total = static_cast<std::int64_t>(random.below(100'000));
        if (inputs.empty() || random.below(10) == 0) inputs.push_back(random_input(random));
        else inputs[random.below(inputs.size())] = random_input(random);
        group.resize(inputs.size());
        for (std::size_t i = 0; i < inputs.size(); ++i) group.set(i, inputs[i]);
        std::vector<std::int64_t> expected;
        compute_fair_shares(inputs, total, kind, expected);
        BOOST_TEST(group.shares(total, search) == expected, boost::test_tools::per_element());
      }
    }
  }
}

/// A file of random queues, two levels below the root, with random limits, weights and policies.
std::string random_queues(RandomStream& random, bool limits_running) {
  const auto limits = [&](bool is_leaf) {
    std::string text;
    if (random.below(2) == 0) text += "<weight>" + std::to_string(random.below(4)) + ".0</weight>";
    if (random.below(4) == 0)
      text += "<minResources>" + std::to_string(random.below(4000)) + " mb, 2 vcores</minResources>";
    if (random.below(4) == 0)
      text += "<maxResources>" + std::to_string(random.below(9000)) + " mb, 9 vcores</maxResources>";
    if (limits_running && random.below(6) == 0)
      text += "<maxRunningApps>" + std::to_string(random.below(4)) + "</maxRunningApps>";
    constexpr const char* policies[] = {"fair", "drf", "fifo"};
    if (random.below(2) == 0)
      text += "<schedulingPolicy>" + std::string{policies[random.below(is_leaf ? 3 : 2)]} + "</schedulingPolicy>";
    return text;
  };
  std::string text = "<defaultQueueSchedulingPolicy>" + std::string{random.below(2) == 0 ? "drf" : "fair"} +
                     "</defaultQueueSchedulingPolicy>";
  for (int top = 0; top < 3; ++top) {
    text += "<queue name=\"p" + std::to_string(top) + "\" type=\"parent\">" + limits(false);
    for (int leaf = 0; leaf < 4; ++leaf)
      text += "<queue name=\"l" + std::to_string(leaf) + "\">" + limits(true) + "</queue>";
    text += "</queue>";
  }
  return text;
}

/// The expected result of an update, from the definitions, independent of the changes.
void check_from_definitions(const FairScheduler& fair, bool is_size_based) {
  const FairQueues& queues = fair.queues();
  const auto share = [&](std::int64_t MemoryAndCores::*type, std::int64_t unbounded, RowIndex slot, auto&& check) {
    const FairQueue& queue = queues.at(slot);
    std::vector<ShareInput> inputs;
    for (const RowIndex child : queue.children)
      inputs.push_back(queue.is_leaf
                           ? ShareInput{queues.application(child).weight, 0, unbounded, false, true}
                           : ShareInput{queues.at(child).limits.weight, queues.at(child).limits.minimum.*type,
                                        queues.at(child).limits.maximum_now.*type, true, queues.at(child).running > 0});
    std::vector<std::int64_t> shares;
    compute_fair_shares(inputs, queue.fair_share.*type, ShareKind::instantaneous, shares);
    for (std::size_t i = 0; i < shares.size(); ++i) check(queue.children[i], shares[i]);
  };
  BOOST_TEST(text(queues.at(FairQueues::root).fair_share) == text(fair.ledger().cluster()));
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const auto slot = static_cast<RowIndex>(i);
    const FairQueue& queue = queues.at(slot);
    MemoryAndCores demand;
    for (const auto* list : {&queue.children, &queue.waiting})
      for (const RowIndex child : *list) {
        if (!queue.is_leaf) {
          demand += queues.at(child).demand;
          continue;
        }
        const LedgerApplication& books = fair.ledger().application(child);
        const MemoryAndCores wanted = books.usage + books.asks.pending();
        BOOST_TEST(text(queues.application(child).demand) == text(wanted), "demand in " << queue.name);
        if (is_size_based)
          BOOST_TEST(queues.application(child).weight ==
                     static_cast<float>(std::log1p(static_cast<double>(wanted.memory_mib)) / std::log(2.0)));
        demand += wanted;
      }
    BOOST_TEST(text(queue.demand) == text(smaller_of_each(demand, queue.limits.maximum_now)), queue.name);
    if (queue.is_leaf && queue.policy == FairPolicy::fifo) continue;
    for (const bool is_memory : {true, false}) {
      if (!is_memory && queue.policy != FairPolicy::dominant_resource) continue;
      const auto type = is_memory ? &MemoryAndCores::memory_mib : &MemoryAndCores::cores;
      share(type, is_memory ? unbounded_memory : unbounded_cores, slot, [&](RowIndex child, std::int64_t expected) {
        const MemoryAndCores& found =
            queue.is_leaf ? queues.application(child).fair_share : queues.at(child).fair_share;
        const std::int64_t amount = found.*type;
        BOOST_TEST(amount == expected, "share in " << queue.name);
      });
    }
  }
}

/// Compares with a full update, including values that only a full update would change.
void check_against_full_update(const FairScheduler& fair, bool is_size_based) {
  FairQueues full = fair.queues();
  full.mark_all_changed();
  full.update_demands(fair.ledger(), is_size_based);
  full.update_shares();
  for (std::size_t i = 0; i < full.size(); ++i) {
    const auto slot = static_cast<RowIndex>(i);
    const FairQueue& expected = full.at(slot);
    const FairQueue& found = fair.queues().at(slot);
    BOOST_TEST(text(found.demand) == text(expected.demand), found.name);
    BOOST_TEST(text(found.fair_share) == text(expected.fair_share), found.name);
    BOOST_TEST(text(found.sizes.least) == text(expected.sizes.least), "least ask in " << found.name);
    BOOST_TEST(text(found.sizes.most) == text(expected.sizes.most), "largest ask in " << found.name);
    if (!found.is_leaf) continue;
    for (const RowIndex child : found.children)
      BOOST_TEST(text(fair.queues().application(child).fair_share) == text(full.application(child).fair_share));
  }
}

FairSchedulerSettings random_settings(std::uint64_t seed) {
  FairSchedulerSettings settings = numbered_settings();
  settings.is_size_based_weight = seed % 3 == 0;
  settings.assignment.assigns_multiple = seed % 2 == 0;
  return settings;
}

/// Random changes of applications, asks, containers, nodes and queues.
class RandomHistory {
public:
  explicit RandomHistory(std::uint64_t seed)
      : random_{seed}, world_{random_queues(random_, true), random_settings(seed)} {
    nodes_ = {world_.node(8192, 8), world_.node(4096, 16)};
  }

  void change() {
    world_.now += std::chrono::milliseconds{10};
    const auto queue = "root.p" + std::to_string(random_.below(3)) + ".l" + std::to_string(random_.below(4));
    switch (random_.below(12)) {
      case 0:
      case 1: submit(queue); break;
      case 2:
        if (!apps_.empty()) world_.remove(take_any(apps_));
        break;
      case 3:
        if (!apps_.empty())
          (void)world_.fair.on_application_moved(FairWorld::attempt(any_app()).application, queue, world_.effects);
        break;
      case 4:
        if (!running_.empty()) world_.end(take_any(running_));
        break;
      case 5:
        // Limits are raised and not lowered: an application above a limit keeps running.
        if (random_.below(4) == 0) world_.reload(random_queues(random_, false));
        break;
      case 6:
        if (random_.below(4) == 0) nodes_.push_back(world_.node(2048, 4));
        break;
      case 7:
        if (random_.below(4) == 0) keep(world_.submit(1024, 1, "root.u" + std::to_string(random_.below(5))));
        break;
      case 8:
      case 9: ask(); break;
      default:
        for (const auto& each : world_.beat(nodes_[random_.below(nodes_.size())])) running_.push_back(each.container);
    }
  }
  [[nodiscard]] bool is_update_due() { return random_.below(3) == 0; }
  [[nodiscard]] FairWorld& world() { return world_; }

private:
  void submit(const std::string& queue) {
    const auto memory = static_cast<std::int64_t>(1024 * (1 + random_.below(3)));
    keep(world_.submit(memory, 1, queue, static_cast<std::int32_t>(random_.below(4))));
  }
  void keep(FairWorld::App app) {
    if (world_.refusal.empty()) apps_.push_back(app);
  }
  void ask() {
    if (apps_.empty()) return;
    const auto app = any_app();
    (void)world_.ask(app, {{1, "*", static_cast<std::int32_t>(random_.below(6)), {1024, 1}, true}});
  }
  [[nodiscard]] FairWorld::App any_app() { return apps_[random_.below(apps_.size())]; }
  template <class Item>
  Item take_any(std::vector<Item>& items) {
    std::swap(items[random_.below(items.size())], items.back());
    const Item taken = items.back();
    items.pop_back();
    return taken;
  }

  RandomStream random_;
  FairWorld world_;
  std::vector<NodeId> nodes_;
  std::vector<FairWorld::App> apps_;
  std::vector<ContainerId> running_;
};

BOOST_AUTO_TEST_CASE(updates_of_what_changed_equal_updates_of_everything) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      RandomHistory history{seed};
      FairWorld& world = history.world();
      for (int step = 0; step < 120; ++step) {
        history.change();
        if (!history.is_update_due()) continue;
        world.update();
        check_from_definitions(world.fair, random_settings(seed).is_size_based_weight);
        check_against_full_update(world.fair, random_settings(seed).is_size_based_weight);
        world.fair.check_invariants();
      }
    }
  }
}

// One application with a larger ask changes its leaf and all queues above at the next update, and nothing else.
BOOST_AUTO_TEST_CASE(an_update_reaches_the_queues_above_what_changed_alone) {
  FairWorld world{
      "<queue name=\"p0\"><queue name=\"a\"/><queue name=\"b\"/></queue><queue name=\"p1\"><queue "
      "name=\"c\"/></queue>"};
  world.node(8192, 8);
  const auto app = world.submit(1024, 1, "root.p0.a", 2);
  world.submit(1024, 1, "root.p1.c", 1);
  world.update();
  BOOST_TEST(world.queue("p0.a").demand.memory_mib == 2048);
  (void)world.ask(app, {{1, "*", 5, {1024, 1}, true}});
  for (const char* name : {"root", "p0", "p0.a"}) BOOST_TEST(world.queue(name).updates.has_new_demand, name);
  for (const char* name : {"p0.b", "p1", "p1.c"}) BOOST_TEST(!world.queue(name).updates.has_new_demand, name);
  BOOST_TEST(!world.queue("p0.a").updates.has_new_shares);
  world.update();
  BOOST_TEST(world.queue("p0.a").demand.memory_mib == 5120);
  BOOST_TEST(world.queue("root").demand.memory_mib == 6144);
  BOOST_TEST(!world.queue("root").updates.has_new_demand);
}

}  // namespace
}  // namespace fair_share_tree_test
}  // namespace heddle::policies
