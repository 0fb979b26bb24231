// Goal: an executor makes only legal phase transitions, its slots count while it may get tasks, and losses are found in
// time. Method: plain calls.
#include "actors/driver/executor_pool.hpp"

#include <boost/test/unit_test.hpp>

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
  pool.disconnect(pool.one(), at(50));
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
  BOOST_TEST(pool.overdue(at(100)).all.empty());
  pool.one().last_heard = at(90);
  pool.disconnect(pool.one(), at(120));
  const auto silent = pool.overdue(at(101));
  BOOST_TEST((silent.all == std::vector{ExecutorId{2}}));
  BOOST_TEST((silent.silent == silent.all));
  pool.lose(ExecutorId{2}, JobId{0});
  pool.renew_deadline();
  BOOST_TEST((pool.next_due() == std::optional{at(120)}));
  BOOST_TEST((pool.overdue(at(120)).disconnected == std::vector{ExecutorId{1}}));
  pool.expire_disconnected(at(110));
  BOOST_TEST((pool.overdue(at(110)).disconnected == std::vector{ExecutorId{1}}));
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
