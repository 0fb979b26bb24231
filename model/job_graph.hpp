// A job as its user describes it: named stages with inputs, bodies and outputs. Data only; messages hold it unchanged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace heddle {

/// A command that reads records from stdin and writes records to stdout.
struct CommandBody {
  std::vector<std::string> arguments;                            // not empty; started without a shell
  std::vector<std::pair<std::string, std::string>> environment;  // added to the environment of the task
  std::vector<std::string> files;             // absolute paths; linked into the folder of the task attempt
  bool exit_code_fails = true;                // false: any exit code is success (Hadoop Streaming)
  std::int64_t unread_input_fails_below = 0;  // records; if the command closes stdin earlier, the attempt fails
  bool operator==(const CommandBody&) const = default;
};

/// A C++ function registered under this name in the program (HEDDLE_TASK).
struct FunctionBody {
  std::string name;
  std::string argument{};  // value of TaskContext::argument() in every task
  bool operator==(const FunctionBody&) const = default;
};

/// Passes records on unchanged.
struct IdentityBody {
  bool operator==(const IdentityBody&) const = default;
};

using TaskBody = std::variant<IdentityBody, CommandBody, FunctionBody>;

/// How the content of a file is split into records.
enum class InputFormat : std::uint8_t { text, key_value, n_line, stream_xml };
constexpr InputFormat last_of(InputFormat) { return InputFormat::stream_xml; }

/// Files, folders and globs to read; one task per split.
struct TextInput {
  std::vector<std::string> paths;
  InputFormat format = InputFormat::text;
  std::int64_t split_bytes_min = 1;
  std::int64_t split_bytes_max = INT64_MAX;
  std::int32_t wanted_splits = 1;    // of all files together; a hint, as Hadoop's number of maps
  std::int64_t lines_per_split = 1;  // n_line only
  std::string xml_begin;             // stream_xml only
  std::string xml_end;
  std::string key_value_separator = "\t";
  bool ignore_key = true;                  // false: records are key, map_input_separator, value (Hadoop Streaming)
  bool ignore_value = false;               // commands read only the key (Hadoop Streaming); with ignore_key false
  std::string map_input_separator = "\t";  // see ignore_key
  bool recursive = false;                  // reads subfolders too
};

/// Which part of a record is its key.
struct KeyFormat {
  std::string separator = "\t";
  std::int32_t fields = 1;  // the first n fields are the key; 0: the whole record
  bool operator==(const KeyFormat&) const = default;
};

enum class PartitionerKind : std::uint8_t { hash, key_field };
enum class ComparatorKind : std::uint8_t { bytes, key_field };
constexpr PartitionerKind last_of(PartitionerKind) { return PartitionerKind::key_field; }
constexpr ComparatorKind last_of(ComparatorKind) { return ComparatorKind::key_field; }

/// How a stage gets the records of its parents: partitioned by key, then in the given order.
struct ShuffleDescription {
  enum class Order : std::uint8_t { none, sorted };
  KeyFormat key;
  Order order = Order::sorted;
  PartitionerKind partitioner = PartitionerKind::hash;
  std::string partitioner_options;  // KeyFieldBasedPartitioner: "-k1,1 …"
  std::string partitioner_separator = "\t";
  ComparatorKind comparator = ComparatorKind::bytes;
  std::string comparator_options;  // KeyFieldBasedComparator: "-k2,2nr …"
  std::string comparator_separator = "\t";
  std::optional<TaskBody> combiner;
  bool streaming = false;             // as Hadoop Streaming: TAB after each key, even without a value
  std::string read_separator = "\t";  // streaming: between key and value on stdin of the command
  KeyFormat combined_key;             // streaming: key of the lines that the combiner writes
  bool operator==(const ShuffleDescription&) const = default;
};
constexpr ShuffleDescription::Order last_of(ShuffleDescription::Order) { return ShuffleDescription::Order::sorted; }

/// Output folder of a stage with one part file per task; committed once.
struct TextOutput {
  std::string path;
  bool gzip = false;
  std::string part_prefix = "part-";
  bool lazy = false;             // a task without records writes no file
  bool streaming = false;        // as Hadoop Streaming: `separator` after each key, even without a value
  KeyFormat key;                 // streaming only: key of a line
  std::string separator = "\t";  // between key and value
};

