// Writes one task attempt's part file into its attempt folder. Never renames: the Driver's commit moves the winners.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "model/job_graph.hpp"
#include "model/result.hpp"
#include "work/records/record.hpp"

namespace heddle::work {

/// Which attempt writes.
struct OutputAttempt {
  std::int32_t application_attempt = 1;
  std::string task_attempt;  // ports::task_attempt_name
  std::int32_t index = 0;    // of the task: part-NNNNN
  bool is_to_sync = true;    // a commit will wait until the file is on the disk: it starts on its way there
};

/// `<output>/_temporary/<application attempt>/_temporary/<task attempt>`
[[nodiscard]] std::string attempt_folder(const std::string& output, std::int32_t application_attempt,
                                         const std::string& task_attempt);

class OutputWriter {
public:
  /// Starts the attempt's folder anew and makes the part file (with TextOutput::lazy at the first byte).
  [[nodiscard]] static Result<std::unique_ptr<OutputWriter>> open(const TextOutput& output,
                                                                  const OutputAttempt& attempt);
  virtual ~OutputWriter() = default;

  /// Appends whole lines as they stand.
  [[nodiscard]] virtual Result<Done> add_text(std::string_view text) = 0;
  /// Appends key, separator, value, LF.
  [[nodiscard]] virtual Result<Done> add(const Record& record, std::string_view separator) = 0;
  /// Writes everything out and closes; a full disk shows here at the latest.
  [[nodiscard]] virtual Result<Done> finish() = 0;
  [[nodiscard]] virtual std::int64_t bytes_written() const = 0;    // of the file, after finish
  [[nodiscard]] virtual std::int64_t records_written() const = 0;  // lines
};

}  // namespace heddle::work
