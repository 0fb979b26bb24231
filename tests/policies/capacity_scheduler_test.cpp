// Goal: capacity queues keep their limits, whatever happens, and can say why an application waits.
// Method: small clusters by hand; then random histories against invariants, limits and explain().
#include "policies/capacity_scheduler.hpp"

#include <boost/test/unit_test.hpp>
#include <utility>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace {

config::CapacitySchedulerFile file_of(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::vector<config::CapacityProperty> properties;
  for (const auto& [key, value] : rows) properties.push_back({"yarn.scheduler.capacity." + key, value, 0});
  auto file = config::read_capacity_properties(properties, "test");
  BOOST_TEST_REQUIRE(file.has_value());
  return std::move(*file);
}

std::vector<std::pair<std::string, std::string>> two_queues(const std::string& a, const std::string& b) {
  return {{"root.queues", "a,b"},
          {"root.a.capacity", a},
          {"root.b.capacity", b},
          {"maximum-am-resource-percent", "1"},
          {"per-node-heartbeat.maximum-offswitch-assignments", "10"}};
}

struct World {
  CapacityScheduler scheduler;
  ResourceEffects effects;
  std::int64_t next_node = 1;

  explicit World(const std::vector<std::pair<std::string, std::string>>& rows, const CapacitySchedulerSettings& settings = {})
      : scheduler{settings, file_of(rows)} {}
  static AttemptId attempt(std::int64_t number) { return {ApplicationId{1, number}, 1}; }
  NodeId add_node(std::int64_t memory, const std::string& rack = "/r1") {
    const NodeId id{next_node++};
    scheduler.on_node_added(Instant{}, {id, "h" + std::to_string(id.value), rack, {memory, 64}}, effects);
    return id;
  }
  bool submit(std::int64_t number, const std::string& queue, const std::string& user = "u") {
    if (!scheduler.on_application_added(Instant{}, {attempt(number).application, queue, user, 0, std::nullopt}).is_accepted) return false;
    scheduler.on_attempt_added(Instant{}, attempt(number), effects);
    return true;
  }
  Allocation ask(std::int64_t number, std::int32_t count, std::int64_t memory = 1024, const std::vector<std::string>& hosts = {}) {
    AskBatch batch;
    batch.asks.push_back({1, "*", count, {memory, 1}, true});
    for (const std::string& host : hosts) batch.asks.push_back({1, host, 1, {memory, 1}, true});
    return scheduler.on_asks(Instant{}, attempt(number), batch, effects);
  }
  std::size_t beat(NodeId node) {
    const std::size_t before = effects.size();
    scheduler.node_heartbeat(Instant{}, node, effects);
    scheduler.check_invariants();
    std::size_t assigned = 0;
    for (std::size_t i = before; i < effects.size(); ++i) assigned += std::holds_alternative<ContainerAssigned>(effects[i]) ? 1U : 0U;
    return assigned;
  }
  std::string reason(std::int64_t number) const { return scheduler.explain(attempt(number).application).reason; }
  const CapacityQueue& queue(const std::string& name) const { return scheduler.queues().at(scheduler.queues().find(name)); }
};

BOOST_AUTO_TEST_CASE(weights_and_amounts_share_as_percentages_do) {
  for (const auto& rows :
       {two_queues("25", "75"), two_queues("1w", "3w"), two_queues("[memory=2048,vcores=16]", "[memory=6144,vcores=48]")}) {
    World world{rows};
    world.add_node(8192);
    BOOST_TEST((world.queue("root.a").guaranteed == Resource{2048, 16}));
    BOOST_TEST((world.queue("root.b").guaranteed == Resource{6144, 48}));
    BOOST_TEST(world.queue("root.a").absolute_capacity == 0.25F);
  }
}

BOOST_AUTO_TEST_CASE(amounts_shrink_with_a_cluster_that_is_too_small_for_them) {
  World world{two_queues("[memory=2048,vcores=16]", "[memory=6144,vcores=48]")};
  world.add_node(4096);
  BOOST_TEST(world.queue("root.a").guaranteed.memory_mib == 1024);
  BOOST_TEST(world.queue("root.b").guaranteed.memory_mib == 3072);
}

