// Goal: an executor makes only legal phase transitions, its slots count while it may get tasks, and losses are found in
// time. Method: plain calls; random histories against a walk over all executors.
#include "actors/driver/executor_pool.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "model/random_stream.hpp"

namespace heddle::actors {
namespace executor_pool_test {
namespace {

constexpr Duration silence_max{100};
Instant at(std::int64_t us) { return Instant{Duration{us}}; }

RegisterExecutor registration(std::int64_t id, std::int32_t cores) {
  return {ExecutorId{id}, cores, "h" + std::to_string(id), MapOutputLocation{}, "build", {}, ProfileId{0}};
}

struct Pool : ExecutorPool {
  Pool() : ExecutorPool{{}, silence_max} {
    add(registration(1, 4), HostId{1}, at(0));
    add(registration(2, 2), HostId{2}, at(0));
  }
  ExecutorEntry& one() { return *find(ExecutorId{1}); }
  ExecutorEntry& two() { return *find(ExecutorId{2}); }
};

BOOST_AUTO_TEST_CASE(slots_count_until_an_executor_drains_or_is_lost) {
  Pool pool;
  BOOST_TEST(pool.slots_for(1) == 6);
  BOOST_TEST(pool.slots_for(4) == 1);
  pool.drain(pool.one(), "idle");
  BOOST_TEST((pool.one().phase == ExecutorPhase::draining));
  BOOST_TEST(pool.slots_for(1) == 2);
  BOOST_TEST(pool.slots_for(4) == 0);
  pool.drain(pool.one(), "its host leaves");  // counts once
  BOOST_TEST(pool.slots_for(1) == 2);
  pool.lose(ExecutorId{2}, JobId{0});
  BOOST_TEST(pool.slots_for(1) == 0);
  pool.add(registration(2, 3), HostId{2}, at(0));
  BOOST_TEST(pool.slots_for(1) == 3);
}

BOOST_AUTO_TEST_CASE(a_draining_executor_has_drained_when_it_runs_no_task) {
  Pool pool;
  pool.one().assign(2);
  BOOST_TEST(pool.one().wide == 1);
  pool.drain(pool.one(), "idle");
  BOOST_TEST(!pool.one().has_drained());
  pool.one().release(2);
  BOOST_TEST(pool.one().has_drained());
  pool.kill(pool.one());
  BOOST_TEST((pool.one().phase == ExecutorPhase::killed));
  pool.disconnect(ExecutorId{1}, at(50));
  BOOST_TEST(pool.one().has_drained());
  pool.kill(pool.one());  // no effect
  BOOST_TEST((pool.one().phase == ExecutorPhase::disconnected));
  pool.lose(ExecutorId{1}, JobId{0});
  BOOST_TEST(!pool.one().has_drained());
}

BOOST_AUTO_TEST_CASE(each_registration_of_an_executor_has_its_own_epoch) {
  Pool pool;
  const auto epoch = pool.one().epoch;
  BOOST_TEST(pool.current(ExecutorId{1}, epoch) != nullptr);
  pool.lose(ExecutorId{1}, JobId{3});
  BOOST_TEST(pool.live() == 1);
  BOOST_TEST(pool.current(ExecutorId{1}, epoch) == nullptr);
  BOOST_TEST(pool.forget_lost(JobId{2}).empty());  // job 2 may have map outputs there
  pool.add(registration(1, 4), HostId{1}, at(0));
  BOOST_TEST(pool.current(ExecutorId{1}, epoch) == nullptr);
  BOOST_TEST(pool.forget_lost(std::nullopt).empty());  // it is live again
  pool.lose(ExecutorId{1}, JobId{4});
  BOOST_TEST(pool.forget_lost(JobId{4}).size() == 1U);
  BOOST_TEST(pool.find(ExecutorId{1}) == nullptr);
}

BOOST_AUTO_TEST_CASE(silent_and_disconnected_executors_are_overdue) {
  Pool pool;
  BOOST_TEST((pool.next_due() == std::optional{at(101)}));
  BOOST_TEST(pool.take_overdue(at(100)).all.empty());
  pool.one().last_heard = at(90);
  pool.disconnect(ExecutorId{1}, at(120));
  const auto silent = pool.take_overdue(at(101));
  BOOST_TEST((silent.all == std::vector{ExecutorId{2}}));
  BOOST_TEST((silent.silent == silent.all));
  pool.lose(ExecutorId{2}, JobId{0});
  BOOST_TEST((pool.next_due() == std::optional{at(120)}));
  BOOST_TEST((pool.take_overdue(at(120)).disconnected == std::vector{ExecutorId{1}}));
  pool.lose(ExecutorId{1}, JobId{0});
  BOOST_TEST(!pool.next_due().has_value());
}

BOOST_AUTO_TEST_CASE(disconnected_executors_are_overdue_when_no_reason_can_arrive_any_more) {
  Pool pool;
  pool.disconnect(ExecutorId{1}, at(80));
  pool.expire_disconnected(at(10));
  BOOST_TEST((pool.next_due() == std::optional{at(10)}));
  const auto expired = pool.take_overdue(at(10));
  BOOST_TEST((expired.disconnected == std::vector{ExecutorId{1}}));
  BOOST_TEST(expired.silent.empty());
}

/// The live executors whose deadline has passed, by a walk over all.
ExecutorPool::Overdue walk(ExecutorPool& pool, Instant now) {
  ExecutorPool::Overdue found;
  for (const auto& [id, entry] : pool) {
    if (!entry.is_live()) continue;
    const bool is_silent = entry.last_heard + silence_max < now;
    if (!is_silent && (!entry.loss_due || *entry.loss_due > now)) continue;
    found.all.push_back(id);
    (is_silent ? found.silent : found.disconnected).push_back(id);
  }
  return found;
}

BOOST_AUTO_TEST_CASE(random_histories_have_the_overdue_executors_of_a_walk) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RandomStream random{seed};
    ExecutorPool pool{{}, silence_max};
    auto now = at(1000);
    for (int step = 0; step < 400; ++step) {
      now += Duration{static_cast<std::int64_t>(random.below(random.chance(1, 10) ? 90 : 8))};
      const ExecutorId id{static_cast<std::int64_t>(random.below(12))};
      auto* entry = pool.find(id);
      if (!pool.is_live(id)) pool.add(registration(id.value, 1), HostId{1}, now);
      else if (random.chance(1, 12)) pool.lose(id, JobId{0});
      else if (random.chance(1, 6) && entry->phase != ExecutorPhase::disconnected)
        pool.disconnect(id, now + Duration{static_cast<std::int64_t>(random.below(150))});
      else entry->last_heard = now;
      if (random.chance(1, 40)) pool.expire_disconnected(now);
      const auto expected = walk(pool, now);
      const auto due = pool.next_due();
      BOOST_REQUIRE((expected.all.empty() || (due && *due <= now)));
      const auto overdue = pool.take_overdue(now);
      BOOST_REQUIRE((overdue.all == expected.all));
      BOOST_REQUIRE((overdue.silent == expected.silent));
      BOOST_REQUIRE((overdue.disconnected == expected.disconnected));
      for (const auto lost : overdue.all) pool.lose(lost, JobId{0});
      BOOST_REQUIRE((!pool.next_due() || *pool.next_due() > now));
      BOOST_REQUIRE(pool.next_due().has_value() == (pool.live() > 0));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_number_of_checks_does_not_grow_with_the_number_of_executors_that_are_heard) {
  constexpr Duration limit{120'000};
  ExecutorPool pool{{}, limit};
  for (std::int64_t id = 0; id < 1000; ++id) pool.add(registration(id, 1), HostId{1}, at(10 * id));
  int checks = 0;
  for (auto now = at(10'000); now < at(1'200'000); now += Duration{10}) {
    pool.find(ExecutorId{(now.time_since_epoch().count() / 10) % 1000})->last_heard = now;  // each once per 10'000
    const auto due = pool.next_due();
    if (!due || *due > now) continue;
    BOOST_TEST_REQUIRE(pool.take_overdue(now).all.empty());
    if (now >= at(240'000)) ++checks;  // after the first ones, which are at the instants of the registrations
  }
  BOOST_TEST(checks <= 8 * 20);
  BOOST_TEST(checks > 0);
}

BOOST_AUTO_TEST_CASE(live_executors_are_found_by_host_and_removed_ones_are_remembered) {
  Pool pool;
  BOOST_TEST((pool.live_on(HostId{2}) == std::vector{ExecutorId{2}}));
  pool.lose(ExecutorId{2}, JobId{0});
  BOOST_TEST(pool.live_on(HostId{2}).empty());
  BOOST_TEST(!pool.is_removed(ExecutorId{2}));
  pool.mark_removed(ExecutorId{2});
  BOOST_TEST(pool.is_removed(ExecutorId{2}));
}

}  // namespace
}  // namespace executor_pool_test
}  // namespace heddle::actors
