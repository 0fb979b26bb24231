// Goal: each record of a file is read exactly once, for all splits, buffer sizes and line ends.
// Method: random bytes in random splits against a simple reader of the whole file; then each format and each kind of
// bad input.
#include "work/records/record_reader.hpp"

#include <zlib.h>

#include <boost/test/unit_test.hpp>
#include <random>
#include <stdexcept>

#include "tests/support/scratch_folder.hpp"
#include "work/files/local_file_system.hpp"

namespace heddle::work {
namespace record_reader_test {
namespace {

template <class T>
T checked(Result<T> result) {
  if (!result) throw std::runtime_error{result.error().text};
  return std::move(result).value();
}

using Line = std::pair<std::int64_t, std::string>;

std::vector<Line> read_lines(const InputSplit& split, const RecordReaderSettings& settings) {
  auto reader = checked(open_records(local_files(), {}, split, settings));
  std::vector<Line> lines;
  RecordBatch batch;
  while (checked(reader->next(batch)))
    for (std::size_t i = 0; i < batch.size(); ++i) lines.emplace_back(reader->offset_of(i), batch[i].value);
  return lines;
}

std::string read_text(const TextInput& input, const InputSplit& split, const RecordReaderSettings& settings = {}) {
  auto reader = checked(open_records(local_files(), input, split, settings));
  std::string all;
  std::string_view text;
  while (checked(reader->next_text(text))) all.append(text);
  return all;
}

// Simple reader: lines that end with LF, CR or CR LF.
std::vector<Line> lines_of(const std::string& bytes) {
  std::vector<Line> lines;
  std::size_t begin = 0;
  while (begin < bytes.size()) {
    const auto end = std::min(bytes.find_first_of("\r\n", begin), bytes.size());
    lines.emplace_back(static_cast<std::int64_t>(begin), bytes.substr(begin, end - begin));
    begin = end + (bytes.compare(end, 2, "\r\n") == 0 ? 2 : 1);
  }
  return lines;
}

std::string random_bytes(std::mt19937_64& random, const std::string& alphabet) {
  std::string bytes(random() % 60, ' ');
  for (auto& c : bytes) c = alphabet[random() % alphabet.size()];
  return bytes;
}

std::vector<std::int64_t> random_cuts(std::mt19937_64& random, std::int64_t size) {
  std::vector<std::int64_t> cuts{0, size};
  for (int i = 0; i < 4; ++i)
    cuts.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size + 1)));
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

void write_gzip(const std::string& path, const std::string& content, const char* mode) {
  gzFile file = gzopen(path.c_str(), mode);
  gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  gzclose(file);
}

// Expected numbers of the maps of a word count on Hadoop 3.4 with four splits: 1,212,288 bytes of a file of 1,200,000.
BOOST_AUTO_TEST_CASE(bytes_count_as_in_hadoop_which_reads_four_kibibytes_at_a_time_beyond_its_split) {
  struct Row {
    std::int64_t offset, length, line_bytes, expected;
  };
  constexpr std::int64_t file_bytes = 1'200'000;
  for (const auto& row : {
           Row{0, 300'000, 50, 304'096},          // the line that begins at its end
           Row{300'000, 300'000, 50, 304'096},    // it skips the first line
           Row{900'000, 300'000, 50, 300'000},    // the end of the file
           Row{0, file_bytes, 50, file_bytes},    // whole
           Row{0, 300'000, 6'000, 308'192},       // two buffers for a long line
           Row{0, 1'199'000, 2'000, file_bytes},  // the file ends before the buffer is full
       }) {
    const ScratchFolder folder;
    std::string bytes;
    while (std::ssize(bytes) < file_bytes)
      bytes += std::string(static_cast<std::size_t>(row.line_bytes) - 1, 'x') + '\n';
    const InputSplit split{folder.write("in", bytes), row.offset, row.length, {}};
    auto reader = checked(open_records(local_files(), {}, split, {}));
    BOOST_TEST(reader->hadoop_bytes_read() == 0);
    RecordBatch batch;
    std::int64_t before = 0;
    while (checked(reader->next(batch))) {
      BOOST_TEST(reader->hadoop_bytes_read() >= before);
      before = reader->hadoop_bytes_read();
    }
    BOOST_TEST(before == row.expected, "offset " << row.offset << ", length " << row.length << ": " << before);
    BOOST_TEST(before <= reader->bytes_read());
  }
}

BOOST_AUTO_TEST_CASE(random_splits_and_buffers_return_each_line_once) {
  const ScratchFolder folder;
  std::mt19937_64 random{42};
  for (int turn = 0; turn < 2000; ++turn) {
    const auto bytes = random_bytes(random, turn % 2 == 0 ? "ab\n" : "ab\r\n");
    const auto path = folder.write("in", bytes);
    const auto cuts = random_cuts(random, static_cast<std::int64_t>(bytes.size()));
    std::vector<Line> got;
    std::string text;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      RecordReaderSettings settings;
      settings.buffer_bytes = static_cast<std::int64_t>(1 + random() % 9);
      const InputSplit split{path, cuts[i], cuts[i + 1] - cuts[i], {}};
      const auto some = read_lines(split, settings);
      got.insert(got.end(), some.begin(), some.end());
      text += read_text({}, split, settings);
    }
    const auto expected = lines_of(bytes);
    BOOST_REQUIRE_MESSAGE(got == expected, "turn " << turn);
    std::string expected_text;
    for (const auto& line : expected) expected_text += line.second + '\n';
    BOOST_REQUIRE_EQUAL(text, expected_text);
  }
}

BOOST_AUTO_TEST_CASE(a_byte_order_mark_does_not_belong_to_the_first_line) {
  const ScratchFolder folder;
  const auto path = folder.write("in",
                                 "\xef\xbb\xbf"
                                 "a\nb");
  BOOST_TEST((read_lines({path, 0, 6, {}}, {}) == std::vector<Line>{{0, "a"}, {5, "b"}}));
  BOOST_TEST(read_text({}, {path, 0, 6, {}}) == "a\nb\n");
}

BOOST_AUTO_TEST_CASE(pairs_are_split_at_the_first_separator) {
  const ScratchFolder folder;
  const auto path = folder.write("in", "k\tv\tw\nalone\n");
  TextInput input;
  input.format = InputFormat::key_value;
  auto reader = checked(open_records(local_files(), input, {path, 0, 12, {}}, {}));
  RecordBatch batch;
  BOOST_REQUIRE(checked(reader->next(batch)));
  BOOST_TEST((batch == RecordBatch{{"k", "v\tw"}, {"alone", ""}}));
  input.ignore_key = false;
  input.map_input_separator = "|";
  BOOST_TEST(read_text(input, {path, 0, 12, {}}) == "k|v\tw\nalone|\n");
}

BOOST_AUTO_TEST_CASE(the_key_of_a_line_is_its_offset) {  // C-E4-03
  const ScratchFolder folder;
  const auto path = folder.write("in", "roses\nviolets\n");
  TextInput input;
  input.ignore_key = false;
  BOOST_TEST(read_text(input, {path, 0, 14, {}}) == "0\troses\n6\tviolets\n");
  input.ignore_value = true;
  BOOST_TEST(read_text(input, {path, 0, 14, {}}) == "0\n6\n");
  input.ignore_value = false;
  const std::string five =
      "roses are \tred\t\n\tviolets are blue\nbunnies are pink\nthis is for testing a big\tinput line\nsmall input\n";
  const auto lines = folder.write("five", five);
  BOOST_TEST(
      read_text(input, {lines, 0, static_cast<std::int64_t>(five.size()), {}}) ==
      "0\troses are \tred\t\n16\t\tviolets are blue\n34\tbunnies are pink\n51\tthis is for testing a big\tinput line\n"
      "88\tsmall input\n");
}

BOOST_AUTO_TEST_CASE(an_xml_record_belongs_to_the_split_in_which_it_begins) {
  const ScratchFolder folder;
  const std::string bytes = "x<a>1</a>yy<a>2\n2</a><a>3";
  const auto path = folder.write("in", bytes);
  TextInput input;
  input.format = InputFormat::stream_xml;
  input.xml_begin = "<a>";
  input.xml_end = "</a>";
  for (std::int64_t cut = 0; cut <= static_cast<std::int64_t>(bytes.size()); ++cut) {
    std::vector<std::string> got;
    for (const auto& split :
         {InputSplit{path, 0, cut, {}}, InputSplit{path, cut, static_cast<std::int64_t>(bytes.size()) - cut, {}}}) {
      auto reader = checked(open_records(local_files(), input, split, {}));
      RecordBatch batch;
      while (checked(reader->next(batch))) got.emplace_back(batch[0].key);
    }
    BOOST_TEST((got == std::vector<std::string>{"<a>1</a>", "<a>2\n2</a>"}), "cut at " << cut);
  }
}

BOOST_AUTO_TEST_CASE(all_members_of_a_gzip_file_are_read) {
  const ScratchFolder folder;
  const auto path = folder.file("in.gz");
  write_gzip(path, "one\ntwo\n", "wb");
  write_gzip(path, "three", "ab");
  BOOST_TEST(read_text({}, {path, 0, 20, {}}) == "one\ntwo\nthree\n");
}

BOOST_AUTO_TEST_CASE(the_gzip_extension_is_case_insensitive) {
  const ScratchFolder folder;
  const auto path = folder.file("IN.GZ");
  write_gzip(path, "one\n", "wb");
  BOOST_TEST(read_text({}, {path, 0, 20, {}}) == "one\n");
}

BOOST_AUTO_TEST_CASE(a_truncated_gzip_file_is_corrupt_and_named) {
  const ScratchFolder folder;
  const auto path = folder.file("in.gz");
  write_gzip(path, "one\ntwo\n", "wb");
  const auto whole = folder.read("in.gz");
  for (const auto& broken : {whole.substr(0, whole.size() - 3), std::string{"this is no gzip at all"}}) {
    folder.write("in.gz", broken);
    auto reader = checked(open_records(local_files(), {}, {path, 0, 20, {}}, {}));
    RecordBatch batch;
    auto more = reader->next(batch);
    while (more && *more) more = reader->next(batch);
    BOOST_REQUIRE(!more);
    BOOST_TEST((more.error().code == Errc::corrupt));
    BOOST_TEST(more.error().text.find(path) != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(all_streams_of_a_bzip2_file_are_read_and_a_truncated_or_changed_one_is_corrupt) {
  constexpr char packed[] =
      "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\xa7\x14\x2b\x77\x00\x00\x02\xc1\x80\x00\x10\x02\x01\x84\x80"
      "\x20\x00\x21\x80\x0c\x02\x38\xf5\x1b\x8b\xb9\x22\x9c\x28\x48\x53\x8a\x15\xbb\x80\x42\x5a\x68\x39\x31"
      "\x41\x59\x26\x53\x59\x59\x8e\xb6\x3f\x00\x00\x03\x51\x80\x80\x10\x00\x20\x22\x40\x14\x00\x00\x08\x20"
      "\x00\x21\xa6\x41\xea\x10\xc0\x87\x12\x32\x53\xe0\x37\xc5\xdc\x91\x4e\x14\x24\x16\x63\xad\x8f\xc0";
  const std::string whole{packed, sizeof packed - 1};
  const ScratchFolder folder;
  const auto path = folder.write("in.bz2", whole);
  BOOST_TEST(read_text({}, {path, 0, 20, {}}) == "one\ntwo\n" + std::string(300, 'a') + "\nthree\n");
  auto changed = whole;
  changed[30] = static_cast<char>(changed[30] ^ 1);
  for (const auto& broken : {whole.substr(0, whole.size() - 9), changed, std::string{"this is no bzip2"}}) {
    folder.write("in.bz2", broken);
    auto reader = checked(open_records(local_files(), {}, {path, 0, 20, {}}, {}));
    RecordBatch batch;
    auto more = reader->next(batch);
    while (more && *more) more = reader->next(batch);
    BOOST_REQUIRE(!more);
    BOOST_TEST((more.error().code == Errc::corrupt));
  }
}

BOOST_AUTO_TEST_CASE(a_line_over_the_limit_is_an_error_with_file_and_offset) {
  const ScratchFolder folder;
  const auto path = folder.write("in", "short\n" + std::string(5000, 'x') + "\nshort\n");
  for (const std::int64_t buffer : {16, 1 << 20}) {
    RecordReaderSettings settings;
    settings.buffer_bytes = buffer;
    settings.line_bytes_max = 1000;
    auto reader = checked(open_records(local_files(), {}, {path, 0, 5012, {}}, settings));
    std::string_view text;
    auto more = reader->next_text(text);
    while (more && *more) more = reader->next_text(text);
    BOOST_REQUIRE(!more);
    BOOST_TEST((more.error().code == Errc::usage));
    BOOST_TEST(more.error().text.find(path + "' has a line of more than 1000 bytes at byte 6") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(lines_over_hadoops_maximum_are_dropped) {
  const ScratchFolder folder;
  const auto path = folder.write("in", "a\n" + std::string(50, 'x') + "\nb\n");
  RecordReaderSettings settings;
  settings.hadoop_line_length_max = 10;
  BOOST_TEST(read_text({}, {path, 0, 55, {}}, settings) == "a\nb\n");
}

BOOST_AUTO_TEST_CASE(missing_and_unreadable_files_are_errors) {
  const ScratchFolder folder;
  BOOST_TEST((open_records(local_files(), {}, {folder.file("none"), 0, 1, {}}, {}).error().code == Errc::not_found));
  BOOST_TEST((open_records(local_files(), {}, {folder.path(), 0, 1, {}}, {}).error().code == Errc::io));
}

BOOST_AUTO_TEST_CASE(records_are_split_into_key_and_value_by_the_key_format) {  // ST-5
  const KeyFormat two{"\t", 2};
  BOOST_TEST((split_record("a\tb\tc", {}, true) == Record{"a", "b\tc"}));
  BOOST_TEST((split_record("a\tb\tc", {}, false) == Record{"a", "\tb\tc"}));
  BOOST_TEST((split_record("a\tb\tc", two, true) == Record{"a\tb", "c"}));
  BOOST_TEST((split_record("a\tb", two, true) == Record{"a\tb", ""}));
  BOOST_TEST((split_record("abc", {}, false) == Record{"abc", ""}));
  BOOST_TEST((split_record("a\tb", KeyFormat{"\t", 0}, true) == Record{"a\tb", ""}));
}

}  // namespace
}  // namespace record_reader_test
}  // namespace heddle::work