// A reservation keeps the size that it was made with, but once fulfilled the application counts the size it asks for by then.
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
    world.scheduler.on_container_completed(Instant{}, granted.granted.at(each).container, exit_status::success, world.effects);
  BOOST_TEST(world.beat(node) == 1U);
  const ResourceLedger& ledger = world.scheduler.ledger();
  const LedgerApplication& books = ledger.application(ledger.find_application(World::attempt(1).application));
  BOOST_TEST(books.usage.memory_mib == 1024 + 2048);
  BOOST_TEST(ledger.used().memory_mib == 1024 + 3072);
}

// CS-3
BOOST_AUTO_TEST_CASE(explains_who_holds_what_is_missing) {
  auto rows = two_queues("50", "50");
  rows.emplace_back("root.a.maximum-capacity", "50");
  rows.emplace_back("root.b.user-limit-factor", "0.5");
  World world{rows};
  BOOST_TEST(world.submit(1, "root.a"));
  BOOST_TEST(world.reason(1) == "no_nodes");
  const NodeId node = world.add_node(8192);
  BOOST_TEST(world.reason(1) == "nothing_asked");
  world.ask(1, 20);
  BOOST_TEST(world.beat(node) == 4U);
  BOOST_TEST(world.reason(1) == "queue_at_maximum");
  BOOST_TEST(world.scheduler.explain(World::attempt(1).application).holder == "root.a");
  BOOST_TEST(world.submit(2, "b", "ann"));
  world.ask(2, 20);
  while (world.beat(node) > 0) continue;
  BOOST_TEST(world.reason(2) == "user_at_limit");
  BOOST_TEST(world.scheduler.explain(World::attempt(2).application).holder == "ann");
  BOOST_TEST(world.reason(99) == "unknown_application");
}

BOOST_AUTO_TEST_CASE(explains_every_other_wait) {
  auto rows = two_queues("50", "50");
  rows.emplace_back("root.a.user-limit-factor", "2");
  rows.emplace_back("root.b.maximum-am-resource-percent", "0.9");
  World world{rows};
  const NodeId node = world.add_node(8192);
  const auto why = [&](std::int64_t number) { return world.scheduler.explain(World::attempt(number).application); };
  BOOST_TEST(world.submit(1, "a", "ann"));
  BOOST_TEST(world.submit(2, "a", "bob"));
  world.ask(1, 20);
  world.ask(2, 20);
  BOOST_TEST(why(1).reason == "no_room");
  BOOST_TEST(why(1).offers_to_wait == 1);
  BOOST_TEST(why(2).reason == "earlier_application");
  BOOST_TEST(why(2).holder == to_string(World::attempt(1).application));
  BOOST_TEST(why(2).offers_to_wait == 1);
  world.beat(node);
  world.scheduler.on_application_removed(Instant{}, World::attempt(1).application, world.effects);
  world.scheduler.on_application_removed(Instant{}, World::attempt(2).application, world.effects);
  BOOST_TEST(world.submit(3, "a"));
  AskBatch named;
  for (const char* place : {"*", "/r1", "h9"}) named.asks.push_back({1, place, 1, {1024, 1}, std::string{place} == "h9"});
  static_cast<void>(world.scheduler.on_asks(Instant{}, World::attempt(3), named, world.effects));
  BOOST_TEST(why(3).reason == "only_named_places");
  world.scheduler.on_application_removed(Instant{}, World::attempt(3).application, world.effects);
  auto tight = two_queues("50", "50");
  tight.emplace_back("root.a.maximum-capacity", "60");
  tight.emplace_back("root.a.user-limit-factor", "2");
  World small{tight};
  small.add_node(8192);
  BOOST_TEST(small.submit(1, "a"));
  small.ask(1, 1, 8192);
  BOOST_TEST(small.reason(1) == "queue_headroom");
  BOOST_TEST(small.scheduler.explain(World::attempt(1).application).holder == "root.a");
}

// CS-4
BOOST_AUTO_TEST_CASE(explains_that_a_users_masters_use_what_they_may) {
  auto rows = two_queues("50", "50");
  rows.emplace_back("root.a.maximum-am-resource-percent", "0.5");
  rows.emplace_back("root.a.minimum-user-limit-percent", "25");
  World world{rows};
  world.add_node(16384);
  std::vector<std::string> holders;
  for (std::int64_t number = 1; number <= 6; ++number) {
    BOOST_TEST(world.submit(number, "a", number < 6 ? "ann" : "bob"));
    const ResourceExplanation why = world.scheduler.explain(World::attempt(number).application);
    if (why.reason == "master_limit_of_user") holders.push_back(why.holder);
  }
  BOOST_TEST_REQUIRE(!holders.empty());
  for (const std::string& holder : holders) BOOST_TEST(holder == "ann");
}

