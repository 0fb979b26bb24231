// TaskInput and TaskOutput for splits, shuffles, commands and files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "model/result.hpp"
#include "work/output/output_writer.hpp"
#include "work/records/record.hpp"
#include "work/records/record_reader.hpp"
#include "work/shuffle/shuffle_writer.hpp"
#include "work/tasks/task_io.hpp"

namespace heddle::work {

/// Input without records.
class EmptyInput final : public TaskInput {
public:
  [[nodiscard]] Result<bool> next(RecordBatch&) override { return false; }
  [[nodiscard]] Result<bool> next_text(std::string_view&) override { return false; }
};

/// Drops all output, for stages whose tasks are run for their side effects.
class NoOutput final : public TaskOutput {
public:
  [[nodiscard]] Result<Done> add_text(std::string_view) override { return Done{}; }
  [[nodiscard]] Result<Done> add_line(std::string_view) override { return Done{}; }
  [[nodiscard]] Result<Done> add_pair(std::string_view, std::string_view) override { return Done{}; }
  [[nodiscard]] Result<Done> add_record(const Record&, const TaskInput&) override { return Done{}; }
  [[nodiscard]] Result<Done> finish() override { return Done{}; }
};

/// Creates the input of a split.
[[nodiscard]] std::unique_ptr<TaskInput> make_split_input(RecordReader& reader, const TextInput& input);
/// Creates the input of a shuffle.
[[nodiscard]] std::unique_ptr<TaskInput> make_shuffle_input(RecordStream& records,
                                                            const ShuffleDescription& description);
/// Stream of bytes, such as the stdout of a command.
class ByteStream {
public:
  virtual ~ByteStream() = default;
  /// Returns the next bytes; empty at the end.
  [[nodiscard]] virtual Result<std::string_view> next_bytes() = 0;
  /// As TaskInput::ready_descriptor.
  [[nodiscard]] virtual int ready_descriptor() const { return -1; }
};
[[nodiscard]] std::unique_ptr<TaskInput> make_line_input(ByteStream& bytes, std::int64_t line_bytes_max);

/// Creates an output that writes lines to a part file.
[[nodiscard]] std::unique_ptr<TaskOutput> make_text_output(OutputWriter& writer, const TextOutput& output,
                                                           std::int64_t line_bytes_max);
/// Creates an output that splits lines into keys and values for a shuffle.
[[nodiscard]] std::unique_ptr<TaskOutput> make_shuffle_output(RecordSink sink, const ShuffleDescription& description,
                                                              std::int64_t line_bytes_max);

}  // namespace heddle::work