/// Settings of one MapReduce job by which its tasks spill, merge and count as Hadoop does. Defaults: those of Hadoop.
struct MapReduceRules {
  // -- maps --
  std::int32_t sort_mib = 100;           // mapreduce.task.io.sort.mb: size of Hadoop's buffer
  float spill_part = 0.8F;               // mapreduce.map.sort.spill.percent: part of the buffer that starts a spill
  std::int32_t combine_spills_min = 3;   // mapreduce.map.combine.minspills: spills from which the last merge combines
  bool has_offset_keys = false;          // keys are LongWritable, 8 bytes
  std::int32_t failed_maps_percent = 0;  // mapreduce.map.failures.maxpercent
  // -- merges of maps and reduces --
  std::int32_t sort_factor = 10;  // mapreduce.task.io.sort.factor: files of one merge
  // -- reduces --
  std::int64_t reduce_memory = 1'024LL << 20;  // mapreduce.reduce.memory.totalbytes, or the memory of a reduce
  float copy_part = 0.7F;                      // mapreduce.reduce.shuffle.input.buffer.percent: of the memory
  float single_part = 0.25F;  // mapreduce.reduce.shuffle.memory.limit.percent: of that, for one map output
  float merge_part = 0.66F;   // mapreduce.reduce.shuffle.merge.percent: of that, starts a merge to disk
  float kept_part = 0;        // mapreduce.reduce.input.buffer.percent: of the memory, kept while the reducer runs
  // -- counters of users --
  std::int32_t counters_max = 120;            // mapreduce.job.counters.max: more fail the job
  std::string reporter_prefix = "reporter:";  // stream.stderr.reporter.prefix
  bool operator==(const MapReduceRules&) const = default;
};

/// False for what no job may set.
[[nodiscard]] inline bool are_sound(const MapReduceRules& rules) {
  const auto is_part = [](float part) { return part >= 0 && part <= 1; };
  return rules.sort_mib >= 1 && rules.sort_mib <= 2047 && rules.spill_part > 0 && is_part(rules.spill_part) &&
         rules.sort_factor >= 2 && rules.reduce_memory >= 1 && is_part(rules.copy_part) && is_part(rules.single_part) &&
         is_part(rules.merge_part) && is_part(rules.kept_part) && rules.counters_max >= 0;
}

/// Why a job fails that has more counters than it may have.
[[nodiscard]] inline std::string excess_of_counters(const MapReduceRules& rules) {
  return "the job has more than " + std::to_string(rules.counters_max) +
         " counters; raise mapreduce.job.counters.max, or use fewer";
}

/// One stage as its user describes it.
struct StageDescription {
  std::string name;
  std::vector<TextInput> inputs;              // empty if the stage has parents or generates its records
  std::vector<std::int32_t> parents;          // indices of earlier stages
  std::optional<ShuffleDescription> shuffle;  // with parents; empty: partition i reads partition i
  std::int32_t partitions = 0;                // tasks; 0: one per split, or as many as the parent
  std::vector<TaskBody> bodies;               // a pipeline: each reads the records of the one before
  std::optional<TextOutput> output;
  std::int32_t cores = 0;           // task slots per task; 0: heddle.task.cores
  std::int64_t memory_mib = 0;      // per task; 0: not set
  std::int32_t executor_cores = 0;  // of executors for this stage only; 0: from the settings
  std::int64_t executor_memory_mib = 0;
  bool barrier = false;               // all tasks run at the same time; if one fails, all run again
  bool pass_through = false;          // one task with stdin, stdout and stderr of the client
  std::string terminal;               // pass_through: address of the client's terminal; empty: that of the executor
  bool keep_standard_output = false;  // keeps stdout of each task attempt in a file; the summary names it
  std::optional<MapReduceRules> map_reduce;  // a stage of a MapReduce job
};

/// A job. Parents come before their children in `stages`.
struct JobGraph {
  std::string name;
  std::string pool;
  std::vector<StageDescription> stages;
  /// Of a MapReduce job: keys of Hadoop, for the settings file beside its history.
  std::vector<std::pair<std::string, std::string>> properties = {};
};

}  // namespace heddle
