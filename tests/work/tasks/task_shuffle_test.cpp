// Goal: data of a shuffle is complete, and a missing output is named.
// Method: real slot threads; waits only on reports.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <future>
#include <sstream>

#include "tests/support/slot_task_fixture.hpp"
#include "work/shuffle/shuffle_client.hpp"

namespace task_shuffle_test {

namespace {

using namespace heddle;
using namespace heddle::work;

/// Listens on loopback and never responds.
class SilentServer {
public:
  SilentServer() : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    BOOST_REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&here), size) == 0);
    BOOST_REQUIRE(::listen(socket_, 4) == 0);
    BOOST_REQUIRE(::getsockname(socket_, reinterpret_cast<sockaddr*>(&here), &size) == 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(here.sin_port));
  }
  ~SilentServer() {
    ::close(socket_);
    if (client_ >= 0) ::close(client_);
  }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  [[nodiscard]] const std::string& address() const { return address_; }
  /// Returns once a client has sent its request.
  void wait_for_request() {
    client_ = ::accept(socket_, nullptr, nullptr);
    char byte = 0;
    BOOST_REQUIRE(::recv(client_, &byte, 1, 0) == 1);
  }

private:
  int socket_;
  int client_ = -1;
  std::string address_;
};

BOOST_AUTO_TEST_CASE(a_killed_attempt_cancels_its_fetch_and_frees_its_slot_at_once) {
  SilentServer silent;
  ShuffleClientSettings settings;
  settings.token = "0123456789abcdef0123456789abcdef";
  settings.read_timeout_ms = 120'000;  // longer than the fixture waits for reports
  ShuffleClient client{settings};
  SlotTaskFixture f{1, {}, &client};
  ports::ShuffleLocations locations;
  locations.shuffle = ShuffleId{5};
  locations.places.resize(1);
  locations.places[0].address = silent.address();
  locations.place_of_map = {0};
  f.runner->set_locations(std::make_shared<const ports::ShuffleLocations>(locations));
  const auto reduce = f.reduce_stage({5});
  f.run(reduce, 1);
  silent.wait_for_request();
  f.runner->kill(reduce.key, 0, 0, "another attempt was first");
  f.run(f.stage(1, {FunctionBody{"do_nothing"}}), 1);
  f.reports.wait_for_ends(2);
  BOOST_TEST((f.reports.ends[0].outcome.state == TaskState::killed));
  BOOST_TEST((f.reports.ends[1].outcome.state == TaskState::finished));
}

constexpr auto expected = ports::ShuffleLocations::expected;

