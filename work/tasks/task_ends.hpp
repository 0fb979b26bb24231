// The two ends of a task's chain of bodies: where records come from and where they go, as text for commands and as
// records for functions. One thread at a time.
#pragma once

#include <string_view>

#include "model/result.hpp"
#include "work/records/record.hpp"

namespace heddle::work {

/// Input of a body. Either next or next_text is used, not both.
class TaskInput {
public:
  virtual ~TaskInput() = default;
  /// The next records; false at the end. A line without a key has an empty key.
  [[nodiscard]] virtual Result<bool> next(RecordBatch& batch) = 0;
  /// The next whole lines, each with its LF; false at the end. The view lives until the next call.
  [[nodiscard]] virtual Result<bool> next_text(std::string_view& text) = 0;
  /// A descriptor: readable while next_text has lines, or the end, without waiting for another body. -1: it never waits
  /// for one.
  [[nodiscard]] virtual int ready_descriptor() const { return -1; }
  /// What stands between key and value in a line. Empty: the value begins with it.
  [[nodiscard]] virtual std::string_view line_separator() const { return {}; }
  /// What a value that keeps its separator begins with. Empty: values are bare.
  [[nodiscard]] virtual std::string_view kept_separator() const { return {}; }
};

/// Output of a body.
class TaskOutput {
public:
  virtual ~TaskOutput() = default;
  /// Bytes of lines, cut anywhere; a last line without LF is ended by finish.
  [[nodiscard]] virtual Result<Done> add_text(std::string_view text) = 0;
  /// One line without its LF.
  [[nodiscard]] virtual Result<Done> add_line(std::string_view line) = 0;
  [[nodiscard]] virtual Result<Done> add_pair(std::string_view key, std::string_view value) = 0;
  /// A record as a stream gave it: a value that keeps its separator is not given another.
  [[nodiscard]] virtual Result<Done> add_record(const Record& record, const TaskInput& from) = 0;
  /// No more comes.
  [[nodiscard]] virtual Result<Done> finish() = 0;
};

}  // namespace heddle::work