// CS-6
BOOST_AUTO_TEST_CASE(explains_for_how_many_offers_an_application_waits_for_its_data) {
  World world{two_queues("50", "50")};
  const NodeId here = world.add_node(8192);
  for (int i = 0; i < 9; ++i) world.add_node(8192);
  BOOST_TEST(world.submit(1, "a"));
  world.ask(1, 5, 1024, {"h2", "h3", "/r1"});
  const ResourceExplanation why = world.scheduler.explain(World::attempt(1).application);
  BOOST_TEST(why.reason == "locality_delay");
  BOOST_TEST_REQUIRE(why.offers_to_wait > 1);
  for (std::int64_t i = 1; i < why.offers_to_wait; ++i) BOOST_TEST(world.beat(here) == 0U);
  BOOST_TEST(world.beat(here) > 0U);
}

// CS-4
BOOST_AUTO_TEST_CASE(applications_wait_for_the_share_of_masters_and_say_so) {
  auto rows = two_queues("50", "50");
  rows.emplace_back("root.a.maximum-am-resource-percent", "0.1");
  World world{rows};
  world.add_node(8192);
  BOOST_TEST(world.submit(1, "a"));
  BOOST_TEST(world.submit(2, "a"));
  BOOST_TEST(
      std::as_const(world.scheduler).application(world.scheduler.ledger().find_application(World::attempt(1).application)).is_running);
  BOOST_TEST(world.reason(2) == "master_limit_of_queue");
  world.scheduler.on_application_removed(Instant{}, World::attempt(1).application, world.effects);
  BOOST_TEST(world.reason(2) == "nothing_asked");
}