BOOST_AUTO_TEST_CASE(a_reduce_fetches_each_map_output_once_when_its_location_arrives) {
  SlotTaskFixture f;
  const TaskSplit split{0, {f.folder / "input.txt", 0, 6, {}}};
  f.run(f.map_stage(5, IdentityBody{}), 3, 0, {split, split, split});
  f.reports.wait_for_ends(3);
  f.place_shuffle(5, f.folder / "shuffle", {expected, 0, expected});
  f.fetch.on_fetched = [&f] {
    f.place_shuffle(5, f.folder / "shuffle", {f.fetch.fetched.size() > 1 ? 0 : expected, 0, 0});
  };
  auto reduce = f.reduce_stage({5});
  reduce.shuffle_inputs[0].maps = 3;
  f.run(reduce, 1);
  f.reports.wait_for_ends(4);
  BOOST_TEST((f.reports.ends[3].outcome.state == TaskState::finished), f.reports.ends[3].outcome.text);
  BOOST_TEST(f.reports.ends[3].outcome.records_read == 3);
  BOOST_TEST(f.fetch.fetched == (std::vector<std::int32_t>{1, 2, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_map_output_that_is_lost_and_expected_again_is_waited_for) {
  SlotTaskFixture f;
  f.run_map(f.map_stage(5, IdentityBody{}));
  f.reports.wait_for_ends(1);
  f.place_shuffle(5, f.folder / "nowhere");
  f.fetch.on_failure = [&f] { f.place_shuffle(5, f.folder / "nowhere", {expected}); };
  f.fetch.on_fetched = [&f] { f.place_shuffle(5, f.folder / "shuffle"); };
  f.run(f.reduce_stage({5}), 1);
  f.reports.wait_for_ends(2);
  BOOST_TEST((f.reports.ends[1].outcome.state == TaskState::finished), f.reports.ends[1].outcome.text);
}

BOOST_AUTO_TEST_CASE(a_killed_attempt_ends_its_wait_for_map_outputs) {
  SlotTaskFixture f{1};
  f.place_shuffle(5, f.folder / "shuffle", {expected});
  std::promise<void> has_looked;
  f.fetch.on_fetched = [&has_looked] { has_looked.set_value(); };
  const auto reduce = f.reduce_stage({5});
  f.run(reduce, 1);
  has_looked.get_future().wait();
  f.runner->kill(reduce.key, 0, 0, "another attempt was first");
  f.reports.wait_for_ends(1);
  BOOST_TEST((f.reports.ends[0].outcome.state == TaskState::killed));
}

BOOST_AUTO_TEST_CASE(an_attempt_whose_stage_is_unloaded_does_not_wait_for_map_outputs) {
  SlotTaskFixture f;
  f.place_shuffle(5, f.folder / "shuffle", {expected});
  const auto reduce = f.reduce_stage({5});
  f.fetch.on_fetched = [&] { f.runner->unload_stage(reduce.key); };
  f.run(reduce, 1);
  f.reports.wait_for_ends(1);
  BOOST_TEST((f.reports.ends[0].outcome.failure == FailureKind::input));
  BOOST_TEST(f.reports.ends[0].outcome.text == "the locations of the map outputs were removed");
}

BOOST_AUTO_TEST_CASE(words_are_counted_through_a_shuffle_by_functions_and_by_commands) {
  const std::string text = "b a b\nc a b\n";
  for (const bool by_commands : {false, true}) {
    SlotTaskFixture f;
    const auto path = f.write_file("input.txt", text);
    ShuffleDescription shuffle;
    auto map = f.stage(1, {}, 2);
    map.bodies = {by_commands ? TaskBody{shell("tr -s ' ' '\\n'")} : TaskBody{FunctionBody{"count_words"}}};
    TextInput input;
    input.paths = {path};
    map.inputs = {input};
    map.shuffle_output = ShuffleOutput{ShuffleId{5}, 2, shuffle};
    f.run(map, 2, 0, {{0, {path, 0, 6, {}}}, {0, {path, 6, 6, {}}}});
    f.reports.wait_for_ends(2);
    for (const auto& end : f.reports.ends)
      BOOST_REQUIRE_MESSAGE(end.outcome.state == TaskState::finished, end.outcome.text);

    ports::ShuffleLocations locations;
    locations.shuffle = ShuffleId{5};
    MapOutputLocation place;
    place.directory = f.folder / "shuffle";
    locations.places = {place};
    locations.place_of_map = {0, 0};
    f.runner->set_locations(std::make_shared<const ports::ShuffleLocations>(locations));
    auto reduce = f.stage(2, {}, 2);
    reduce.bodies = {by_commands ? TaskBody{shell("uniq -c | sed 's/ *\\([0-9]*\\) \\(.*\\)/\\2\\t\\1/'")}
                                 : TaskBody{FunctionBody{"sum_counts"}}};
    reduce.shuffle_inputs.resize(1);
    reduce.shuffle_inputs[0].shuffle = ShuffleId{5};
    reduce.shuffle_inputs[0].maps = 2;
    reduce.output.emplace();
    reduce.output->path = f.folder / "out";
    f.run(reduce, 2);
    f.reports.wait_for_ends(4);
    for (const auto& end : f.reports.ends)
      BOOST_REQUIRE_MESSAGE(end.outcome.state == TaskState::finished, end.outcome.text);
    std::vector<std::string> lines;
    for (int i = 0; i < 2; ++i) {
      std::istringstream part{f.part(reduce, i)};
      for (std::string line; std::getline(part, line);) lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
    BOOST_TEST(lines == (std::vector<std::string>{"a\t2", "b\t3", "c\t1"}), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_missing_map_output_is_a_fetch_failure_that_names_it) {
  SlotTaskFixture f;
  auto reduce = f.stage(2, {IdentityBody{}}, 1);
  reduce.shuffle_inputs.resize(1);
  reduce.shuffle_inputs[0].shuffle = ShuffleId{9};
  reduce.shuffle_inputs[0].maps = 1;
  ports::ShuffleLocations locations;
  locations.shuffle = ShuffleId{9};
  MapOutputLocation place;
  place.directory = f.folder / "nowhere";
  place.node = NodeId{4};
  locations.places = {place};
  locations.place_of_map = {0};
  f.runner->set_locations(std::make_shared<const ports::ShuffleLocations>(locations));
  f.run(reduce, 1);
  f.reports.wait_for_ends(1);
  const auto& outcome = f.reports.ends[0].outcome;
  BOOST_TEST((outcome.failure == FailureKind::fetch_failed));
  BOOST_TEST(outcome.failed_map == 0);
  BOOST_TEST((outcome.failed_shuffle == ShuffleId{9}));
  BOOST_TEST((outcome.failed_at.node == NodeId{4}));
}

BOOST_AUTO_TEST_CASE(a_map_output_that_was_migrated_is_read_from_its_new_location) {
  SlotTaskFixture f;
  f.run_map(f.map_stage(5, IdentityBody{}));
  f.reports.wait_for_ends(1);
  f.place_shuffle(5, f.folder / "nowhere");
  f.fetch.on_failure = [&f] { f.place_shuffle(5, f.folder / "shuffle"); };
  const auto reduce = f.reduce_stage({5});
  f.run(reduce, 1);
  f.reports.wait_for_ends(2);
  BOOST_TEST((f.reports.ends[1].outcome.state == TaskState::finished), f.reports.ends[1].outcome.text);
  BOOST_TEST(f.reports.ends[1].outcome.records_read == 1);
}

BOOST_AUTO_TEST_CASE(a_corrupt_map_output_of_the_second_input_is_reported_with_its_shuffle) {
  SlotTaskFixture f;
  for (const std::int64_t id : {5, 6}) {
    f.run_map(f.map_stage(id, shell("tr ' ' '\\n'")));
    f.reports.wait_for_ends(static_cast<std::size_t>(id - 4));
    f.place_shuffle(id, f.folder / "shuffle");
  }
  const auto index = read_shuffle_index(f.folder / "shuffle", ShuffleId{6}, 0);
  BOOST_REQUIRE(index);
  std::fstream file{index->data_path, std::ios::in | std::ios::out | std::ios::binary};
  file.seekp(index->offsets.back() - 1);
  file.put('#');
  file.close();
  f.run(f.reduce_stage({5, 6}), 1);
  f.reports.wait_for_ends(3);
  const auto& outcome = f.reports.ends[2].outcome;
  BOOST_TEST((outcome.failure == FailureKind::fetch_failed), outcome.text);
  BOOST_TEST((outcome.failed_shuffle == ShuffleId{6}));
  BOOST_TEST(outcome.failed_map == 0);
  BOOST_TEST((outcome.failed_at.node == NodeId{6}));
}

BOOST_AUTO_TEST_CASE(a_fetch_that_fails_for_a_local_shortage_loses_no_map_output) {
  SlotTaskFixture f;
  f.fetch.is_lost = false;
  f.place_shuffle(5, f.folder / "nowhere");
  f.run(f.reduce_stage({5}), 1);
  f.reports.wait_for_ends(1);
  BOOST_TEST((f.reports.ends[0].outcome.failure == FailureKind::input));
}

BOOST_AUTO_TEST_CASE(a_combiner_runs_in_the_map_task_and_its_failure_fails_the_attempt) {
  for (const bool fails : {false, true}) {
    SlotTaskFixture f;
    auto map = f.map_stage(5, shell("tr ' ' '\\n'"));
    map.shuffle_output->description.combiner = shell(fails ? "cat; echo no idea >&2; exit 3" : "uniq");
    f.run_map(map);
    f.reports.wait_for_ends(1);
    const auto& outcome = f.reports.ends[0].outcome;
    if (fails) {
      BOOST_TEST((outcome.failure == FailureKind::shuffle_write));
      BOOST_TEST(outcome.text.find("combiner: sh exited with code 3: no idea") != std::string::npos, outcome.text);
      BOOST_TEST(!read_shuffle_index(f.folder / "shuffle", ShuffleId{5}, 0).has_value());
      continue;
    }
    BOOST_REQUIRE_MESSAGE(outcome.state == TaskState::finished, outcome.text);
    f.place_shuffle(5, f.folder / "shuffle");
    const auto reduce = f.reduce_stage({5});
    f.run(reduce, 1);
    f.reports.wait_for_ends(2);
    BOOST_TEST(f.part(reduce, 0) == "a\nb\n");
  }
}

}  // namespace

}  // namespace task_shuffle_test
