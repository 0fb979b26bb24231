// Writes the part file of one task attempt into its attempt folder. It never renames: the Driver's commit moves the
// files of successful attempts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "model/job_graph.hpp"
#include "model/result.hpp"
#include "ports/file_system.hpp"
#include "work/records/record.hpp"

namespace heddle::work {

/// Names the task attempt.
struct OutputAttempt {
  std::int32_t application_attempt = 1;
  std::string task_attempt;  // ports::task_attempt_name
  std::int32_t index = 0;    // partition index, for the name part-NNNNN
  bool is_to_sync = true;    // start to write to the disk early, because the commit waits for the sync
};

/// `<output>/_temporary/<application attempt>/_temporary/<task attempt>`
[[nodiscard]] std::string attempt_folder(const std::string& output, std::int32_t application_attempt,
                                         const std::string& task_attempt);

/// zlib counts bytes in 32 bits.
inline constexpr std::size_t zlib_piece_max = 1 << 30;

class OutputWriter {
public:
  /// Creates the attempt folder and the part file; with TextOutput::lazy the part file is created at the first byte.
  /// `files` must outlive the writer. `piece_max`: bytes that zlib gets at a time.
  [[nodiscard]] static Result<std::unique_ptr<OutputWriter>> open(ports::FileSystem& files, const TextOutput& output,
                                                                  const OutputAttempt& attempt,
                                                                  std::size_t piece_max = zlib_piece_max);
  virtual ~OutputWriter() = default;

  /// Appends complete lines unchanged.
  [[nodiscard]] virtual Result<Done> add_text(std::string_view text) = 0;
  /// Appends key, separator, value, LF.
  [[nodiscard]] virtual Result<Done> add(const Record& record, std::string_view separator) = 0;
  /// Flushes and closes the file. Returns the error of a full disk at the latest.
  [[nodiscard]] virtual Result<Done> finish() = 0;
  /// True after an error with Errc::interrupted.
  [[nodiscard]] virtual bool is_interrupted() const = 0;
  /// Bytes in the file, and lines of text. Can be called from any thread.
  [[nodiscard]] virtual std::int64_t bytes_written() const = 0;
  [[nodiscard]] virtual std::int64_t records_written() const = 0;
};

}  // namespace heddle::work