BOOST_AUTO_TEST_CASE(a_change_counts_no_missed_opportunity) {
  World world{two_queues("50", "50")};
  const NodeId here = world.add_node(8192);
  for (int i = 0; i < 9; ++i) world.add_node(8192);
  BOOST_TEST(world.submit(1, "a"));
  world.ask(1, 5, 1024, {"h2", "h3", "/r1"});
  const auto before = world.scheduler.explain(World::attempt(1).application).offers_to_wait;
  for (int i = 0; i < 20; ++i) world.scheduler.node_heartbeat(Instant{}, here, world.effects, OfferCause::change);
  BOOST_TEST(world.scheduler.explain(World::attempt(1).application).offers_to_wait == before);
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
  BOOST_TEST(refused().find("queue root.a cannot leave: it has 1 applications") == 0U, refused());
  auto stopped = two_queues("50", "50");
  stopped.emplace_back("root.a.state", "STOPPED");
  BOOST_TEST_REQUIRE(world.scheduler.on_queues_changed(file_of(stopped), world.effects).has_value());
  BOOST_TEST(!world.submit(2, "a"));
  BOOST_TEST(!refused().empty());
  BOOST_TEST(world.queue("root.a").used.memory_mib == 2048);
  world.scheduler.on_application_removed(Instant{}, World::attempt(1).application, world.effects);
  BOOST_TEST(refused().empty(), refused());
  BOOST_TEST(world.scheduler.queues().find("root.a") == no_slot);
  BOOST_TEST(!world.submit(3, "a"));
  BOOST_TEST(world.submit(4, "b"));
  world.scheduler.check_invariants();
  World idle{two_queues("50", "50")};
  const Result<Done> not_stopped = idle.scheduler.on_queues_changed(file_of(without_a), idle.effects);
  BOOST_TEST_REQUIRE(!not_stopped.has_value());
  BOOST_TEST(not_stopped.error().text.find("is not stopped") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_leaf_becomes_a_parent_and_back_only_at_rest) {
  World world{two_queues("50", "50")};
  world.add_node(8192);
  auto split = two_queues("50", "50");
  split.emplace_back("root.a.queues", "x");
  split.emplace_back("root.a.x.capacity", "100");
  const auto take = [&](const auto& rows) { return world.scheduler.on_queues_changed(file_of(rows), world.effects).has_value(); };
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

// CS-8
BOOST_AUTO_TEST_CASE(a_starved_queue_gets_its_guarantee_back_after_the_wait) {
  auto rows = two_queues("50", "50");
  rows.emplace_back("root.a.user-limit-factor", "2");
  CapacitySchedulerSettings settings;
  settings.preemption.is_enabled = true;
  settings.preemption.part_per_round = 1.0F;
  settings.preemption.natural_termination_factor = 1.0F;
  World world{rows, settings};
  const NodeId node = world.add_node(8192);
  BOOST_TEST(world.submit(1, "a"));
  world.ask(1, 8);
  while (world.beat(node) > 0) continue;
  BOOST_TEST(world.queue("root.a").used.memory_mib == 8192);
  BOOST_TEST(world.submit(2, "b"));
  world.ask(2, 8);
  std::size_t chosen = 0;
  std::size_t ended = 0;
  for (Instant now{}; now < Instant{std::chrono::seconds{30}}; now += std::chrono::seconds{1}) {
    world.effects.clear();
    world.scheduler.on_time(now, world.effects);
    for (const ResourceEffect& effect : world.effects) {
      chosen += std::holds_alternative<ContainerChosen>(effect) ? 1U : 0U;
      if (const auto* gone = std::get_if<ContainerEnded>(&effect)) {
        ++ended;
        BOOST_TEST(gone->exit_status == exit_status::preempted);
        BOOST_TEST((now >= Instant{std::chrono::seconds{18}}));
      }
    }
    world.scheduler.check_invariants();
  }
  BOOST_TEST(chosen == 4U);
  BOOST_TEST(ended == 4U);
  while (world.beat(node) > 0) continue;
  BOOST_TEST(world.queue("root.b").used.memory_mib == 4096);
}

BOOST_AUTO_TEST_CASE(random_histories_pass_no_maximum_and_explain_every_wait) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      RandomStream random{seed};
      auto rows = two_queues("40", "60");
      rows.emplace_back("root.a.maximum-capacity", "60");
      rows.emplace_back("root.b.queues", "x,y");
      rows.emplace_back("root.b.x.capacity", "50");
      rows.emplace_back("root.b.y.capacity", "50");
      rows.emplace_back("root.b.y.ordering-policy", "fair");
      if (seed % 2 == 0) rows.emplace_back("resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
      World world{rows};
      std::vector<NodeId> nodes;
      for (int i = 0; i < 6; ++i)
        nodes.push_back(world.add_node(4096 + 2048 * static_cast<std::int64_t>(random.below(3)), i < 3 ? "/r1" : "/r2"));
      const std::vector<std::string> queues{"a", "x", "y"};
      std::int64_t applications = 0;
      std::vector<ContainerId> running;
      for (int step = 0; step < 300; ++step) {
        world.effects.clear();
        switch (random.below(6)) {
          case 0: world.submit(++applications, queues[random.below(3)], "u" + std::to_string(random.below(3))); break;
          case 1:
            if (applications > 0)
              world.ask(1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(applications))),
                        static_cast<std::int32_t>(random.below(6)), 1024 * (1 + static_cast<std::int64_t>(random.below(3))),
                        random.below(2) == 0 ? std::vector<std::string>{} : std::vector<std::string>{"h1", "h4", "/r1", "/r2"});
            break;
          case 2:
            if (!running.empty()) {
              const std::size_t at = random.below(running.size());
              world.scheduler.on_container_completed(Instant{}, running[at], 0, world.effects);
              running[at] = running.back();
              running.pop_back();
            }
            break;
          case 3:
            if (applications > 0 && random.below(5) == 0)
              world.scheduler.on_application_removed(
                  Instant{},
                  World::attempt(1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(applications)))).application,
                  world.effects);
            break;
          default: world.beat(nodes[random.below(nodes.size())]); break;
        }
        for (const ResourceEffect& effect : world.effects)
          if (const auto* taken = std::get_if<ContainerAssigned>(&effect)) running.push_back(taken->container);
        world.scheduler.check_invariants();
        for (const char* name : {"root", "root.a", "root.b", "root.b.x", "root.b.y"})
          BOOST_TEST(world.queue(name).used.memory_mib <= world.queue(name).maximum.memory_mib);
        for (std::int64_t number = 1; number <= applications; ++number) BOOST_TEST(!world.reason(number).empty());
      }
      const CapacityScheduler copy = world.scheduler;
      copy.check_invariants();
    }
  }
}

}  // namespace
}  // namespace heddle::policies
