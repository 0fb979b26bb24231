// Goal: a migrated map output is identical; a failed one leaves no file and does not stop the others.
// Method: real outputs behind a real shuffle server; the server, a block, or the disk of the target fails during the
// copy.
#include "work/shuffle/shuffle_migrator.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "tests/support/scarcity.hpp"
#include "tests/support/scratch_folder.hpp"
#include "work/files/file_handle.hpp"
#include "work/shuffle/shuffle_client.hpp"
#include "work/shuffle/shuffle_index.hpp"
#include "work/shuffle/shuffle_server.hpp"
#include "work/shuffle/shuffle_writer.hpp"

namespace heddle::work {
namespace shuffle_migrator_test {
namespace {

const std::string token = "0123456789abcdef0123456789abcdef";
constexpr ShuffleId shuffle{3};
constexpr std::int32_t partitions = 5;

/// Fetches with a real client, and fails at the nth partition.
class FailingFetch final : public ports::ShuffleFetch {
public:
  FailingFetch(ports::ShuffleFetch& real, std::int32_t from) : real_{real}, from_{from} {}
  bool fetch(const ports::FetchRequest& request, const std::function<bool(ports::FetchedSegment)>& on_segment,
             ports::FetchFailure& failure) override {
    if (request.partition < from_) return real_.fetch(request, on_segment, failure);
    const auto& locations = request.locations;
    std::int32_t map = 0;
    while (locations.place_of_map[static_cast<std::size_t>(map)] < 0) ++map;
    failure = {map, locations.places[0], "the node has gone", true};
    return false;
  }

private:
  ports::ShuffleFetch& real_;
  std::int32_t from_;
};

struct Fixture {
  explicit Fixture(bool reads_files = false) {
    auto started = ShuffleServer::start({});
    BOOST_REQUIRE(started.has_value());
    server = std::move(*started);
    server->add_application(application, token, source.path());
    ShuffleClientSettings asking;
    asking.application = application;
    asking.token = token;
    asking.use_local_files = reads_files;
    asking.node = NodeId{1};
    asking.node_epoch = Epoch{1};
    asking.retries = 0;
    asking.scratch_directory = target.path();
    client = std::make_unique<ShuffleClient>(asking);
    settings.directory = target.path();
    settings.name = "7";
    settings.maps_at_once = 3;
    move = {shuffle, partitions, {}, {NodeId{1}, Epoch{1}, "h1", server->address(), source.path()}};
  }
  void write_maps(std::int32_t count) {
    for (std::int32_t map = 0; map < count; ++map) {
      ShuffleWriterSettings writing;
      writing.directory = source.path();
      auto writer = ShuffleWriter::open({shuffle, partitions, {}}, map, "0.0", writing, {});
      BOOST_REQUIRE(writer.has_value());
      for (int record = 0; record < 2000; ++record)
        BOOST_REQUIRE((*writer)->add("key" + std::to_string(record * (map + 1)), "value").has_value());
      BOOST_REQUIRE((*writer)->finish().has_value());
      move.maps.push_back(map);
    }
  }
  static std::string content(const std::string& directory, std::int32_t map) {
    const auto index = read_shuffle_index(directory, shuffle, map);
    if (!index) return {};
    std::ifstream file{index->data_path, std::ios::binary};
    std::string bytes{std::istreambuf_iterator<char>{file}, {}};
    for (const auto offset : index->offsets) bytes += ' ' + std::to_string(offset);
    return bytes;
  }
  [[nodiscard]] std::size_t files_at_target() const {
    std::size_t count = 0;
    const auto folder = shuffle_folder(target.path(), shuffle);
    if (!std::filesystem::is_directory(folder)) return 0;
    for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator{folder}) ++count;
    return count;
  }
  void check_migrated(const std::vector<std::int32_t>& expected) {
    const auto end = migrate_outputs(*fetch(), move, settings);
    auto migrated = end.migrated;
    std::sort(migrated.begin(), migrated.end());
    BOOST_TEST(migrated == expected, boost::test_tools::per_element());
    BOOST_TEST(end.text.empty() == (expected.size() == move.maps.size()), end.text);
    BOOST_TEST(files_at_target() == 2 * expected.size());
    for (const auto map : expected)
      BOOST_TEST((!content(source.path(), map).empty() && content(target.path(), map) == content(source.path(), map)));
  }
  ports::ShuffleFetch* fetch() { return failing ? failing.get() : static_cast<ports::ShuffleFetch*>(client.get()); }

