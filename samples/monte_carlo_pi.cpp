// Estimates pi from random points in the unit square. Shows tasks without input, an argument for all tasks, and results
// as counters.
//   monte_carlo_pi [--master MASTER] [TASKS [POINTS_PER_TASK]]
// Prints one line, the same in each run with the same arguments: "pi is about 3.1423 after 8000000 points in 8 tasks".
#include <cstdio>
#include <heddle/heddle.hpp>
#include <random>
#include <string>

namespace {

/// The task index is the seed: a repeated attempt draws the same points.
void throw_points(heddle::TaskContext& task) {
  const auto points = std::stoll(std::string{task.argument()});
  std::mt19937_64 random{static_cast<std::uint64_t>(task.index()) + 1};
  std::int64_t inside = 0;
  for (std::int64_t i = 0; i < points; ++i) {
    const double x = static_cast<double>(random() >> 11) * 0x1.0p-53;
    const double y = static_cast<double>(random() >> 11) * 0x1.0p-53;
    inside += x * x + y * y < 1.0 ? 1 : 0;
  }
  task.add_to_counter("points", "inside", inside);
  task.add_to_counter("points", "all", points);
}
HEDDLE_TASK(throw_points)

}  // namespace

int main(int argc, char** argv) {
  heddle::Session session{argc, argv};
  const auto& words = session.arguments();
  const int tasks = words.empty() ? 8 : std::stoi(words[0]);
  const std::string points = words.size() < 2 ? "1000000" : words[1];
  const auto report = session.run(
      heddle::JobBuilder{"pi"}.stage("throw", heddle::tasks(tasks), heddle::function(throw_points, points)));
  if (!report) {
    std::fprintf(stderr, "monte_carlo_pi: %s\n", report.error().text.c_str());
    return 1;
  }
  const auto inside = static_cast<double>(report->counter("points", "inside"));
  const auto all = report->counter("points", "all");
  std::printf("pi is about %.4f after %lld points in %d tasks\n", 4.0 * inside / static_cast<double>(all),
              static_cast<long long>(all), tasks);
  return 0;
}
