// The first bytes select format and splits; the rest is a text file. With all splits, each record is read once and in
// order.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.hpp"
#include "work/files/local_file_system.hpp"
#include "work/records/record_reader.hpp"

namespace {

using namespace heddle;

/// A file in memory with a path.
class MemoryFile {
public:
  explicit MemoryFile(std::string_view content) : descriptor_{::memfd_create("fuzz", MFD_CLOEXEC)} {
    HEDDLE_ASSERT(descriptor_ >= 0, "no memory file");
    HEDDLE_ASSERT(::write(descriptor_, content.data(), content.size()) == static_cast<ssize_t>(content.size()),
                  "no memory");
    path_ = "/proc/self/fd/" + std::to_string(descriptor_);
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

private:
  int descriptor_;
  std::string path_;
};

std::vector<std::string> read_splits(const MemoryFile& file, std::int64_t size, std::int64_t split_bytes,
                                     const TextInput& input, const work::RecordReaderSettings& settings, bool as_text) {
  std::vector<std::string> records;
  for (std::int64_t begin = 0; begin < std::max<std::int64_t>(size, 1); begin += split_bytes) {
    auto reader = work::open_records(work::local_files(), input,
                                     {file.path(), begin, std::min(split_bytes, size - begin), {}}, settings);
    HEDDLE_ASSERT(reader.has_value(), "a file that is there opens");
    work::RecordBatch batch;
    std::string_view text;
    while (true) {
      const auto more = as_text ? (*reader)->next_text(text) : (*reader)->next(batch);
      if (!more || !*more) break;
      if (as_text) records.emplace_back(text);
      else
        for (const auto& record : batch) records.push_back(std::string{record.key} + "\t" + std::string{record.value});
    }
  }
  return records;
}

}  // namespace

HEDDLE_FUZZ_TARGET(text_records) {
  if (input.size() < 4) return;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(input[at]); };
  const auto content = input.substr(4);
  const MemoryFile file{content};
  const auto size = static_cast<std::int64_t>(content.size());
  TextInput text;
  text.ignore_key = (byte(0) & 1) != 0;
  text.format = (byte(0) & 2) != 0 ? InputFormat::key_value : InputFormat::text;
  work::RecordReaderSettings settings;
  settings.buffer_bytes = 1 + byte(1);
  if ((byte(0) & 4) != 0)
    settings.delimiter = "|\n";  // one that overlaps itself is read differently at borders, by Hadoop too
  if ((byte(0) & 8) != 0) settings.hadoop_line_length_max = 1 + byte(3);
  if ((byte(0) & 16) != 0) settings.line_bytes_max = 1 + byte(3);
  if ((byte(0) & 32) != 0) {
    text.format = InputFormat::stream_xml;
    text.xml_begin = "<a>";
    text.xml_end = "</a>";
  }
  const auto split_bytes = 1 + std::int64_t{byte(2)};
  const bool has_limits = (byte(0) & (8 | 16 | 32)) != 0;  // then dropped and refused records depend on the splits
  const auto cut = read_splits(file, size, split_bytes, text, settings, false);
  const auto whole = read_splits(file, size, std::max<std::int64_t>(size, 1), text, settings, false);
  HEDDLE_ASSERT(has_limits || cut == whole, "records depend on the borders of splits");
  read_splits(file, size, split_bytes, text, settings, true);
}
