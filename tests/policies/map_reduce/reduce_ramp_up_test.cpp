// Goal: reduces start when enough maps are complete, use the resources that maps leave, and are preempted for maps that
// hang. Method: the numbered cases of the specification as tables, then random loads compared with the limits.
#include "policies/map_reduce/reduce_ramp_up.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace reduce_ramp_up_test {

using namespace heddle;
using namespace heddle::policies;

namespace {

constexpr std::int64_t gib = 1024;

ReduceScheduleInput standard() {
  ReduceScheduleInput input;
  input.load.map = {1024, 1};
  input.load.reduce = {2048, 1};
  input.load.scheduled_maps = 10;
  input.load.assigned_maps = 2;
  input.total_maps = 10;
  input.completed_maps = 3;
  input.pending_reduces = 4;
  input.slow_start = 0.2F;
  input.ramp_up_limit = 0.5F;
  return input;
}

/// Sets the headroom so that used and available resources of the job add up to `limit`.
void set_limit(ReduceScheduleInput& input, Resource limit) {
  const auto& load = input.load;
  const auto times = [](Resource unit, std::int64_t count) {
    return Resource{unit.memory_mib * count, unit.cores * count};
  };
  input.load.headroom = limit - times(load.map, load.assigned_maps) - times(load.reduce, load.assigned_reduces);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reduce_ramp_up)

BOOST_AUTO_TEST_CASE(nothing_starts_before_enough_maps_are_done) {  // C-E2-06
  auto input = standard();
  input.completed_maps = 1;
  for (const std::int32_t scheduled : {10, 0}) {
    input.load.scheduled_maps = scheduled;
    BOOST_TEST((schedule_reduces(input) == ReduceSchedule{}));
  }
}

BOOST_AUTO_TEST_CASE(started_is_remembered) {  // C-E2-07
  auto input = standard();
  set_limit(input, {0, 0});
  BOOST_TEST(schedule_reduces(input).is_started);
  input.completed_maps = 0;
  input.is_started = true;
  BOOST_TEST(schedule_reduces(input).is_started);
}

BOOST_AUTO_TEST_CASE(reduces_get_what_maps_leave) {  // C-E2-08, C-E2-09, C-E2-10
  auto input = standard();
  set_limit(input, {100 * gib, 100});
  BOOST_TEST((schedule_reduces(input) == ReduceSchedule{true, false, 4, 0}));
  input.load.scheduled_reduces = 3;
  set_limit(input, {10 * gib, 100});
  BOOST_TEST((schedule_reduces(input) == ReduceSchedule{true, false, 0, 1}));
  input.load.scheduled_maps = 2;
  input.load.assigned_reduces = 2;
  set_limit(input, {10 * gib, 100});
  BOOST_TEST((schedule_reduces(input) == ReduceSchedule{true, false, 0, 2}));
}

BOOST_AUTO_TEST_CASE(the_tighter_dimension_rules) {  // C-E2-11
  auto input = standard();
  input.load.schedule_cores = true;
  input.load.scheduled_reduces = 3;
  set_limit(input, {100 * gib, 5});
  BOOST_TEST(schedule_reduces(input).ramp_down == 2);
  set_limit(input, {10 * gib, 100});
  BOOST_TEST(schedule_reduces(input).ramp_down == 1);
}

BOOST_AUTO_TEST_CASE(all_reduces_are_asked_for_once_no_map_waits) {  // CA-17
  auto input = standard();
  input.load.scheduled_maps = 0;
  BOOST_TEST((schedule_reduces(input) == ReduceSchedule{true, true, 0, 0}));
}

BOOST_AUTO_TEST_CASE(fractions_are_floats_and_cut) {  // CA-18: 10000 x 0.7f is 6999
  auto input = standard();
  input.load.map = {0, 0};
  input.load.reduce = {1, 1};
  input.load.assigned_maps = 0;
  input.load.headroom = {10000, 1};
  input.completed_maps = 10;
  input.ramp_up_limit = 0.7F;
  input.pending_reduces = 100000;
  BOOST_TEST(schedule_reduces(input).ramp_up == 10000);
  input.load.map = {4000, 1};
  BOOST_TEST(schedule_reduces(input).ramp_up == 6999);
}

BOOST_AUTO_TEST_CASE(running_reduces_give_way_to_hanging_maps) {  // C-E2-03, C-E2-04, C-E2-05
  struct Row {
    std::int64_t wait_ms;
    std::int32_t delay_sec;
    std::int32_t unconditional_sec;
    Resource headroom;
    bool is_due;
  };
  const std::vector<Row> rows{{5, 0, 300, {0, 0}, true},       {0, 2, 300, {0, 0}, false},
                              {2001, 2, 300, {0, 0}, true},    {2000, 2, 300, {0, 0}, false},
                              {1, 4, 2, {8192, 8}, false},     {2001, 4, 2, {8192, 8}, true},
                              {99999, 4, -1, {8192, 8}, false}};
  for (const auto& row : rows) {
    const std::vector<Duration> waits{std::chrono::milliseconds{row.wait_ms}};
    ReducePreemptionInput input;
    input.load.map = input.load.reduce = {1024, 1};
    input.load.headroom = row.headroom;
    input.load.scheduled_maps = input.load.assigned_reduces = 1;
    input.map_waits = waits;
    input.delay_sec = row.delay_sec;
    input.unconditional_delay_sec = row.unconditional_sec;
    const auto preemption = preempt_reduces(input);
    BOOST_TEST(preemption.is_due == row.is_due);
    BOOST_TEST(preemption.reduces == (row.is_due ? 1 : 0));
  }
}

BOOST_AUTO_TEST_CASE(victims_have_the_least_progress_and_keep_their_order) {  // CA-25
  const std::vector<float> progress{0.5F, 0.1F, 0.5F, 0.1F};
  BOOST_TEST(choose_reduce_victims(progress, 3) == (std::vector<std::int32_t>{1, 3, 0}),
             boost::test_tools::per_element());
  BOOST_TEST(choose_reduce_victims(progress, 9).size() == 4U);
  BOOST_TEST(choose_reduce_victims(progress, -1).empty());
}

BOOST_AUTO_TEST_CASE(the_share_of_reduces_is_a_part_of_the_limit_and_what_maps_leave) {
  ReduceScheduleInput input;
  input.load.map = input.load.reduce = {256, 1};
  input.load.headroom = {1024, 4};
  input.load.assigned_maps = 4;
  input.load.scheduled_maps = 6;
  input.total_maps = 16;
  input.completed_maps = 4;
  input.ramp_up_limit = 0.25F;
  auto share = share_of_reduces(input);
  BOOST_TEST((share.limit == Resource{2048, 8}));
  BOOST_TEST((share.reduces == Resource{512, 2}));
  BOOST_TEST((share.leftover == Resource{}));  // 1536 MiB for ten maps
  input.load.scheduled_maps = 1;
  share = share_of_reduces(input);
  BOOST_TEST((share.leftover == Resource{256, 1}));  // beside five maps
  BOOST_TEST(slow_start_maps(16, 0.25F) == 4);
  BOOST_TEST(slow_start_maps(10, 0.05F) == 1);
}

BOOST_AUTO_TEST_CASE(no_decision_passes_what_there_is) {
  RandomStream random{11};
  const auto small = [&random](std::uint64_t bound) { return static_cast<std::int32_t>(random.below(bound)); };
  for (int round = 0; round < 2000; ++round) {
    auto input = standard();
    input.load.scheduled_maps = small(12);
    input.load.scheduled_reduces = small(12);
    input.load.assigned_reduces = small(12);
    input.load.headroom = {small(60000), small(60)};
    input.load.schedule_cores = random.chance(1, 2);
    input.completed_maps = small(11);
    input.pending_reduces = small(20);
    const auto schedule = schedule_reduces(input);
    BOOST_TEST_INFO("round " << round);
    BOOST_TEST((schedule.ramp_up == 0 || schedule.ramp_down == 0));
    BOOST_TEST(schedule.ramp_up <= input.pending_reduces);
    BOOST_TEST(schedule.ramp_down <= input.load.scheduled_reduces);
    BOOST_TEST((schedule == schedule_reduces(input)));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace reduce_ramp_up_test
