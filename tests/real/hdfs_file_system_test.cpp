// Goal: the client of HDFS keeps the contract of file systems on an unmodified Hadoop, and reads around broken
// replicas. See hadoop_rpc_test.cpp for how the program finds one.
#include "interop/hdfs/hdfs_file_system.hpp"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/file_system_contract.hpp"
#include "tests/support/recorded_content.hpp"

namespace heddle::interop::hdfs {
namespace {

namespace unit_test = boost::unit_test;

boost::test_tools::assertion_result has_hdfs(unit_test::test_unit_id) {
  boost::test_tools::assertion_result answer{std::getenv("HEDDLE_REAL_FS") != nullptr};
  answer.message() << "no real Hadoop: HEDDLE_REAL_FS is not set";
  return answer;
}

/// The file system, and a folder that is removed at the end.
class RealHdfs {
public:
  RealHdfs() : files_{thread_, settings()}, folder_{name() + "/heddle-test-" + std::to_string(::getpid())} {
    BOOST_REQUIRE(files_.make_directories(folder_));
  }
  ~RealHdfs() { static_cast<void>(files_.remove_all(folder_, name()).has_value()); }

  ports::FileSystem& files() { return files_; }
  std::string new_folder() {
    const auto path = folder_ + '/' + std::to_string(++folders_);
    BOOST_REQUIRE(files_.make_directory(path));
    return path;
  }

private:
  static std::string name() { return std::getenv("HEDDLE_REAL_FS"); }
  static HdfsSettings settings() {
    const auto site = read_hadoop_site(std::getenv("HADOOP_CONF_DIR"), {});
    BOOST_REQUIRE(site);
    const auto read = read_hdfs_settings(*site, name().substr(7));
    BOOST_REQUIRE_MESSAGE(read.has_value(), (read ? "" : read.error().text));
    return *read;
  }

  RpcThread thread_;
  HdfsFileSystem files_;
  std::string folder_;
  int folders_ = 0;
};

/// Files of replicas that begin with this text, in the folders of all DataNodes.
std::vector<std::filesystem::path> replicas_with(const std::string& begin) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{std::getenv("HEDDLE_REAL_DIR")}) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with("blk_") || name.ends_with(".meta") || !entry.is_regular_file()) continue;
    std::string head(begin.size(), '\0');
    std::ifstream{entry.path()}.read(head.data(), static_cast<std::streamsize>(head.size()));
    if (head == begin) found.push_back(entry.path());
  }
  return found;
}

void damage(const std::filesystem::path& path, std::streamoff at) {
  std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
  file.seekp(at);
  file.put('\xff');
}

}  // namespace

BOOST_AUTO_TEST_SUITE(real_hdfs, *unit_test::precondition(has_hdfs))

BOOST_AUTO_TEST_CASE(hdfs_keeps_the_contract_of_file_systems) {
  RealHdfs hdfs;
  file_system_contract::check_file_system_contract(hdfs.files(), [&] { return hdfs.new_folder(); });
}

BOOST_AUTO_TEST_CASE(a_wrong_checksum_on_one_replica_is_not_seen_and_on_all_replicas_is_an_error) {
  RealHdfs hdfs;
  const auto path = hdfs.new_folder() + "/file";
  const auto content = path + file_system_contract::random_bytes(300'000, 5);
  ports::CreateOptions options;
  options.replication = 2;
  file_system_contract::put(hdfs.files(), path, content, options);
  const auto replicas = replicas_with(path);
  BOOST_REQUIRE(!replicas.empty());
  BOOST_TEST_MESSAGE(replicas.size() << " replicas");
  for (std::size_t index = 0; index < replicas.size(); ++index) {
    BOOST_TEST((file_system_contract::text_of(hdfs.files(), path) == content));
    damage(replicas[index], 200'000);
  }
  const auto read = hdfs.files().read_all(path);
  BOOST_REQUIRE(!read);
  BOOST_TEST_MESSAGE(read.error().text);
  BOOST_TEST((read.error().code == Errc::corrupt));
}

BOOST_AUTO_TEST_CASE(a_file_that_is_written_has_the_bytes_of_its_complete_blocks) {
  RealHdfs hdfs;
  const auto path = hdfs.new_folder() + "/file";
  ports::CreateOptions options;
  options.block_bytes = 1 << 20;
  auto sink = hdfs.files().create(path, options);
  BOOST_REQUIRE(sink);
  BOOST_REQUIRE((*sink)->write(std::string((1 << 20) + 1000, 'x')));
  const auto content = hdfs.files().read_all(path);
  BOOST_REQUIRE_MESSAGE(content.has_value(), (content ? "" : content.error().text));
  BOOST_TEST(content->size() == 1U << 20);
  BOOST_REQUIRE((*sink)->close());
  BOOST_TEST(hdfs.files().read_all(path)->size() == (1U << 20) + 1000);
}

// Recorded by the relay (README.md): block_write, block_reads.
BOOST_AUTO_TEST_CASE(ranges_of_a_small_file_are_read) {
  RealHdfs hdfs;
  const auto path = hdfs.new_folder() + "/file";
  const auto content = tests::recorded_content();
  ports::CreateOptions options;
  options.replication = 2;
  file_system_contract::put(hdfs.files(), path, content, options);
  for (const auto& [offset, length] : {std::pair{0U, 5250U}, {1000U, 700U}, {5249U, 1U}}) {
    auto source = hdfs.files().open(path, {offset, length});
    BOOST_TEST_REQUIRE(source.has_value());
    std::string bytes(length, '\0');
    BOOST_TEST((*source)->read(bytes.data(), bytes.size()).value() == length);
    BOOST_TEST(bytes == content.substr(offset, length));
  }
}

// Recorded by the relay: block_refused.
BOOST_AUTO_TEST_CASE(a_block_without_replica_is_refused) {
  RealHdfs hdfs;
  const auto path = hdfs.new_folder() + "/file";
  const auto content = path + " without replica";  // deleted files of other cases had the same path
  file_system_contract::put(hdfs.files(), path, content);
  const auto replicas = replicas_with(content);
  BOOST_TEST_REQUIRE(replicas.size() == 1U);
  std::filesystem::remove(replicas.front());
  const auto read = hdfs.files().read_all(path);
  BOOST_TEST_REQUIRE(!read.has_value());
  BOOST_TEST_MESSAGE(read.error().text);
  BOOST_TEST((read.error().code == Errc::unreachable));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heddle::interop::hdfs
