// The functions of heddle-bench: each runs heddle once, and once the bare program beside it.
// Names, sentences and bounds are in bench_table.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/bench/bench_report.hpp"
#include "model/result.hpp"

namespace heddle::apps {

using BenchReadings = std::vector<BenchReading>;

/// Where a run of measures happens.
struct BenchPlace {
  std::string folder;        // outputs and state; gone with the run
  std::string inputs;        // generated inputs, made once
  std::string program;       // heddle, beside heddle-bench; empty: not built
  std::string bare_program;  // heddle-bare, beside heddle-bench; empty: not built
  double scale = 1;          // of the published sizes
  std::function<bool()> is_cancelled;

  /// A published number of tasks or bytes at this run's scale, never below `least`.
  [[nodiscard]] std::int64_t scaled(double published, std::int64_t least = 1) const;
};

/// One turn of the measure of this name.
[[nodiscard]] Result<BenchReadings> run_measure(std::string_view name, const BenchPlace& place);

// -- tasks that do nothing (task_measures.cpp) -----------------------------------
Result<BenchReadings> measure_no_op_tasks(const BenchPlace& place);
Result<BenchReadings> measure_two_process_tasks(const BenchPlace& place);
Result<BenchReadings> measure_task_latency(const BenchPlace& place);
Result<BenchReadings> measure_task_memory(const BenchPlace& place);
Result<BenchReadings> measure_task_cost(const BenchPlace& place);
// -- processes (process_measures.cpp) --------------------------------------------
Result<BenchReadings> measure_command_tasks(const BenchPlace& place);
Result<BenchReadings> measure_start(const BenchPlace& place);
Result<BenchReadings> measure_cluster_start(const BenchPlace& place);
// -- records (text_measures.cpp) -----------------------------------------------------
Result<BenchReadings> measure_mapper_cat(const BenchPlace& place);
Result<BenchReadings> measure_word_count(const BenchPlace& place);
Result<BenchReadings> measure_command_word_count(const BenchPlace& place);
Result<BenchReadings> measure_shuffle_fetch(const BenchPlace& place);
Result<BenchReadings> measure_sort(const BenchPlace& place);

}  // namespace heddle::apps
