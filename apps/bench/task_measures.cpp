// Measures of tasks: rate, latency, memory, and cost by job size.
#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/bench/attempt_log.hpp"
#include "apps/bench/bench_functions.hpp"
#include "apps/bench/bench_session.hpp"
#include "apps/bench/measure.hpp"
#include "apps/bench/program_run.hpp"

namespace heddle::apps {
namespace {

constexpr double many_tasks = 1'000'000;

double at_share(std::vector<double>& sorted, double share) {
  const auto index = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
  return sorted[std::min(index, sorted.size() - 1)];
}

/// Duration in seconds of the no-op job with its failing tasks and its slow task; checks the attempts in the event log.
Result<double> run_no_op_tasks(const BenchPlace& place, std::string_view master, std::int64_t tasks) {
  auto session = BenchSession::open(place, master);
  if (!session) return session.error();
  // The first job waits for the start of executors and is not measured.
  if (auto warm = session->run(function_graph(no_op_function, 1000)); !warm) return warm;
  auto seconds = session->run(function_graph(mostly_no_op_function, tasks));
  if (!seconds) return seconds;
  const auto failed = session->last().totals.failed_attempts;
  const auto expected = (tasks + failing_stride - 1) / failing_stride;
  const auto log = session->close();
  if (failed != expected)
    return Error{Errc::internal, fmt::format("{} attempts failed instead of {}", failed, expected)};
  if (auto checked = check_attempts(log, tasks, failing_stride); !checked) return checked.error();
  std::error_code ignored;
  std::filesystem::remove(log, ignored);
  return seconds;
}

/// Durations in ms of consecutive jobs of one task, `pause_ms` apart.
Result<std::vector<double>> latencies(BenchSession& session, std::int64_t jobs, int pause_ms) {
  const auto graph = function_graph(no_op_function, 1);
  std::vector<double> all;
  for (std::int64_t job = 0; job < jobs; ++job) {
    if (pause_ms > 0) ::poll(nullptr, 0, pause_ms);
    auto seconds = session.run(graph);
    if (!seconds) return seconds.error();
    all.push_back(*seconds * 1e3);
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// Resets the peak memory of this process, after it has released memory of earlier measures.
bool reset_peak_memory() {
  ::malloc_trim(0);
  std::ofstream file{"/proc/self/clear_refs"};
  file << "5" << std::flush;
  return file.good();
}

double peak_memory_mb() {
  std::ifstream file{"/proc/self/status"};
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) * 1024 / 1e6;
  return 0;
}

}  // namespace

Result<BenchReadings> measure_no_op_tasks(const BenchPlace& place) {
  const auto tasks = place.scaled(many_tasks, 1000);
  [[maybe_unused]] const auto before = fetch_and_reset_tasks_beside_slow_one();
  auto seconds = run_no_op_tasks(place, "local[2,4]", tasks);
  if (!seconds) return seconds.error();
  return BenchReadings{
      {"no_op_tasks", static_cast<double>(tasks) / *seconds, std::nullopt},
      {"no_op_tasks_beside_slow_one", static_cast<double>(fetch_and_reset_tasks_beside_slow_one()), std::nullopt}};
}

Result<BenchReadings> measure_two_process_tasks(const BenchPlace& place) {
  const auto tasks = place.scaled(many_tasks, 1000);
  auto seconds = run_no_op_tasks(place, place.master.empty() ? "local-cluster[2,1,512]" : place.master, tasks);
  if (!seconds) return seconds.error();
  return BenchReadings{{"two_process_tasks", static_cast<double>(tasks) / *seconds, std::nullopt}};
}

Result<BenchReadings> measure_task_latency(const BenchPlace& place) {
  const auto busy_jobs = place.scaled(10'000, 100);
  const auto idle_jobs = place.scaled(1000, 50);
  std::map<std::string, double> bare;
  if (!place.bare_program.empty()) {
    auto ran = run_bare(place.bare_program, {"latency", std::to_string(busy_jobs), std::to_string(idle_jobs)});
    if (!ran) return ran.error();
    bare = std::move(*ran);
  }
  auto session = BenchSession::open(place, place.master.empty() ? "local-cluster[1,1,512]" : place.master);
  if (!session) return session.error();
  if (auto warm = latencies(*session, 200, 0); !warm) return warm.error();
  auto busy = latencies(*session, busy_jobs, 0);
  if (!busy) return busy.error();
  auto idle = latencies(*session, idle_jobs, 5);
  if (!idle) return idle.error();
  const auto peer = [&bare](const char* name) {
    const auto found = bare.find(name);
    return found == bare.end() ? std::nullopt : std::optional{found->second};
  };
  return BenchReadings{{"task_latency_p50", at_share(*busy, 0.5), peer("latency_p50")},
                       {"task_latency_p99", at_share(*busy, 0.99), peer("latency_p99")},
                       {"task_latency_idle_p50", at_share(*idle, 0.5), peer("latency_idle_p50")},
                       {"task_latency_idle_p99", at_share(*idle, 0.99), peer("latency_idle_p99")}};
}

Result<BenchReadings> measure_task_memory(const BenchPlace& place) {
  if (!reset_peak_memory())
    return Error{Errc::io, "/proc/self/clear_refs cannot be written, so the peak of memory is not known"};
  auto session = BenchSession::open(place, "local[2]");
  if (!session) return session.error();
  auto seconds = session->run(function_graph(no_op_function, place.scaled(10'000'000, 1000)));
  if (!seconds) return seconds.error();
  std::error_code ignored;
  std::filesystem::remove(session->close(), ignored);
  return BenchReadings{{"task_memory", peak_memory_mb(), std::nullopt}};
}

Result<BenchReadings> measure_task_cost(const BenchPlace& place) {
  auto session = BenchSession::open(place, "local[2]");
  if (!session) return session.error();
  constexpr std::int64_t few_tasks = 1000;
  std::vector<double> small;
  for (int job = 0; job < 101; ++job) {
    auto seconds = session->run(function_graph(no_op_function, few_tasks));
    if (!seconds) return seconds.error();
    small.push_back(*seconds);
  }
  std::sort(small.begin(), small.end());
  const auto tasks = place.scaled(many_tasks, few_tasks);
  auto seconds = session->run(function_graph(no_op_function, tasks));
  if (!seconds) return seconds.error();
  std::error_code ignored;
  std::filesystem::remove(session->close(), ignored);
  const auto few_us = at_share(small, 0.5) * 1e6 / static_cast<double>(few_tasks);
  const auto many_us = *seconds * 1e6 / static_cast<double>(tasks);
  return BenchReadings{{"task_cost_1k", few_us, std::nullopt}, {"task_cost", many_us, few_us}};
}

}  // namespace heddle::apps
