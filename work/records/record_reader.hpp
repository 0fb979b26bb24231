// Reads the records of one input split: lines as Hadoop's LineRecordReader, key-value lines, N-line splits, XML
// records. A line belongs to the split in which it begins; the line that begins exactly at a split's end belongs to it
// too. gzip (by the name .gz) is read whole and unpacked on the way.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "model/input_split.hpp"
#include "model/job_graph.hpp"
#include "model/result.hpp"
#include "work/records/record.hpp"

namespace heddle::work {

struct RecordReaderSettings {
  std::int64_t line_bytes_max =
      256 << 20;  // heddle.input.line_bytes_max: a longer line is an error with file and offset
  std::int64_t hadoop_line_length_max =
      std::numeric_limits<std::int32_t>::max();  // such lines are dropped, as Hadoop does
  std::string delimiter;                         // ends a line instead of LF, CR, CR LF
  std::int64_t buffer_bytes = 1 << 20;           // changes speed, never the result
};

/// Records of one split.
///   text, n_line: key empty (see offset_of), value the line;  key_value: the two halves of the line;
///   stream_xml: key the record, value empty.
class RecordReader : public RecordStream {
public:
  /// The next records as a command reads them on stdin, each ended by LF, in one piece; false at the end.
  /// With TextInput::ignore_key only the value, otherwise key (of a line: its offset), `map_input_separator`, value.
  [[nodiscard]] virtual Result<bool> next_text(std::string_view& text) = 0;
  /// Byte offset in the file of record `index` of the last batch.
  [[nodiscard]] virtual std::int64_t offset_of(std::size_t index) const = 0;
  [[nodiscard]] virtual std::int64_t bytes_read() const = 0;
  [[nodiscard]] virtual std::int64_t records_read() const = 0;
};

/// Opens a split. Errors name the file: not_found, io; while reading also usage (line too long) and corrupt (gzip).
[[nodiscard]] Result<std::unique_ptr<RecordReader>> open_records(const TextInput& input, const InputSplit& split,
                                                                 const RecordReaderSettings& settings);

}  // namespace heddle::work