  ApplicationId application{1, 2};
  ScratchFolder source;
  ScratchFolder target;
  std::unique_ptr<ShuffleServer> server;
  std::unique_ptr<ShuffleClient> client;
  std::unique_ptr<ports::ShuffleFetch> failing;
  ShuffleMigratorSettings settings;
  ports::MapOutputMigration move;
};

BOOST_AUTO_TEST_CASE(a_copy_does_not_replace_the_output_of_an_attempt) {
  Fixture f;
  f.write_maps(2);
  ShuffleWriterSettings writing;
  writing.directory = f.target.path();
  auto newer = ShuffleWriter::open({shuffle, partitions, {}}, 1, "1.0", writing, {});
  BOOST_REQUIRE(newer.has_value());
  BOOST_REQUIRE((*newer)->add("newer", "value").has_value());
  BOOST_REQUIRE((*newer)->finish().has_value());
  const auto before = Fixture::content(f.target.path(), 1);
  const auto end = migrate_outputs(*f.fetch(), f.move, f.settings);
  BOOST_TEST(end.migrated == std::vector<std::int32_t>{0}, boost::test_tools::per_element());
  BOOST_TEST(end.text == "map 1 already has an output on this node");
  BOOST_TEST((!before.empty() && Fixture::content(f.target.path(), 1) == before));
  BOOST_TEST(f.files_at_target() == 4U);
}

BOOST_AUTO_TEST_CASE(migrated_outputs_are_identical_and_can_be_migrated_again) {
  for (const bool reads_files : {false, true}) {
    Fixture f{reads_files};
    f.write_maps(8);
    f.check_migrated({0, 1, 2, 3, 4, 5, 6, 7});
    f.check_migrated({0, 1, 2, 3, 4, 5, 6, 7});
  }
}

BOOST_AUTO_TEST_CASE(a_missing_or_corrupt_output_does_not_stop_the_others) {
  for (const bool reads_files : {false, true}) {
    Fixture f{reads_files};
    f.write_maps(5);
    std::filesystem::remove(shuffle_index_path(f.source.path(), shuffle, 1));
    const auto broken = read_shuffle_index(f.source.path(), shuffle, 3);
    BOOST_REQUIRE(broken.has_value());
    std::fstream file{broken->data_path, std::ios::binary | std::ios::in | std::ios::out};
    file.seekp(broken->offsets[2] + 30);
    file.put('!');
    file.close();
    f.check_migrated({0, 2, 4});
  }
}

BOOST_AUTO_TEST_CASE(invalid_map_numbers_are_refused) {
  Fixture f;
  f.write_maps(1);
  for (const std::int32_t map : {-1, -2, INT32_MAX}) {
    auto move = f.move;
    move.maps.push_back(map);
    const auto end = migrate_outputs(*f.fetch(), move, f.settings);
    BOOST_TEST(end.migrated.empty());
    BOOST_TEST(!end.text.empty());
  }
  f.move.partitions = -1;
  BOOST_TEST(migrate_outputs(*f.fetch(), f.move, f.settings).migrated.empty());
  BOOST_TEST(f.files_at_target() == 0U);
}

BOOST_AUTO_TEST_CASE(a_source_that_fails_half_way_leaves_no_incomplete_copy) {
  Fixture f;
  f.write_maps(4);
  f.failing = std::make_unique<FailingFetch>(*f.client, 3);
  f.check_migrated({});
}

BOOST_AUTO_TEST_CASE(a_full_disk_leaves_no_copy) {
  Fixture f;
  f.write_maps(4);
  const FullDisk full{512};
  f.check_migrated({});
}

/// Every segment is empty.
class EmptyFetch final : public ports::ShuffleFetch {
public:
  bool fetch(const ports::FetchRequest& request, const std::function<bool(ports::FetchedSegment)>& on_segment,
             ports::FetchFailure&) override {
    for (std::size_t map = 0; map < request.locations.place_of_map.size(); ++map) {
      ports::FetchedSegment segment;
      segment.map = static_cast<std::int32_t>(map);
      if (request.locations.place_of_map[map] >= 0 && !on_segment(std::move(segment))) return false;
    }
    return true;
  }
};

// The copy writes its index beside the place of the former one, here into a pipe that holds less than the index.
BOOST_AUTO_TEST_CASE(no_attempt_can_commit_while_a_copy_replaces_another_one) {
  Fixture f;
  EmptyFetch fetch;
  f.move.maps = {0};
  f.move.partitions = 2'000;
  f.settings.name = "6";
  BOOST_REQUIRE(migrate_outputs(fetch, f.move, f.settings).migrated.size() == 1U);
  f.settings.name = "7";
  const auto folder = shuffle_folder(f.target.path(), shuffle);
  const auto beside = folder + "/0-moved.7.data.index";
  BOOST_REQUIRE(::mkfifo(beside.c_str(), 0600) == 0);
  const FileHandle reader{::open(beside.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC), beside};
  BOOST_REQUIRE(::fcntl(reader.descriptor(), F_SETPIPE_SZ, 4096) >= 0);
  auto end = std::async(std::launch::async, [&] { return migrate_outputs(fetch, f.move, f.settings); });
  pollfd polled{reader.descriptor(), POLLIN, 0};
  BOOST_TEST(::poll(&polled, 1, 30'000) == 1);
  {
    const auto other = FileHandle::open_to_read(folder);
    BOOST_REQUIRE(other.has_value());
    BOOST_TEST(::flock(other->descriptor(), LOCK_EX | LOCK_NB) != 0, "the folder is not locked");
  }
  char part[4096];
  while (::poll(&polled, 1, 30'000) == 1 && ::read(reader.descriptor(), part, sizeof part) > 0) continue;
  BOOST_TEST(end.get().migrated == std::vector<std::int32_t>{0}, boost::test_tools::per_element());
}

/// Answers nothing until it is stopped.
class SilentFetch final : public ports::ShuffleFetch {
public:
  bool fetch(const ports::FetchRequest& request, const std::function<bool(ports::FetchedSegment)>&,
             ports::FetchFailure& failure) override {
    has_begun.set_value();
    pollfd polled{request.stop, POLLIN, 0};
    BOOST_TEST(::poll(&polled, 1, 30'000) == 1, "nobody stops the fetch");
    failure.text = "the fetch was stopped";
    failure.is_lost = false;
    return false;
  }
  std::promise<void> has_begun;
};

class OneThread final : public ports::Background {
public:
  ~OneThread() override {
    for (auto& thread : threads_) thread.join();
  }
  void run(std::function<void()> job) override { threads_.emplace_back(std::move(job)); }

private:
  std::vector<std::thread> threads_;
};

BOOST_AUTO_TEST_CASE(a_fetch_that_never_answers_is_stopped_and_leaves_nothing_behind) {
  Fixture f;
  f.write_maps(2);
  SilentFetch fetch;
  std::promise<ports::MapOutputMigrationResult> first;
  std::promise<ports::MapOutputMigrationResult> second;
  OneThread background;
  {
    ShuffleMigrator migrator{fetch, background, f.settings};
    migrator.migrate(f.move, [&](ports::MapOutputMigrationResult end) { first.set_value(std::move(end)); });
    fetch.has_begun.get_future().wait();
    BOOST_TEST(f.files_at_target() == 2U);
    migrator.stop();
    BOOST_TEST(f.files_at_target() == 0U);
    migrator.migrate(f.move, [&](ports::MapOutputMigrationResult end) { second.set_value(std::move(end)); });
  }
  const auto stopped = first.get_future().get();
  BOOST_TEST(stopped.migrated.empty());
  BOOST_TEST(stopped.text == "the fetch was stopped");
  BOOST_TEST(second.get_future().get().text == "the executor ends");
}

}  // namespace
}  // namespace shuffle_migrator_test
}  // namespace heddle::work
