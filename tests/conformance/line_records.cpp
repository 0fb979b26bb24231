// Recorded lines of Hadoop's LineRecordReader, one reader per split.
#include <unistd.h>

#include <fstream>
#include <stdexcept>

#include "tests/conformance/base64.hpp"
#include "tests/conformance/kind.hpp"
#include "work/files/local_file_system.hpp"
#include "work/records/record_reader.hpp"

namespace heddle::conformance {
namespace line_records_kind {
namespace {

namespace json = boost::json;

// A file with the bytes of the case; removed by the destructor.
class CaseFile {
public:
  explicit CaseFile(const std::string& bytes) {
    path_ = "/tmp/heddle-line-records-XXXXXX";
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0) throw std::runtime_error{"no temporary file"};
    ::close(descriptor);
    std::ofstream{path_, std::ios::binary} << bytes;
  }
  ~CaseFile() { ::unlink(path_.c_str()); }
  CaseFile(const CaseFile&) = delete;
  CaseFile& operator=(const CaseFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

private:
  std::string path_;
};

template <class T>
T unwrap(Result<T> result) {
  if (!result) throw std::runtime_error{result.error().text};
  return std::move(result).value();
}

json::array records_of(const InputSplit& split, const work::RecordReaderSettings& settings) {
  auto reader = unwrap(work::open_records(work::local_files(), TextInput{}, split, settings));
  json::array records;
  work::RecordBatch batch;
  while (unwrap(reader->next(batch)))
    for (std::size_t i = 0; i < batch.size(); ++i)
      records.push_back(json::array{reader->offset_of(i), to_base64(batch[i].value)});
  return records;
}

void run(const json::object& test_case, Report& report) {
  const auto& input = test_case.at("input").as_object();
  const CaseFile file{from_base64(input.at("data").as_string())};
  work::RecordReaderSettings settings;
  settings.buffer_bytes = input.at("buffer_size").to_number<std::int64_t>();
  if (const auto& length = input.at("max_line_length"); !length.is_null())
    settings.hadoop_line_length_max = length.to_number<std::int64_t>();
  if (const auto& text = input.at("delimiter"); !text.is_null()) settings.delimiter = from_base64(text.as_string());
  json::array got;
  for (const auto& item : input.at("splits").as_array()) {
    const auto& range = item.as_array();
    got.push_back(records_of(
        {file.path(), range.at(0).to_number<std::int64_t>(), range.at(1).to_number<std::int64_t>(), {}}, settings));
  }
  report.check(-1, "records", test_case.at("expected").as_object().at("records"), got);
}

const Kind kind{"line_records", run};

}  // namespace
}  // namespace line_records_kind
}  // namespace heddle::conformance
