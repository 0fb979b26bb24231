// A job as its user describes it: named stages, what each reads, runs and writes. Data only; it travels as it stands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace heddle {

/// A command that is given records on stdin and writes records on stdout.
struct CommandBody {
  std::vector<std::string> arguments;                            // never empty; no shell unless it is the command
  std::vector<std::pair<std::string, std::string>> environment;  // added to the task's own
  std::vector<std::string> files;                                // absolute paths, linked into the attempt's folder
  bool exit_code_fails = true;  // false: whatever it exits with, its output counts (Hadoop Streaming)
  std::int64_t unread_input_fails_below =
      0;  // closing stdin early fails the attempt unless so many records were written to it
  bool operator==(const CommandBody&) const = default;
};

/// A C++ function registered under this name in the program (HEDDLE_TASK).
struct FunctionBody {
  std::string name;
  std::string argument{};  // what TaskContext::argument() gives to every task
  bool operator==(const FunctionBody&) const = default;
};

/// Records pass unchanged.
struct IdentityBody {
  bool operator==(const IdentityBody&) const = default;
};

using TaskBody = std::variant<IdentityBody, CommandBody, FunctionBody>;

/// How a file is cut into records.
enum class InputFormat : std::uint8_t { text, key_value, n_line, stream_xml };

/// Files, folders and globs to read; one task per split.
struct TextInput {
  std::vector<std::string> paths;
  InputFormat format = InputFormat::text;
  std::int64_t split_bytes_min = 1;
  std::int64_t split_bytes_max = INT64_MAX;
  std::int64_t lines_per_split = 1;  // n_line only
  std::string xml_begin;             // stream_xml only
  std::string xml_end;
  std::string key_value_separator = "\t";
  bool ignore_key = true;  // false: the key (of a line: its offset) goes ahead of the value (Hadoop Streaming)
  std::string map_input_separator = "\t";  // between them
  bool recursive = false;                  // also folders inside folders
};

/// Which part of a record is its key.
struct KeyFormat {
  std::string separator = "\t";
  std::int32_t fields = 1;  // the first n fields are the key; 0: the whole record
  bool operator==(const KeyFormat&) const = default;
};

enum class PartitionerKind : std::uint8_t { hash, key_field };
enum class ComparatorKind : std::uint8_t { bytes, key_field };

/// How records travel from parents to the tasks of a stage: partitioned by key, then in the order asked for.
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
  bool streaming = false;             // Hadoop Streaming's habits: TAB between key and value, also where no value is
  std::string read_separator = "\t";  // streaming: between key and value for a command that reads the shuffle
  KeyFormat combined_key;             // streaming: how a combiner's lines are cut
  bool operator==(const ShuffleDescription&) const = default;
};

/// Where a stage's records end: a folder of part files, committed once.
struct TextOutput {
  std::string path;
  bool gzip = false;
  std::string part_prefix = "part-";
  bool lazy = false;             // a task that writes nothing leaves no file
  bool streaming = false;        // Hadoop Streaming's habit: key, `separator`, value, also where no value is
  KeyFormat key;                 // streaming only: how lines are cut
  std::string separator = "\t";  // between key and value
};

/// One stage as its user wrote it.
struct StageDescription {
  std::string name;
  std::vector<TextInput> inputs;              // none with parents, or a stage that makes its own records
  std::vector<std::int32_t> parents;          // indices of earlier stages
  std::optional<ShuffleDescription> shuffle;  // with parents: absent means narrow, partition i reads partition i
  std::int32_t partitions = 0;                // tasks; 0: one per split, or as the parent
  std::vector<TaskBody> bodies;               // piped one into the next
  std::optional<TextOutput> output;
  std::int32_t cores = 0;           // slots that a task takes; 0: as heddle.task.cores says
  std::int64_t memory_mib = 0;      // of a task; 0: not asked for
  std::int32_t executor_cores = 0;  // of the executors that run its tasks and no others; 0: as the settings say
  std::int64_t executor_memory_mib = 0;
  bool barrier = false;       // all tasks run at the same time; if one fails, all run again
  bool pass_through = false;  // one task whose stdin, stdout and stderr are the client's
  std::string terminal;       // pass_through: where another process finds them; empty: they are the executor's own
  bool keep_standard_output = false;  // each attempt's stdout is a file of its own, named in the summary
};

/// A job: stages in an order where parents come first.
struct JobGraph {
  std::string name;
  std::string pool;
  std::vector<StageDescription> stages;
};

}  // namespace heddle
