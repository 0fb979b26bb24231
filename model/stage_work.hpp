// Values that an executor needs to run tasks of a stage: shared ones once per stage, then per task.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/devices.hpp"
#include "model/ids.hpp"
#include "model/input_split.hpp"
#include "model/job_graph.hpp"
#include "model/result.hpp"

namespace heddle {

/// Key of a stage attempt.
struct StageKey {
  JobId job;
  StageId stage;
  std::int32_t attempt = 0;
  auto operator<=>(const StageKey&) const = default;
};

/// A shuffle that the tasks of a stage read; task i reads partition i.
struct ShuffleInput {
  ShuffleId shuffle;
  std::int32_t maps = 0;  // number of map tasks
  ShuffleDescription description;
};

/// A shuffle that the tasks of a stage write: one data file and one index file per map task.
struct ShuffleOutput {
  ShuffleId shuffle;
  std::int32_t partitions = 1;
  ShuffleDescription description;
};

/// Everything that the tasks of one stage attempt share. As bytes: the task binary, sent to each executor once.
struct StageProgram {
  StageKey key;
  std::string name;
  ApplicationId application;
  std::int32_t application_attempt = 1;
  std::vector<TextInput> inputs;             // how to read splits; see TaskSplit::input
  std::vector<ShuffleInput> shuffle_inputs;  // all are read, with their records merged
  std::vector<TaskBody> bodies;
  std::optional<ShuffleOutput> shuffle_output;
  std::optional<TextOutput> output;
  bool pass_through = false;
  std::string terminal;
  bool keep_standard_output = false;
  std::int32_t tasks = 0;                  // of the whole stage; HEDDLE_TASK_COUNT of commands
  std::vector<std::string> barrier_hosts;  // barrier stage only: host of each task, by task index
  std::optional<MapReduceRules> map_reduce;
};

/// Most tasks of a stage, and most maps and partitions of a shuffle.
inline constexpr std::int32_t stage_tasks_max = 1 << 24;

/// Why a stage from a message cannot run; empty if it can.
[[nodiscard]] inline std::string_view fault_of(const StageProgram& stage) {
  std::int64_t maps = 0;
  for (const auto& input : stage.shuffle_inputs) {
    if (input.maps < 0 || input.maps > stage_tasks_max) return "the number of maps of a shuffle is out of range";
    maps += input.maps;
  }
  if (maps > std::numeric_limits<std::int32_t>::max()) return "its shuffles have too many maps";
  if (stage.shuffle_output &&
      (stage.shuffle_output->partitions < 1 || stage.shuffle_output->partitions > stage_tasks_max))
    return "the number of partitions of its shuffle is out of range";
  if (stage.map_reduce && !are_sound(*stage.map_reduce)) return "its rules of MapReduce are out of range";
  return stage.tasks < 0 || stage.tasks > stage_tasks_max ? "its number of tasks is out of range" : "";
}

/// Split that one task reads. A range of tasks without splits has none.
struct TaskSplit {
  std::int32_t input = 0;  // index into StageProgram::inputs
  InputSplit split;
};

/// Splits of one stage; empty for a stage that reads no files.
struct StageSplits {
  std::vector<TaskSplit> splits;
};

/// Task attempts of consecutive partitions of one stage attempt, all with the same attempt number.
struct TaskRange {
  StageKey stage;
  std::int32_t first_index = 0;  // partition index
  std::int32_t count = 0;
  std::int32_t attempt = 0;
  std::vector<TaskSplit> splits;       // empty, or one per partition
  std::vector<TaskDevices> devices{};  // empty, or one per partition
};

/// True if [first_index, first_index + count) is a range of partitions of a stage with so many tasks.
[[nodiscard]] constexpr bool are_partitions(std::int32_t first_index, std::int32_t count,
                                            std::int32_t tasks = stage_tasks_max) {
  return first_index >= 0 && count > 0 && first_index < tasks && count <= tasks - first_index;
}

/// Why a range from a message cannot be used; empty if it can.
[[nodiscard]] inline std::string_view fault_of(const TaskRange& range) {
  if (!are_partitions(range.first_index, range.count)) return "its partitions are not those of a stage";
  const auto fits = [&range](const auto& column) {
    return column.empty() || column.size() == static_cast<std::size_t>(range.count);
  };
  return fits(range.splits) && fits(range.devices) ? "" : "the number of splits or devices is not that of its tasks";
}

/// Where a map output can be fetched. A node, not an executor: the node serves the files after the executor is gone.
struct MapOutputLocation {
  NodeId node;
  Epoch epoch;            // registration of the node
  std::string host;       // host name for locality
  std::string address;    // host:port of the shuffle server; empty: readable on the same machine only
  std::string directory;  // of the application on that node
  auto operator<=>(const MapOutputLocation&) const = default;
};

enum class TaskState : std::uint8_t { running, finished, failed, killed };
constexpr TaskState last_of(TaskState) { return TaskState::killed; }

/// Why an attempt failed.
enum class FailureKind : std::uint8_t {
  none,
  exception,
  command_exit,
  command_signal,
  command_not_found,
  fetch_failed,
  input,
  output,
  shuffle_write,
  line_too_long,
  killed,
  internal,
  output_interrupted,  // the servers of the half-written output are gone; another attempt may succeed
  unreachable          // the file system of an input or output did not serve for too long; a later job may succeed
};
constexpr FailureKind last_of(FailureKind) { return FailureKind::unreachable; }

/// Why a reduce could not copy a map output. Rules: SH-3, SH-4.
enum class CopyError : std::uint8_t {
  connect,  // the server cannot be reached
  read,     // the connection broke, or the server was silent
  other
};

/// Kind of a failure of an input or output; `otherwise` if the code of the error does not say.
constexpr FailureKind failure_of(const Error& error, FailureKind otherwise) {
  if (error.code == Errc::interrupted) return FailureKind::output_interrupted;
  return error.code == Errc::unreachable ? FailureKind::unreachable : otherwise;
}

/// Counters of Hadoop that a task attempt of a MapReduce job fills.
enum class TaskCounter : std::uint8_t {
  map_input_records,
  map_output_records,
  map_output_bytes,
  combine_input_records,
  combine_output_records,
  reduce_input_groups,
  reduce_input_records,
  reduce_output_records,
  spilled_records,
  shuffled_maps,
  merged_map_outputs,
  bytes_read,
  bytes_written
};
constexpr TaskCounter last_of(TaskCounter) { return TaskCounter::bytes_written; }

/// "group\tname" of Hadoop 2 and 3, by TaskCounter.
inline constexpr std::array<std::string_view, 13> task_counter_names{
    "org.apache.hadoop.mapreduce.TaskCounter\tMAP_INPUT_RECORDS",
    "org.apache.hadoop.mapreduce.TaskCounter\tMAP_OUTPUT_RECORDS",
    "org.apache.hadoop.mapreduce.TaskCounter\tMAP_OUTPUT_BYTES",
    "org.apache.hadoop.mapreduce.TaskCounter\tCOMBINE_INPUT_RECORDS",
    "org.apache.hadoop.mapreduce.TaskCounter\tCOMBINE_OUTPUT_RECORDS",
    "org.apache.hadoop.mapreduce.TaskCounter\tREDUCE_INPUT_GROUPS",
    "org.apache.hadoop.mapreduce.TaskCounter\tREDUCE_INPUT_RECORDS",
    "org.apache.hadoop.mapreduce.TaskCounter\tREDUCE_OUTPUT_RECORDS",
    "org.apache.hadoop.mapreduce.TaskCounter\tSPILLED_RECORDS",
    "org.apache.hadoop.mapreduce.TaskCounter\tSHUFFLED_MAPS",
    "org.apache.hadoop.mapreduce.TaskCounter\tMERGED_MAP_OUTPUTS",
    "org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter\tBYTES_READ",
    "org.apache.hadoop.mapreduce.lib.output.FileOutputFormatCounter\tBYTES_WRITTEN"};

/// Values by TaskCounter; empty: the attempt is not one of a MapReduce job.
using TaskCounters = std::vector<std::int64_t>;

inline void set_counter(TaskCounters& counters, TaskCounter counter, std::int64_t value) {
  if (counters.empty()) counters.resize(task_counter_names.size());
  counters[static_cast<std::size_t>(counter)] = value;
}

/// Hadoop's own groups do not count towards mapreduce.job.counters.max.
[[nodiscard]] inline bool is_counter_of_hadoop(std::string_view name) {
  for (const auto known : task_counter_names)
    if (known == name) return true;
  return false;
}

/// Outcome of a task attempt, with everything that the Driver needs.
struct TaskOutcome {
  TaskState state = TaskState::finished;
  FailureKind failure = FailureKind::none;
  std::int32_t exit_code = 0;  // of a command; 128 + n if signal n killed it
  std::string text;            // for the user; empty if it did not fail
  std::int64_t start_us = 0;   // monotonic clock of the executor
  std::int64_t run_us = 0;
  std::int64_t bytes_read = 0;
  std::int64_t records_read = 0;
  std::int64_t bytes_shuffled_in = 0;
  std::int64_t bytes_shuffled_out = 0;
  std::int64_t bytes_written = 0;
  std::int64_t records_written = 0;
  std::int64_t bytes_spilled = 0;
  std::vector<std::int64_t> partition_bytes;  // map output only: compressed bytes by partition
  ShuffleId failed_shuffle;                   // fetch_failed only: shuffle, map and location
  std::int32_t failed_map = -1;
  MapOutputLocation failed_at;
  TaskCounters task_counters;                                  // of a task of a MapReduce job
  std::string standard_error;                                  // end of stderr, bounded
  std::vector<std::pair<std::string, std::int64_t>> counters;  // "group\tname"
};

/// Sums over the outcomes of the tasks of a job, for its user.
struct JobTotals {
  std::int64_t tasks = 0;
  std::int64_t failed_attempts = 0;
  std::int64_t bytes_read = 0;
  std::int64_t records_read = 0;
  std::int64_t bytes_shuffled = 0;
  std::int64_t bytes_written = 0;
  std::int64_t bytes_spilled = 0;
  std::vector<std::int64_t> locality;
  std::vector<std::pair<std::string, std::int64_t>> counters;
  std::vector<std::pair<std::string, std::int64_t>> failures;  // sentence, number of times
};

/// Progress of a running task attempt.
struct RunningTask {
  StageKey stage;
  std::int32_t index = 0;  // partition index
  std::int32_t attempt = 0;
  std::int64_t records = 0;
  std::int64_t run_us = 0;
};

}  // namespace heddle
