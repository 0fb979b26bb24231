// Goal: heddle.locality.adaptive reaches most of the gain of waiting, and loses almost nothing where waiting has no
// gain. Method: the published workloads (locality_workloads.hpp), each shape at each cost of a far task over all seeds:
// the makespan with adaptive waits compared with that without waiting, and its gain compared with that of the best
// fixed wait. The table of docs/adaptive-locality.md is build/release/tests/test_policies --run_test=adaptive_locality
// --log_level=message -- SEEDS (without SEEDS: 30, and 20 where nothing is known; tools/test full: 60).
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <iomanip>
#include <map>
#include <sstream>
#include <tuple>

#include "tests/policies/tasks/adaptive_locality/locality_workloads.hpp"

namespace heddle::policies {
namespace adaptive_locality_test {
namespace {

using namespace locality_workloads;

/// Information that the scheduler gets before a run.
enum class Known : std::uint8_t { each_time, mean_time, nothing };

std::uint64_t number_of_seeds(Known known) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  const long given = suite.argc > 1 ? std::strtol(suite.argv[suite.argc - 1], nullptr, 10) : 0;
  return given > 0 ? static_cast<std::uint64_t>(given) : known == Known::nothing ? 20 : 30;
}

TaskSchedulerSettings fixed_wait(std::int64_t milliseconds) {
  TaskSchedulerSettings settings;
  settings.wait_process = settings.wait_node = settings.wait_rack = std::chrono::milliseconds{milliseconds};
  return settings;
}

double with_adaptive_wait(const Workload& work, Known known) {
  TaskSchedulerSettings settings = fixed_wait(100'000);
  settings.adaptive.emplace();
  if (known != Known::nothing)
    settings.adaptive = AdaptiveLocality{std::chrono::milliseconds{work.mean_ms}, work.far_cost};
  return Run{work, settings, known == Known::each_time}.makespan_ms();
}

constexpr std::array<std::int64_t, 6> fixed_waits_ms{500, 1000, 2000, 3000, 5000, 10'000};

/// Makespan of a workload without waiting and, if a gain is required, with each of the fixed waits.
struct Baseline {
  double none = 0;
  std::array<double, fixed_waits_ms.size()> fixed{};
};

/// A run without far tasks is the same with longer waits and at other costs. This is the shortest wait known for it.
struct NearRun {
  std::size_t from = fixed_waits_ms.size();
  double makespan_ms = 0;
};

using Drawn = std::tuple<Shape, std::uint64_t, std::int64_t>;  // with its seed and spread

Baseline make_baseline(const Workload& work, NearRun& near) {
  Baseline baseline;
  baseline.none = Run{work, fixed_wait(0), false}.makespan_ms();
  for (std::size_t i = 0; work.far_cost >= 2 && i < fixed_waits_ms.size(); ++i) {
    if (i < near.from) {
      Run run{work, fixed_wait(fixed_waits_ms[i]), false};
      baseline.fixed[i] = run.makespan_ms();
      if (!run.took_far()) near = {i, baseline.fixed[i]};
    } else {
      baseline.fixed[i] = near.makespan_ms;
    }
  }
  return baseline;
}

/// Cached, since several tests compare with the same runs.
const Baseline& baseline_of(const Workload& work, const Drawn& drawn) {
  static std::map<Drawn, NearRun> near;
  static std::map<std::pair<Drawn, double>, Baseline> made;
  const auto [at, is_new] = made.try_emplace({drawn, work.far_cost});
  if (is_new) at->second = make_baseline(work, near[drawn]);
  return at->second;
}

constexpr double rounding = 1e-9;

/// Adaptive waits compared with none (mean and worst ratio), and with the best fixed wait (gains as mean parts of the
/// makespan).
struct Group {
  std::string name;
  double mean = 0;
  double worst = 0;
  std::uint64_t worst_seed = 0;
  double gain = 0;
  double best_gain = 0;
  std::uint64_t slow_runs = 0;  // more than 5 % longer than without waiting
};

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
  [[nodiscard]] double count() const { return static_cast<double>(last - first + 1); }
};

Group measure(Shape shape, double far_cost, std::int64_t spread_percent, Known known, Seeds seeds) {
  std::array<double, fixed_waits_ms.size()> gain_of_wait{};
  Group group;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    const Workload work = workload_of(shape, seed, far_cost, spread_percent);
    const Baseline& baseline = baseline_of(work, {shape, seed, spread_percent});
    const double ratio = with_adaptive_wait(work, known) / baseline.none;
    group.mean += ratio / seeds.count();
    for (std::size_t i = 0; far_cost >= 2 && i < fixed_waits_ms.size(); ++i)
      gain_of_wait[i] += (1 - baseline.fixed[i] / baseline.none) / seeds.count();
    if (ratio > 1.05) ++group.slow_runs;
    if (ratio <= group.worst) continue;
    group.worst = ratio;
    group.worst_seed = seed;
  }
  group.gain = 1 - group.mean;
  for (const double gain : gain_of_wait) group.best_gain = std::max(group.best_gain, gain);
  std::ostringstream name;
  name << shape_names[static_cast<std::size_t>(shape)] << ", times " << (spread_percent > 0 ? "spread" : "alike")
       << ", cost " << far_cost;
  group.name = name.str();
  std::ostringstream row;
  row << std::fixed << std::setprecision(3) << "| " << group.name << " | " << group.mean << " | " << group.worst
      << " | " << group.gain << " | " << group.best_gain << " |";
  BOOST_TEST_MESSAGE(row.str());
  return group;
}

template <class Check>
void for_each_group(std::string_view title, std::initializer_list<std::int64_t> spreads, Known known, Check check) {
  BOOST_TEST_MESSAGE(title << ", seeds 1 to " << number_of_seeds(known));
  BOOST_TEST_MESSAGE("| group | mean | worst | gain | gain of the best fixed wait |");
  for (const std::int64_t spread : spreads)
    for (const Shape shape : shapes)
      for (const double far_cost : far_costs)
        check(measure(shape, far_cost, spread, known, {1, number_of_seeds(known)}), shape, far_cost);
}

/// Largest deviation of task times from their mean, in percent, where they are spread.
constexpr std::int64_t half = 50;

}  // namespace

BOOST_AUTO_TEST_SUITE(adaptive_locality)

BOOST_AUTO_TEST_CASE(with_known_task_times_waiting_costs_nothing_and_wins_where_far_tasks_are_slow) {
  for_each_group("each task's time known", {0, half}, Known::each_time, [](const Group& group, Shape, double far_cost) {
    BOOST_TEST(group.mean <= 1.01, group.name << ": mean " << group.mean);
    BOOST_TEST(group.worst <= 1.05, group.name << ": worst " << group.worst << " (seed " << group.worst_seed << ")");
    if (far_cost >= 2)
      BOOST_TEST(group.gain >= 0.8 * group.best_gain - rounding, group.name << ": gain " << group.gain);
  });
}

// Workloads on which earlier rules failed. Skewed locations: tasks got other homes at each choice, so that the plan was
// not what had been simulated. Busy hosts: no slot waited while a task had only such hosts.
BOOST_AUTO_TEST_CASE(a_plan_keeps_its_hosts_and_hosts_that_were_never_free_count_as_full) {
  BOOST_TEST(measure(Shape::skewed, 2, half, Known::each_time, {490, 490}).worst <= 1.0);
  for (const auto& [spread, first] : {std::pair<std::int64_t, std::uint64_t>{0, 801}, {half, 301}}) {
    const Group group = measure(Shape::busy_hosts, 5, spread, Known::each_time, {first, first + 99});
    BOOST_TEST(group.gain >= 0.95 * group.best_gain, group.name << ": gain " << group.gain);
  }
}

// Sets too large for a simulation use the earliest end as deadline: above 8192 waiting tasks, and above 400,000 steps
// (tasks times hosts).
BOOST_AUTO_TEST_CASE(sets_too_large_to_be_played_lose_nothing_by_waiting) {
  struct Size {
    std::uint64_t hosts;
    std::int32_t slots;
    std::uint64_t tasks;
  };
  for (const Size& size : {Size{10, 4, 9'000}, Size{64, 2, 8'000}})
    for (const double far_cost : {1.0, 2.0, 5.0}) {
      RandomStream random{size.tasks};
      Workload work;
      work.far_cost = far_cost;
      work.slots_per_host = size.slots;
      work.free_from_ms.assign(size.hosts, 0);
      work.mean_ms = 1000;
      work.sets.push_back(draw_set(random, {Shape::skewed, size.hosts, 2, work.mean_ms, 0}, size.tasks));
      const double ratio = with_adaptive_wait(work, Known::each_time) / Run{work, fixed_wait(0), false}.makespan_ms();
      BOOST_TEST_MESSAGE(size.tasks << " tasks on " << size.hosts << " hosts, cost " << far_cost << ": " << ratio);
      BOOST_TEST(ratio <= 1.01, size.tasks << " tasks, cost " << far_cost << ": " << ratio);
    }
}

// One mean time for all tasks: if times are spread, or one task is a straggler, single schedules are longer, but few.
BOOST_AUTO_TEST_CASE(with_a_mean_time_known_waiting_costs_nothing_in_the_mean_and_rarely_in_one_run) {
  std::uint64_t slow_runs = 0;
  std::uint64_t runs = 0;
  for_each_group("mean task time known", {half}, Known::mean_time, [&](const Group& group, Shape, double far_cost) {
    slow_runs += group.slow_runs;
    runs += number_of_seeds(Known::mean_time);
    BOOST_TEST(group.mean <= 1.01, group.name << ": mean " << group.mean);
    if (far_cost >= 2)
      BOOST_TEST(group.gain >= 0.8 * group.best_gain - rounding, group.name << ": gain " << group.gain);
  });
  BOOST_TEST(slow_runs > 0U);  // otherwise the limit that docs/adaptive-locality.md tells is none
  BOOST_TEST(50 * slow_runs <= runs, slow_runs << " of " << runs << " runs are more than 5 % longer");
}

// A set without information measures the cost of far tasks with its first ones: too late for itself, in time for the
// sets after it.
BOOST_AUTO_TEST_CASE(what_is_measured_costs_nothing_in_the_mean_and_wins_over_several_sets) {
  for_each_group("nothing known", {0, half}, Known::nothing, [](const Group& group, Shape shape, double far_cost) {
    BOOST_TEST(group.mean <= 1.01, group.name << ": mean " << group.mean);
    if (far_cost >= 2 && shape == Shape::four_sets)
      BOOST_TEST(group.gain >= 0.6 * group.best_gain - rounding, group.name << ": gain " << group.gain);
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace adaptive_locality_test
}  // namespace heddle::policies
