// Reads the records of one input split: lines (Hadoop's LineRecordReader), key-value lines, N-line splits, XML records.
// A line belongs to the split in which it begins; a line that begins exactly at the end of a split belongs to that
// split. Compressed files (.gz, .bz2) are read as one split.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "model/input_split.hpp"
#include "model/job_graph.hpp"
#include "model/result.hpp"
#include "ports/file_system.hpp"
#include "work/records/record.hpp"

namespace heddle::work {

struct RecordReaderSettings {
  std::int64_t line_bytes_max = 256 << 20;  // heddle.input.line_bytes_max: a longer line fails the task
  std::int64_t hadoop_line_length_max =
      std::numeric_limits<std::int32_t>::max();  // longer lines are dropped, as in Hadoop
  std::string delimiter;                         // line delimiter instead of LF, CR and CR LF
  std::int64_t buffer_bytes = 1 << 20;           // affects only the speed
};

/// Records of one split.
///   text, n_line: key empty (see offset_of), value the line
///   key_value:    key and value of the line
///   stream_xml:   key the record, value empty
class RecordReader : public RecordStream {
public:
  /// Returns the next records as text for the stdin of a command, each with an LF; false at the end. With
  /// TextInput::ignore_key only the value, with ignore_value only the key, otherwise key (for a line: its offset),
  /// `map_input_separator`, value.
  [[nodiscard]] virtual Result<bool> next_text(std::string_view& text) = 0;
  /// Offset in the file of record `index` of the last batch, in bytes.
  [[nodiscard]] virtual std::int64_t offset_of(std::size_t index) const = 0;
  [[nodiscard]] virtual std::int64_t bytes_read() const = 0;
  /// Bytes that Hadoop's reader would have read for the records so far: BYTES_READ. Its buffer is smaller.
  [[nodiscard]] virtual std::int64_t hadoop_bytes_read() const { return bytes_read(); }
  [[nodiscard]] virtual std::int64_t records_read() const = 0;
};

/// Opens a split. Errors contain the path: not_found, io. Reads can also fail with usage (line too long) and corrupt
/// (compressed file).
[[nodiscard]] Result<std::unique_ptr<RecordReader>> open_records(const ports::FileSystem& files, const TextInput& input,
                                                                 const InputSplit& split,
                                                                 const RecordReaderSettings& settings);

}  // namespace heddle::work
