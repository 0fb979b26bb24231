// Goal: devices are assigned lowest address first, whole or in shares, and tasks run only where their needs are met.
// Method: tables of small clusters from the numbered cases; a property over random needs.
#include "policies/tasks/types/task_resources.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <set>

#include "policies/tasks/task_scheduler.hpp"

namespace heddle::policies {
namespace task_resources_test {
namespace {

constexpr std::int32_t gpu = 0;

FreeShares addresses(std::int32_t count) {
  FreeShares free;
  for (std::int32_t i = 0; i < count; ++i) free.push_back({gpu, i, whole_address});
  return free;
}

struct Machine {
  std::int32_t cores = 0;
  std::int32_t gpus = 0;
  std::int64_t profile = 0;
};

/// A cluster of numbered hosts; collects the launches of a round.
struct Cluster {
  TaskScheduler scheduler{TaskSchedulerSettings{}};
  TaskSchedulerEffects effects;

  void submit(std::int32_t stage, std::int32_t tasks, std::int32_t cores, std::optional<TaskNeed> need) {
    TaskSetDescription set;
    set.key = {StageId{stage}, 0};
    set.job = JobId{0};
    set.tasks = tasks;
    set.task_cores = cores;
    set.need = std::move(need);
    scheduler.apply(Instant{}, task_input::TaskSetSubmitted{set}, effects);
  }
  std::size_t round(const std::vector<Machine>& machines, std::int64_t first = 0) {
    std::vector<OfferDetail> details;
    for (const Machine& one : machines) details.push_back({ProfileId{one.profile}, addresses(one.gpus)});
    std::vector<SlotOffer> offers;
    for (std::size_t i = 0; i < machines.size(); ++i)
      offers.push_back({ExecutorId{first + static_cast<std::int64_t>(i)}, HostId{static_cast<std::int32_t>(i)},
                        machines[i].cores, &details[i]});
    effects.clear();
    scheduler.apply(Instant{}, task_input::OffersMade{offers, true}, effects);
    scheduler.check_invariants();
    return effects.launches.size();
  }
  [[nodiscard]] std::vector<std::int32_t> addresses_of(std::size_t launch) const {
    std::vector<std::int32_t> found;
    for (const LaunchResources& one : effects.resources)
      if (one.id == effects.launches[launch].id)
        for (const ResourceShare& share : one.shares) found.push_back(share.address);
    return found;
  }
};

TaskNeed gpus(double amount, std::int64_t profile = 0, bool is_for_tasks_only = false) {
  return {ProfileId{profile}, is_for_tasks_only, {{gpu, amount}}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(task_resources)

// C-TS-33, C-TSF-28
BOOST_AUTO_TEST_CASE(a_task_gets_the_lowest_free_addresses_and_is_told_them) {
  Cluster cluster;
  cluster.submit(0, 3, 1, gpus(1));
  BOOST_TEST(cluster.round({{2, 0, 0}}) == 0U);
  BOOST_TEST(cluster.round({{2, 4, 0}}) == 2U);
  BOOST_TEST(cluster.addresses_of(0) == std::vector<std::int32_t>{0}, boost::test_tools::per_element());
  BOOST_TEST(cluster.addresses_of(1) == std::vector<std::int32_t>{1}, boost::test_tools::per_element());
  Cluster two;
  two.submit(0, 1, 2, gpus(2));
  BOOST_TEST(two.round({{1, 2, 0}}) == 0U);
  BOOST_TEST(two.round({{2, 2, 0}}) == 1U);
  BOOST_TEST(two.addresses_of(0) == (std::vector<std::int32_t>{0, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_set_that_waits_for_a_device_says_whose_attempts_run) {
  Cluster cluster;
  cluster.submit(0, 2, 1, gpus(1));
  BOOST_TEST(cluster.round({{3, 1, 0}}) == 1U);
  BOOST_TEST(cluster.round({{2, 0, 0}}) == 0U);
  const auto why = cluster.scheduler.explain(Instant{}, {StageId{0}, 0});
  BOOST_TEST((why.refusal == TaskRefusal::no_free_resource));
  BOOST_TEST(why.text ==
             "the last round left cores free, but not the other resources of a task: 1 of 1 running attempts is of "
             "this stage");
}

// C-TS-34, C-TS-42a
BOOST_AUTO_TEST_CASE(shares_fill_one_address_before_the_next) {
  Cluster thirds;
  thirds.submit(0, 5, 1, gpus(0.33));
  BOOST_TEST(thirds.round({{4, 1, 0}}) == 3U);
  for (const bool is_task_profile : {false, true}) {
    for (std::int32_t n = 1; n <= 12; ++n) {
      const auto parts = static_cast<std::size_t>(n);
      Cluster one;
      one.submit(0, 100, 1, gpus(1.0 / n, is_task_profile ? 1 : 0, is_task_profile));
      BOOST_TEST_REQUIRE(one.round({{50, 4, 0}}) == 4 * parts);
      for (std::size_t i = 0; i < 4 * parts; ++i)
        BOOST_TEST(one.addresses_of(i).at(0) == static_cast<std::int32_t>(i / parts));
      Cluster four;
      four.submit(0, 100, 1, gpus(1.0 / n, is_task_profile ? 1 : 0, is_task_profile));
      BOOST_TEST(four.round({{50, 1, 0}, {50, 1, 0}, {50, 1, 0}, {50, 1, 0}}) == 4 * parts);
    }
  }
}

// C-TS-42b
BOOST_AUTO_TEST_CASE(whole_amounts_take_addresses_together) {
  const std::vector<std::vector<std::vector<std::int32_t>>> expected{
      {{0}, {1}, {2}, {3}}, {{0, 1}, {2, 3}}, {{0, 1, 2}}, {{0, 1, 2, 3}}};
  for (std::size_t amount = 1; amount <= 4; ++amount) {
    Cluster cluster;
    cluster.submit(0, 10, 1, gpus(static_cast<double>(amount)));
    const auto& wanted = expected[amount - 1];
    BOOST_TEST_REQUIRE(cluster.round({{50, 4, 0}}) == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) BOOST_TEST((cluster.addresses_of(i) == wanted[i]));
  }
}

// C-TS-35
BOOST_AUTO_TEST_CASE(tasks_run_on_executors_of_their_profile) {
  Cluster cluster;
  cluster.submit(0, 3, 1, gpus(1));
  cluster.submit(1, 5, 2, gpus(2, 1));
  BOOST_TEST(cluster.round({{2, 4, 0}, {6, 6, 1}}) == 5U);
  for (const TaskLaunch& launch : cluster.effects.launches) BOOST_TEST(launch.set.stage.value == launch.executor.value);
  BOOST_TEST(cluster.round({{0, 4, 0}, {0, 0, 1}, {6, 6, 1}}) == 2U);
}

// C-TS-36, C-TS-37
BOOST_AUTO_TEST_CASE(a_profile_for_tasks_only_runs_on_executors_of_any_profile) {
  Cluster cluster;
  cluster.submit(0, 3, 1, gpus(1));
  cluster.submit(1, 5, 2, gpus(2, 1, true));
  BOOST_TEST(slots_for(4, addresses(4), 2, gpus(2).resources) * 2 == 4);
  BOOST_TEST(cluster.round({{4, 4, 0}, {4, 4, 0}}) == 5U);
  BOOST_TEST(cluster.round({{0, 0, 0}, {0, 0, 0}, {4, 4, 0}}) == 2U);
  cluster.submit(2, 5, 2, gpus(2, 1, true));
  BOOST_TEST(cluster.round({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {4, 4, 2}}) == 2U);
}

// C-BE-01, C-BE-02: counts the hosts, not the running tasks.
BOOST_AUTO_TEST_CASE(the_number_of_concurrent_tasks_is_bounded_by_the_scarcest_thing) {
  BOOST_TEST(4 * slots_for(3, {}, 1, {}) == 12);
  BOOST_TEST(4 * slots_for(3, {}, 2, {}) == 4);
  const std::vector<std::pair<double, std::int32_t>> rows{{0.2, 20}, {0.3, 12}, {0.4, 8}, {0.5, 8}, {0.8, 4},
                                                          {1, 4},    {2, 2},    {3, 1},   {4, 1}};
  for (const auto& [amount, slots] : rows)
    BOOST_TEST(slots_for(20, addresses(4), 1, gpus(amount).resources) == slots, amount);
}

BOOST_AUTO_TEST_CASE(a_share_too_small_to_be_counted_leaves_room_for_all_where_there_is_an_address) {
  for (const double amount : {9e-17, 1e-30}) {
    BOOST_TEST(slots_for(20, addresses(1), 1, gpus(amount).resources) == 20);
    BOOST_TEST(slots_for(20, addresses(0), 1, gpus(amount).resources) == 0);
    FreeShares free = addresses(1);
    const auto taken = assign_resources(free, gpus(amount).resources);
    BOOST_REQUIRE(taken.has_value());
    acquire_resources(free, *taken);
    BOOST_TEST(free[0].share == whole_address);
  }
}

BOOST_AUTO_TEST_CASE(sets_that_need_different_cores_share_what_an_offer_has) {
  Cluster cluster;
  cluster.submit(0, 2, 3, std::nullopt);
  cluster.submit(1, 9, 0, std::nullopt);
  BOOST_TEST(cluster.round({{4, 0, 0}, {2, 0, 0}}) == 4U);
  BOOST_TEST(cluster.effects.launches[0].set.stage.value == 0);
  BOOST_TEST(cluster.round({{0, 0, 0}, {0, 0, 0}, {3, 0, 0}}) == 1U);
}

// No share of an address is assigned twice, and the number of tasks that fit is correct.
BOOST_AUTO_TEST_CASE(random_needs_never_take_more_than_there_is) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    std::mt19937 random{seed};
    FreeShares free = addresses(static_cast<std::int32_t>(random() % 6));
    const double amount =
        random() % 2 == 0 ? static_cast<double>(1 + random() % 4) : 1.0 / static_cast<double>(1 + random() % 40);
    const std::vector<TaskResource> needs{{gpu, amount}};
    const std::int32_t fits = slots_for(1'000'000, free, 1, needs);
    std::int32_t taken = 0;
    while (const auto shares = assign_resources(free, needs)) {
      acquire_resources(free, *shares);
      for (const ResourceShare& one : free) BOOST_TEST_REQUIRE(one.share >= 0, seed);
      ++taken;
    }
    BOOST_TEST(taken == fits, "seed " << seed << " amount " << amount);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace task_resources_test
}  // namespace heddle::policies
