// Goal: collected logs are read as their containers wrote them. Method: a file of Hadoop's own writer, with blocks of
// 200 bytes and values in parts of 50 bytes; the same file damaged at each place.
#include "interop/logs/aggregated_log.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>

#include "tests/support/decoder_memory.hpp"
#include "tests/support/kept_logs.hpp"
#include "tests/support/scratch_folder.hpp"
#include "work/files/local_file_system.hpp"

namespace heddle::interop {
namespace aggregated_log_test {
namespace {

const work::LocalFileSystem files;

std::string file_of(const std::string& name) { return std::string{HEDDLE_LOG_FILES} + "/" + name; }

Result<Done> visit(const std::string& path, LogVisitor& visitor) {
  const auto status = files.status(path);
  if (!status) return status.error();
  return visit_aggregated_log(files, *status, visitor);
}

std::string forty_lines() {
  std::string lines;
  for (int number = 0; number < 40; ++number) lines += "line " + std::to_string(number) + "\n";
  return lines;
}

BOOST_AUTO_TEST_CASE(logs_of_all_containers_of_a_node_are_visited) {
  tests::KeptLogs kept;
  const auto visited = visit(file_of("node7_8041"), kept);
  BOOST_REQUIRE_MESSAGE(visited.has_value(), (visited ? "" : visited.error().text));
  BOOST_TEST(kept.text() == "2 stderr: \n2 stdout: task 0 on h1\n\n2 task-0.0-1.0.stderr: " + forty_lines() +
                                "\n1 stderr: the master\n\n");
  BOOST_TEST(kept.files[1].file.container == "container_1700000000000_0007_01_000002");
  BOOST_TEST(kept.files[1].file.bytes == 13);
  BOOST_TEST(kept.files[1].file.host == "node7");
  BOOST_TEST(kept.files[1].file.place == file_of("node7_8041"));
}

BOOST_AUTO_TEST_CASE(an_unwanted_file_is_skipped) {
  tests::KeptLogs kept;
  kept.unwanted = "task-0.0-1.0.stderr";
  BOOST_REQUIRE(visit(file_of("node7_8041"), kept).has_value());
  BOOST_TEST(kept.text() == "2 stderr: \n2 stdout: task 0 on h1\n\n2 task-0.0-1.0.stderr: \n1 stderr: the master\n\n");
}

BOOST_AUTO_TEST_CASE(a_compressed_file_is_refused_by_name) {
  tests::KeptLogs kept;
  const auto refused = visit(file_of("compressed_8041"), kept);
  BOOST_TEST((refused.error().code == Errc::refused));
  BOOST_TEST(refused.error().text.find(file_of("compressed_8041") + ": it is compressed with gz") == 0U,
             refused.error().text);
}

BOOST_AUTO_TEST_CASE(a_file_cut_at_any_place_is_refused_with_its_path) {
  std::ifstream in{file_of("node7_8041"), std::ios::binary};
  const std::string whole{std::istreambuf_iterator<char>{in}, {}};
  const work::ScratchFolder folder;
  for (std::size_t size = 0; size < whole.size(); size += 13) {
    const auto path = folder.write("cut_1", whole.substr(0, size));
    tests::KeptLogs kept;
    const auto visited = visit(path, kept);
    BOOST_REQUIRE(!visited.has_value());
    BOOST_TEST((visited.error().code == Errc::corrupt));
    BOOST_TEST(visited.error().text.find(path) != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(any_changed_byte_gives_logs_or_an_error) {
  std::ifstream in{file_of("node7_8041"), std::ios::binary};
  const std::string whole{std::istreambuf_iterator<char>{in}, {}};
  const work::ScratchFolder folder;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    auto changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    tests::KeptLogs kept;
    const auto visited = visit(folder.write("changed_1", changed), kept);
    if (!visited) BOOST_TEST(!visited.error().text.empty());
  }
}

/// Reads all contents and keeps nothing.
struct Reader final : LogVisitor {
  bool begin(const LogFile&) override { return true; }
  Result<Done> take(std::string_view) override { return Done{}; }
};

BOOST_AUTO_TEST_CASE(hostile_files_need_little_memory) {
  using namespace std::string_literals;
  std::ifstream in{file_of("node7_8041"), std::ios::binary};
  const std::string whole{std::istreambuf_iterator<char>{in}, {}};
  const work::ScratchFolder folder;
  int number = 0;
  for (const auto& bytes :
       {tests::repeated("\0"s), tests::repeated("\x01"s), tests::repeated("\x7f"s), tests::repeated("\x83\x7f\xff"s),
        tests::repeated("\x05\x00\x03"
                        "c_1\x81"s),
        tests::repeated(whole)}) {
    // A long block, and the same with the end of a file of Hadoop, whose offsets now lie in other bytes.
    const auto block = folder.write("block_" + std::to_string(++number), bytes);
    const auto file = folder.write("node_" + std::to_string(number), bytes.substr(whole.size()) + whole);
    tests::check_decoder_memory("block " + std::to_string(number), [&] {
      const auto source = files.open(block, {});
      BOOST_REQUIRE(source.has_value());
      Reader reader;
      (void)visit_log_block(**source, static_cast<std::int64_t>(bytes.size()), {}, reader).has_value();
    });
    tests::check_decoder_memory("file " + std::to_string(number), [&] {
      Reader reader;
      (void)visit(file, reader).has_value();
    });
  }
}

}  // namespace
}  // namespace aggregated_log_test
}  // namespace heddle::interop
