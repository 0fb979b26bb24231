// Records of a key and a value, in batches of views into a buffer. A line without a key has an empty key. Views are
// valid until the next call to the stream.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/job_graph.hpp"
#include "model/result.hpp"

namespace heddle::work {

struct Record {
  std::string_view key;
  std::string_view value;
  bool operator==(const Record&) const = default;
};

using RecordBatch = std::vector<Record>;

/// Source of records. `next` replaces the batch and returns false at the end; otherwise the batch is not empty.
class RecordStream {
public:
  virtual ~RecordStream() = default;
  [[nodiscard]] virtual Result<bool> next(RecordBatch& batch) = 0;
};

/// Consumer of records.
using RecordSink = std::function<Result<Done>(std::string_view key, std::string_view value)>;

/// Splits a line into key and value after the first `fields` fields (0: the whole line is the key). `streaming`: drops
/// the separator; a line without separator has an empty value. Otherwise the value keeps the separator, so that key +
/// value is the unchanged line.
[[nodiscard]] Record split_record(std::string_view line, const KeyFormat& format, bool streaming);

/// Appends the record as a line: key, `separator`, value, LF. An empty separator restores a line that split_record
/// split.
inline void append_line(std::string& text, const Record& record, std::string_view separator) {
  text.append(record.key).append(separator).append(record.value).push_back('\n');
}

}  // namespace heddle::work
