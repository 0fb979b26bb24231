// Goal: heddle.locality.adaptive wins what waiting can win and loses next to nothing where it cannot.
// Method: the published workloads (locality_workloads.hpp), each shape at each cost of a task far from its data over all seeds: the
// makespan with adaptive waits against that of no wait, and its gain against that of the best fixed wait. The table of docs/decisions is
//   build/release/tests/test_policies --run_test=adaptive_locality --log_level=message -- SEEDS
// (without SEEDS: 60, and 20 where nothing is known).
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <iomanip>
#include <sstream>

#include "tests/policies/locality_workloads.hpp"

namespace heddle::policies {
namespace {

using namespace locality_workloads;

/// What the scheduler is told before a run.
enum class Known : std::uint8_t { each_time, mean_time, nothing };

std::uint64_t number_of_seeds(Known known) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  const long given = suite.argc > 1 ? std::strtol(suite.argv[suite.argc - 1], nullptr, 10) : 0;
  return given > 0 ? static_cast<std::uint64_t>(given) : known == Known::nothing ? 20 : 60;
}

TaskSchedulerSettings fixed_wait(std::int64_t milliseconds) {
  TaskSchedulerSettings settings;
  settings.wait_process = settings.wait_node = settings.wait_rack = std::chrono::milliseconds{milliseconds};
  return settings;
}

double with_adaptive_wait(const Workload& work, Known known) {
  TaskSchedulerSettings settings = fixed_wait(100'000);
  settings.adaptive.emplace();
  if (known != Known::nothing) settings.adaptive = AdaptiveLocality{std::chrono::milliseconds{work.mean_ms}, work.far_cost};
  return Run{work, settings, known == Known::each_time}.makespan_ms();
}

constexpr double rounding = 1e-9;

/// Adaptive waits against none (mean and worst of the ratio), and against the best fixed one (gains are mean parts of the makespan).
struct Group {
  std::string name;
  double mean = 0;
  double worst = 0;
  std::uint64_t worst_seed = 0;
  double gain = 0;
  double best_gain = 0;
};

Group measure(Shape shape, double far_cost, std::int64_t spread_percent, Known known) {
  std::map<std::int64_t, double> gain_of_wait;
  Group group;
  const std::uint64_t seeds = number_of_seeds(known);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Workload work = workload_of(shape, seed, far_cost, spread_percent);
    const double none = Run{work, fixed_wait(0), false}.makespan_ms();
    const double ratio = with_adaptive_wait(work, known) / none;
    group.mean += ratio / static_cast<double>(seeds);
    for (const std::int64_t wait : {500, 1000, 2000, 3000, 5000, 10'000}) {
      if (far_cost < 2) break;  // nothing is asked of the gain there
      gain_of_wait[wait] += (1 - Run{work, fixed_wait(wait), false}.makespan_ms() / none) / static_cast<double>(seeds);
    }
    if (ratio <= group.worst) continue;
    group.worst = ratio;
    group.worst_seed = seed;
  }
  group.gain = 1 - group.mean;
  for (const auto& [wait, gain] : gain_of_wait) group.best_gain = std::max(group.best_gain, gain);
  std::ostringstream name;
  name << shape_names[static_cast<std::size_t>(shape)] << ", times " << (spread_percent > 0 ? "spread" : "alike") << ", cost " << far_cost;
  group.name = name.str();
  std::ostringstream row;
  row << std::fixed << std::setprecision(3) << "| " << group.name << " | " << group.mean << " | " << group.worst << " | " << group.gain
      << " | " << group.best_gain << " |";
  BOOST_TEST_MESSAGE(row.str());
  return group;
}

template <class Check>
void for_each_group(std::string_view title, std::initializer_list<std::int64_t> spreads, Known known, Check check) {
  BOOST_TEST_MESSAGE(title << ", seeds 1 to " << number_of_seeds(known));
  BOOST_TEST_MESSAGE("| group | mean | worst | gain | gain of the best fixed wait |");
  for (const std::int64_t spread : spreads)
    for (const Shape shape : shapes)
      for (const double far_cost : far_costs) check(measure(shape, far_cost, spread, known), shape, far_cost);
}

/// Task times lie within this part of their mean where they are spread.
constexpr std::int64_t half = 50;

}  // namespace

BOOST_AUTO_TEST_SUITE(adaptive_locality)

BOOST_AUTO_TEST_CASE(with_known_task_times_waiting_costs_nothing_and_wins_where_far_tasks_are_slow) {
  for_each_group("each task's time known", {0, half}, Known::each_time, [](const Group& group, Shape, double far_cost) {
    BOOST_TEST(group.mean <= 1.01, group.name << ": mean " << group.mean);
    BOOST_TEST(group.worst <= 1.05, group.name << ": worst " << group.worst << " (seed " << group.worst_seed << ")");
    if (far_cost >= 2) BOOST_TEST(group.gain >= 0.8 * group.best_gain - rounding, group.name << ": gain " << group.gain);
  });
}

// One mean time stands for all: where times are spread, or one task is a straggler, any schedule may be the unlucky one.
BOOST_AUTO_TEST_CASE(with_a_mean_time_known_waiting_costs_nothing_in_the_mean) {
  for_each_group("mean task time known", {half}, Known::mean_time, [](const Group& group, Shape, double far_cost) {
    BOOST_TEST(group.mean <= 1.01, group.name << ": mean " << group.mean);
    if (far_cost >= 2) BOOST_TEST(group.gain >= 0.8 * group.best_gain - rounding, group.name << ": gain " << group.gain);
  });
}

// A set of which nothing is known learns what a far task costs from its first ones: too late for itself, not for the sets after it.
BOOST_AUTO_TEST_CASE(what_is_measured_costs_nothing_in_the_mean_and_wins_over_several_sets) {
  for_each_group("nothing known", {0, half}, Known::nothing, [](const Group& group, Shape shape, double far_cost) {
    BOOST_TEST(group.mean <= 1.01, group.name << ": mean " << group.mean);
    if (far_cost >= 2 && shape == Shape::four_sets)
      BOOST_TEST(group.gain >= 0.6 * group.best_gain - rounding, group.name << ": gain " << group.gain);
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heddle::policies
