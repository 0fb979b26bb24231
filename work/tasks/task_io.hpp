// Input and output of the bodies of a task, as text for commands and as records for functions. Not thread-safe.
#pragma once

#include <string_view>

#include "model/result.hpp"
#include "work/records/record.hpp"

namespace heddle::work {

/// Input of a body. Callers use either next or next_text, not both.
class TaskInput {
public:
  virtual ~TaskInput() = default;
  /// Returns the next records; false at the end. A line without a key has an empty key.
  [[nodiscard]] virtual Result<bool> next(RecordBatch& batch) = 0;
  /// Returns the next complete lines, each with an LF; false at the end. The view is valid until the next call.
  [[nodiscard]] virtual Result<bool> next_text(std::string_view& text) = 0;
  /// Poll descriptor: readable if next_text does not block on another body. -1: it never does.
  [[nodiscard]] virtual int ready_descriptor() const { return -1; }
  /// Separator between key and value in a line. Empty: the value starts with the separator.
  [[nodiscard]] virtual std::string_view line_separator() const { return {}; }
  /// Separator at the start of each value. Empty: values have none.
  [[nodiscard]] virtual std::string_view kept_separator() const { return {}; }
};

/// Output of a body.
class TaskOutput {
public:
  virtual ~TaskOutput() = default;
  /// Appends bytes of lines, split anywhere; finish() adds a missing last LF.
  [[nodiscard]] virtual Result<Done> add_text(std::string_view text) = 0;
  /// Appends one line without its LF.
  [[nodiscard]] virtual Result<Done> add_line(std::string_view line) = 0;
  [[nodiscard]] virtual Result<Done> add_pair(std::string_view key, std::string_view value) = 0;
  /// Appends a record of `from`; does not add a separator if the value starts with one.
  [[nodiscard]] virtual Result<Done> add_record(const Record& record, const TaskInput& from) = 0;
  /// Ends the output.
  [[nodiscard]] virtual Result<Done> finish() = 0;
};

}  // namespace heddle::work
