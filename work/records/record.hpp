// What tasks pass along: records of a key and a value, in batches of views into somebody's buffer.
// A line that is no pair has an empty key. Views live until the stream's next call.
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

/// Where records come from. `next` replaces the batch and answers false at the end; a batch is never empty otherwise.
class RecordStream {
public:
  virtual ~RecordStream() = default;
  [[nodiscard]] virtual Result<bool> next(RecordBatch& batch) = 0;
};

/// Where records go to.
using RecordSink = std::function<Result<Done>(std::string_view key, std::string_view value)>;

/// Cuts a line into key and value at the end of the first `fields` fields (0: the whole line is the key).
/// `streaming`: the separator is dropped and a line without it has an empty value; otherwise the value keeps the
/// separator, so that key + value is the line unchanged.
[[nodiscard]] Record split_record(std::string_view line, const KeyFormat& format, bool streaming);

/// Appends the record as a line: key, `separator`, value, LF. An empty separator gives back what split_record cut.
inline void append_line(std::string& text, const Record& record, std::string_view separator) {
  text.append(record.key).append(separator).append(record.value).push_back('\n');
}

}  // namespace heddle::work
