// Users of one leaf: activity, usage and limit; tables, then random changes compared with plain sums.
#include "policies/cluster/capacity/capacity_users.hpp"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace capacity_users_test {
namespace {

const ResourceCalculator by_memory{CalculatorKind::memory_only};
constexpr MemoryAndCores cluster{102'400, 100};

/// A leaf with a capacity of 10 GiB and a maximum of 20 GiB.
UserLimitInput leaf(float percent = 100.0F, float factor = 1.0F) {
  return {cluster, {10'240, 10}, {20'480, 20}, {1024, 1}, percent, factor};
}

RowIndex user_of(CapacityUsers& users, std::int32_t id) {
  const RowIndex slot = users.intern(id, "user" + std::to_string(id));
  users.arrive(slot, 1.0F);
  return slot;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(capacity_users)

BOOST_AUTO_TEST_CASE(one_user_may_hold_the_queue_and_two_share_it) {
  CapacityUsers users;
  const RowIndex ann = user_of(users, 1);
  bool ann_asks = false;
  users.change_applications(ann, 0, 1);
  users.start_asking(ann, ann_asks);
  BOOST_TEST(users.limit_of(ann, by_memory, leaf(50)).memory_mib == 10'240 / 2);
  BOOST_TEST(users.limit_of(ann, by_memory, leaf(50)).memory_mib == 5120);
  users.clear_limits();
  BOOST_TEST(users.limit_of(ann, by_memory, leaf(100)).memory_mib == 10'240);
  BOOST_TEST(users.active_count() == 1);
}

BOOST_AUTO_TEST_CASE(the_factor_bounds_what_one_user_may_hold_and_minus_one_lifts_the_bound) {
  CapacityUsers users;
  const RowIndex ann = user_of(users, 1);
  bool ann_asks = false;
  users.change_applications(ann, 0, 1);
  users.start_asking(ann, ann_asks);
  users.change_usage(ann, {15'360, 15}, by_memory, cluster);
  BOOST_TEST(users.limit_now(ann, by_memory, leaf(100, 1.0F)).memory_mib == 10'240);
  BOOST_TEST(users.limit_now(ann, by_memory, leaf(100, 0.5F)).memory_mib == 5120);
  BOOST_TEST(users.limit_now(ann, by_memory, leaf(100, -1.0F)).memory_mib == 16'384);
}

BOOST_AUTO_TEST_CASE(a_limit_is_kept_until_something_changes) {
  CapacityUsers users;
  const RowIndex ann = user_of(users, 1);
  bool asks = false;
  users.change_applications(ann, 0, 1);
  users.start_asking(ann, asks);
  const MemoryAndCores before = users.limit_of(ann, by_memory, leaf());
  BOOST_TEST((users.limit_of(ann, by_memory, leaf(1, 0.1F)) == before));
  users.change_usage(ann, {1024, 1}, by_memory, cluster);
  BOOST_TEST((users.limit_of(ann, by_memory, leaf(1, 0.1F)) != before));
}

BOOST_AUTO_TEST_CASE(a_user_asks_while_one_application_does_and_something_runs) {
  CapacityUsers users;
  const RowIndex ann = user_of(users, 1);
  std::array<bool, 2> asks{};
  users.start_asking(ann, asks[0]);
  BOOST_TEST(!asks[0]);  // none of her applications runs yet
  users.change_applications(ann, 0, 2);
  users.start_asking(ann, asks[0]);
  users.start_asking(ann, asks[1]);
  users.stop_asking(ann, asks[0]);
  BOOST_TEST(users.at(ann).is_active);
  users.stop_asking(ann, asks[1]);
  BOOST_TEST(!users.at(ann).is_active);
  BOOST_TEST(users.active_count() == 0);
}

BOOST_AUTO_TEST_CASE(random_changes_leave_the_books_of_plain_sums) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random{seed};
    CapacityUsers users;
    struct Plain {
      MemoryAndCores used;
      std::array<bool, 3> asks{};
    };
    std::vector<Plain> plain(5);
    for (std::int32_t id = 0; id < 5; ++id) users.change_applications(user_of(users, id), 0, 3);
    for (int step = 0; step < 300; ++step) {
      const auto slot = static_cast<RowIndex>(random.below(5));
      Plain& one = plain[static_cast<std::size_t>(slot)];
      bool& asks = one.asks[random.below(3)];
      switch (random.below(3)) {
        case 0: users.start_asking(slot, asks); break;
        case 1: users.stop_asking(slot, asks); break;
        default: {
          const MemoryAndCores by{1024 * static_cast<std::int64_t>(1 + random.below(4)), 1};
          const bool leaves = one.used.memory_mib >= by.memory_mib && random.chance(1, 2);
          const MemoryAndCores change = leaves ? MemoryAndCores{} - by : by;
          one.used += change;
          users.change_usage(slot, change, by_memory, cluster);
        }
      }
      std::int32_t active = 0;
      for (RowIndex each = 0; each < 5; ++each) {
        const Plain& expected = plain[static_cast<std::size_t>(each)];
        const bool is_active = std::count(expected.asks.begin(), expected.asks.end(), true) > 0;
        active += is_active ? 1 : 0;
        BOOST_REQUIRE(users.at(each).is_active == is_active);
        BOOST_REQUIRE((users.at(each).used == expected.used));
      }
      BOOST_REQUIRE(users.active_count() == active);
      const MemoryAndCores peeked = users.peek_limit(slot, by_memory, leaf(25));
      const MemoryAndCores limit = users.limit_of(slot, by_memory, leaf(25));
      BOOST_REQUIRE((peeked == limit));
      BOOST_REQUIRE(limit.memory_mib % 1024 == 0 && limit.memory_mib <= 10'240);
      if (active > 0) BOOST_REQUIRE((users.limit_now(slot, by_memory, leaf(25)) == limit));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace capacity_users_test
}  // namespace heddle::policies
