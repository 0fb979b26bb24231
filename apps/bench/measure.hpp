// Measure functions of heddle-bench: each runs heddle once, and the bare program once. Names, texts and bounds are in
// bench_table.hpp.
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

/// Folders and programs of a run.
struct BenchPlace {
  std::string folder;        // outputs and state; removed after the run
  std::string inputs;        // generated inputs, created once
  std::string program;       // heddle, beside heddle-bench; empty: not built
  std::string bare_program;  // heddle-bare, beside heddle-bench; empty: not built
  double scale = 1;          // of the published sizes
  std::string master;        // of two_process_tasks and task_latency; empty: a local cluster
  std::function<bool()> is_cancelled;

  /// Returns `published` (tasks or bytes) times the scale of this run, at least `least`.
  [[nodiscard]] std::int64_t scaled(double published, std::int64_t least = 1) const;
};

/// Runs one turn of the measure `name`.
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
// -- frameworks of MapReduce (map_reduce_measures.cpp) -------------------------------
Result<BenchReadings> measure_map_reduce_line(const BenchPlace& place);
Result<BenchReadings> measure_map_reduce_cat(const BenchPlace& place);
Result<BenchReadings> measure_map_reduce_word_count(const BenchPlace& place);
Result<BenchReadings> measure_one_line_maps(const BenchPlace& place);
Result<BenchReadings> measure_copies_beside_maps(const BenchPlace& place);

}  // namespace heddle::apps
