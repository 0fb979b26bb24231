// What an executor needs to run tasks of one stage: shared once per stage, then per task.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/devices.hpp"
#include "model/ids.hpp"
#include "model/input_split.hpp"
#include "model/job_graph.hpp"

namespace heddle {

/// One attempt of one stage of the Driver's graph.
struct StageKey {
  JobId job;
  StageId stage;
  std::int32_t attempt = 0;
  auto operator<=>(const StageKey&) const = default;
};

/// A shuffle that a stage's tasks read: partition i of it goes to task i.
struct ShuffleInput {
  ShuffleId shuffle;
  std::int32_t maps = 0;
  ShuffleDescription description;
};

/// A shuffle that a stage's tasks write: one file and one index per map task.
struct ShuffleOutput {
  ShuffleId shuffle;
  std::int32_t partitions = 1;
  ShuffleDescription description;
};

/// Everything that the tasks of one stage attempt share. Goes to each executor once.
struct StageWork {
  StageKey key;
  std::string name;
  ApplicationId application;
  std::int32_t application_attempt = 1;
  std::vector<TextInput> inputs;             // how splits are read; a split names its input
  std::vector<ShuffleInput> shuffle_inputs;  // all read, their records merged
  std::vector<TaskBody> bodies;
  std::optional<ShuffleOutput> shuffle_output;
  std::optional<TextOutput> output;
  bool pass_through = false;
  std::string terminal;
  bool keep_standard_output = false;
  std::int32_t tasks = 0;                  // of the whole stage: HEDDLE_TASK_COUNT
  std::vector<std::string> barrier_hosts;  // of a barrier stage: where each task runs, by its index
};

/// What is a task's own: which split it reads. A task of a range without splits needs none.
struct TaskSplit {
  std::int32_t input = 0;  // index into StageWork::inputs
  InputSplit split;
};

/// Attempts of consecutive task indices of one stage attempt, all with the same attempt number.
struct TaskRange {
  StageKey stage;
  std::int32_t first_index = 0;
  std::int32_t count = 0;
  std::int32_t attempt = 0;
  std::vector<TaskSplit> splits;       // empty, or one per index
  std::vector<TaskDevices> devices{};  // the same
};

/// Where a map output can be fetched. Never an executor: files belong to the node that serves them.
struct MapOutputLocation {
  NodeId node;
  Epoch epoch;            // of the node's life
  std::string host;       // name for locality
  std::string address;    // host:port of the shuffle server; empty: same machine only
  std::string directory;  // of the application on that node
  auto operator<=>(const MapOutputLocation&) const = default;
};

enum class TaskState : std::uint8_t { running, finished, failed, killed };

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
  internal
};

/// What became of an attempt, whole: the Driver asks no question back.
struct TaskOutcome {
  TaskState state = TaskState::finished;
  FailureKind failure = FailureKind::none;
  std::int32_t exit_code = 0;  // of a command; 128 + n for a signal
  std::string text;            // a sentence for a person, when it failed
  std::int64_t start_us = 0;   // monotonic, of the executor
  std::int64_t run_us = 0;
  std::int64_t bytes_read = 0;
  std::int64_t records_read = 0;
  std::int64_t bytes_shuffled_in = 0;
  std::int64_t bytes_shuffled_out = 0;
  std::int64_t bytes_written = 0;
  std::int64_t records_written = 0;
  std::int64_t bytes_spilled = 0;
  std::vector<std::int64_t> partition_bytes;  // of a map output, compressed
  ShuffleId failed_shuffle;                   // fetch_failed: which output, and where it should have been
  std::int32_t failed_map = -1;
  MapOutputLocation failed_at;
  std::string standard_error;                                  // last bytes, bounded
  std::vector<std::pair<std::string, std::int64_t>> counters;  // "group\tname"
};

/// What an attempt that runs has read so far, and how long it has run for it.
struct RunningTask {
  StageKey stage;
  std::int32_t index = 0;
  std::int32_t attempt = 0;
  std::int64_t records = 0;
  std::int64_t run_us = 0;
};

}  // namespace heddle
