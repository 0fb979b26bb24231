// Goal: capacity queues keep their limits in any history, and explain why an application waits. Method: small clusters;
// then random histories with invariants, limits and explain().
#include "policies/cluster/capacity/capacity_scheduler.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <utility>

#include "model/random_stream.hpp"
#include "tests/support/capacity_world.hpp"

namespace heddle::policies {
namespace capacity_scheduler_test {
namespace {

using World = CapacityWorld;

BOOST_AUTO_TEST_CASE(weights_and_amounts_share_as_percentages_do) {
  for (const auto& rows : {two_queues("25", "75"), two_queues("1w", "3w"),
                           two_queues("[memory=2048,vcores=16]", "[memory=6144,vcores=48]")}) {
    World world{rows};
    world.add_node(8192);
    BOOST_TEST((world.queue("root.a").guaranteed == Resource{2048, 16}));
    BOOST_TEST((world.queue("root.b").guaranteed == Resource{6144, 48}));
    BOOST_TEST(world.queue("root.a").shares.absolute_capacity == 0.25F);
  }
}

BOOST_AUTO_TEST_CASE(amounts_shrink_with_a_cluster_that_is_too_small_for_them) {
  World world{two_queues("[memory=2048,vcores=16]", "[memory=6144,vcores=48]")};
  world.add_node(4096);
  BOOST_TEST(world.queue("root.a").guaranteed.memory_mib == 1024);
  BOOST_TEST(world.queue("root.b").guaranteed.memory_mib == 3072);
}

// A reservation keeps its size, but when it is fulfilled, the application's usage counts the size of the current ask.
BOOST_AUTO_TEST_CASE(a_fulfilled_reservation_counts_as_what_is_asked_now) {
  World world{two_queues("100", "0")};
  const NodeId node = world.add_node(4096);
  world.add_node(4096);  // so that the queue may reserve more than the first node has
  BOOST_TEST(world.submit(1, "root.a"));
  world.ask(1, 3);
  while (world.beat(node) > 0) continue;
  const Allocation granted = world.ask(1, 1, 3072);
  BOOST_TEST_REQUIRE(granted.granted.size() == 3U);
  BOOST_TEST(world.beat(node) == 0U);
  world.ask(1, 1, 2048);
  for (const std::size_t each : {0U, 1U})
    world.scheduler.on_container_completed(Instant{}, granted.granted.at(each).container,
                                           container_exit_status::success, world.effects);
  BOOST_TEST(world.beat(node) == 1U);
  const ResourceLedger& ledger = world.scheduler.ledger();
  const LedgerApplication& books = ledger.application(ledger.find_application(World::attempt(1).application));
  BOOST_TEST(books.usage.memory_mib == 1024 + 2048);
  BOOST_TEST(ledger.used().memory_mib == 1024 + 3072);
}

BOOST_AUTO_TEST_CASE(limits_change_while_applications_run) {
  World world{two_queues("50", "50")};
  const NodeId node = world.add_node(8192);
  BOOST_TEST(world.submit(1, "a"));
  world.ask(1, 8);
  BOOST_TEST(world.beat(node) > 0U);
  auto rows = two_queues("25", "75");
  BOOST_TEST(world.scheduler.on_queues_changed(file_of(rows), world.effects).has_value());
  BOOST_TEST(world.queue("root.a").guaranteed.memory_mib == 2048);
  world.scheduler.check_invariants();
}

BOOST_AUTO_TEST_CASE(queues_come_while_applications_run) {
  World world{two_queues("50", "50")};
  const NodeId node = world.add_node(8192);
  BOOST_TEST(world.submit(1, "b"));
  world.ask(1, 2);
  BOOST_TEST(world.beat(node) > 0U);
  auto rows = two_queues("30", "50");
  rows[0].second = "c,a,b";
  rows.emplace_back("root.c.queues", "x,y");
  rows.emplace_back("root.c.capacity", "20");
  rows.emplace_back("root.c.x.capacity", "50");
  rows.emplace_back("root.c.y.capacity", "50");
  BOOST_TEST_REQUIRE(world.scheduler.on_queues_changed(file_of(rows), world.effects).has_value());
  world.scheduler.check_invariants();
  BOOST_TEST(world.queue("root.b").used.memory_mib == 2048);
  BOOST_TEST(world.queue("root.c").guaranteed.memory_mib == 1638);
  BOOST_TEST(world.submit(2, "root.c.y"));
  world.ask(2, 3);
  world.ask(1, 3);
  while (world.beat(node) > 0) continue;
  BOOST_TEST(world.queue("root.c.y").used.memory_mib > 0);
  BOOST_TEST(world.queue("root.b").used.memory_mib > 2048);
  world.scheduler.on_application_removed(Instant{}, World::attempt(1).application, world.effects);
  BOOST_TEST(world.queue("root.b").used.memory_mib == 0);
  world.scheduler.check_invariants();
}

BOOST_AUTO_TEST_CASE(a_queue_leaves_only_stopped_and_empty) {
  World world{two_queues("50", "50")};
  const NodeId node = world.add_node(8192);
  BOOST_TEST(world.submit(1, "a"));
  world.ask(1, 2);
  BOOST_TEST(world.beat(node) > 0U);
  auto without_a = two_queues("100", "100");
  without_a[0].second = "b";
  without_a.erase(without_a.begin() + 1);
  const auto refused = [&] {
    const Result<Done> taken = world.scheduler.on_queues_changed(file_of(without_a), world.effects);
    return taken ? std::string{} : taken.error().text;
  };
  BOOST_TEST(refused().find("queue root.a cannot be removed: it has 1 applications") == 0U, refused());
  auto stopped = two_queues("50", "50");
  stopped.emplace_back("root.a.state", "STOPPED");
  BOOST_TEST_REQUIRE(world.scheduler.on_queues_changed(file_of(stopped), world.effects).has_value());
  BOOST_TEST(!world.submit(2, "a"));
  BOOST_TEST(!refused().empty());
  BOOST_TEST(world.queue("root.a").used.memory_mib == 2048);
  world.scheduler.on_application_removed(Instant{}, World::attempt(1).application, world.effects);
  BOOST_TEST(refused().empty(), refused());
  BOOST_TEST(world.scheduler.queues().find("root.a") == no_row);
  BOOST_TEST(!world.submit(3, "a"));
  BOOST_TEST(world.submit(4, "b"));
  world.scheduler.check_invariants();
  World idle{two_queues("50", "50")};
  const Result<Done> not_stopped = idle.scheduler.on_queues_changed(file_of(without_a), idle.effects);
  BOOST_TEST_REQUIRE(!not_stopped.has_value());
  BOOST_TEST(not_stopped.error().text.find("is not stopped") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_queue_may_leave_if_the_new_file_alone_stops_it) {
  World world{two_queues("50", "50")};
  world.add_node(8192);
  std::vector<std::pair<std::string, std::string>> without_a{
      {"root.queues", "b"}, {"root.b.capacity", "100"}, {"root.a.state", "STOPPED"}};
  const config::CapacitySchedulerFile file = file_of(without_a);
  BOOST_TEST(file.unread_keys.empty());
  BOOST_TEST(world.submit(1, "a"));
  BOOST_TEST(!world.scheduler.on_queues_changed(file, world.effects).has_value());
  world.scheduler.on_application_removed(Instant{}, World::attempt(1).application, world.effects);
  BOOST_TEST(world.scheduler.on_queues_changed(file, world.effects).has_value());
  BOOST_TEST(world.scheduler.queues().find("root.a") == no_row);
}

BOOST_AUTO_TEST_CASE(a_leaf_becomes_a_parent_and_back_only_at_rest) {
  World world{two_queues("50", "50")};
  world.add_node(8192);
  auto split = two_queues("50", "50");
  split.emplace_back("root.a.queues", "x");
  split.emplace_back("root.a.x.capacity", "100");
  const auto take = [&](const auto& rows) {
    return world.scheduler.on_queues_changed(file_of(rows), world.effects).has_value();
  };
  BOOST_TEST(!take(split));
  BOOST_TEST(world.submit(1, "a"));
  world.scheduler.on_application_removed(Instant{}, World::attempt(1).application, world.effects);
  auto stopped = two_queues("50", "50");
  stopped.emplace_back("root.a.state", "STOPPED");
  BOOST_TEST(take(stopped));
  BOOST_TEST(take(split));
  BOOST_TEST(!world.queue("root.a").is_leaf);
  BOOST_TEST(world.submit(2, "root.a.x"));
  BOOST_TEST(!take(two_queues("50", "50")));
  world.scheduler.on_application_removed(Instant{}, World::attempt(2).application, world.effects);
  split.emplace_back("root.a.x.state", "STOPPED");
  BOOST_TEST(take(split));
  BOOST_TEST(take(two_queues("50", "50")));
  BOOST_TEST(world.queue("root.a").is_leaf);
  BOOST_TEST(world.submit(3, "a"));
  world.scheduler.check_invariants();
}

/// Two queues with limits; one has two leaves, of which one orders its applications by fair shares.
World make_random_world(std::uint64_t seed) {
  auto rows = two_queues("40", "60");
  rows.emplace_back("root.a.maximum-capacity", "60");
  rows.emplace_back("root.b.queues", "x,y");
  rows.emplace_back("root.b.x.capacity", "50");
  rows.emplace_back("root.b.y.capacity", "50");
  rows.emplace_back("root.b.y.ordering-policy", "fair");
  if (seed % 2 == 0)
    rows.emplace_back("resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
  return World{rows};
}

/// Random changes of applications, asks and containers on six nodes.
class RandomHistory {
public:
  explicit RandomHistory(std::uint64_t seed) : random_{seed}, world_{make_random_world(seed)} {
    for (int i = 0; i < 6; ++i) {
      const auto memory = 4096 + 2048 * static_cast<std::int64_t>(random_.below(3));
      nodes_.push_back(world_.add_node(memory, i < 3 ? "/r1" : "/r2"));
    }
  }

  void change() {
    world_.effects.clear();
    switch (random_.below(6)) {
      case 0: submit(); break;
      case 1:
        if (applications_ > 0) ask();
        break;
      case 2:
        if (!running_.empty()) end_container();
        break;
      case 3:
        if (applications_ > 0 && random_.below(5) == 0)
          world_.scheduler.on_application_removed(Instant{}, World::attempt(any_application()).application,
                                                  world_.effects);
        break;
      default: world_.beat(nodes_[random_.below(nodes_.size())]); break;
    }
    for (const ResourceEffect& effect : world_.effects)
      if (const auto* taken = std::get_if<ContainerAssigned>(&effect)) running_.push_back(taken->container);
  }
  [[nodiscard]] World& world() { return world_; }
  /// Their numbers are 1 to this.
  [[nodiscard]] std::int64_t applications() const { return applications_; }

private:
  void submit() {
    const auto* queue = std::array{"a", "x", "y"}[random_.below(3)];
    world_.submit(++applications_, queue, "u" + std::to_string(random_.below(3)));
  }
  void ask() {
    const auto application = any_application();
    const auto count = static_cast<std::int32_t>(random_.below(6));
    const auto memory = 1024 * (1 + static_cast<std::int64_t>(random_.below(3)));
    const auto places =
        random_.below(2) == 0 ? std::vector<std::string>{} : std::vector<std::string>{"h1", "h4", "/r1", "/r2"};
    world_.ask(application, count, memory, places);
  }
  void end_container() {
    const std::size_t at = random_.below(running_.size());
    world_.scheduler.on_container_completed(Instant{}, running_[at], 0, world_.effects);
    running_[at] = running_.back();
    running_.pop_back();
  }
  [[nodiscard]] std::int64_t any_application() {
    return 1 + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(applications_)));
  }

  RandomStream random_;
  World world_;
  std::vector<NodeId> nodes_;
  std::vector<ContainerId> running_;
  std::int64_t applications_ = 0;
};

BOOST_AUTO_TEST_CASE(random_histories_pass_no_maximum_and_explain_every_wait) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      RandomHistory history{seed};
      World& world = history.world();
      for (int step = 0; step < 300; ++step) {
        history.change();
        world.scheduler.check_invariants();
        for (const char* name : {"root", "root.a", "root.b", "root.b.x", "root.b.y"})
          BOOST_TEST(world.queue(name).used.memory_mib <= world.queue(name).maximum.memory_mib);
        for (std::int64_t number = 1; number <= history.applications(); ++number)
          BOOST_TEST(!world.reason(number).empty());
      }
      const CapacityScheduler copy = world.scheduler;
      copy.check_invariants();
    }
  }
}

}  // namespace
}  // namespace capacity_scheduler_test
}  // namespace heddle::policies
