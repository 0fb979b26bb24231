#include "caf_compat/packed.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <string>
#include <vector>

#include "messages/driver.hpp"
#include "messages/executor.hpp"
#include "messages/registration.hpp"

namespace heddle {
namespace {

using Bytes = std::vector<char>;

struct Systems {
  Systems() : config{prepared()}, system{config} {}
  static caf::actor_system_config& prepared() {
    static caf::actor_system_config config;
    static const bool is_registered = (register_messages(config), true);
    static_cast<void>(is_registered);
    return config;
  }
  caf::actor_system_config& config;
  caf::actor_system system;
};

/// As CAF encodes it for another process.
template <class Message>
Bytes encoded(Systems& systems, Message message) {
  Bytes bytes;
  caf::binary_serializer sink{systems.system, bytes};
  BOOST_REQUIRE(!sink(message));
  return bytes;
}

template <class Message>
bool decode(Systems& systems, const Bytes& bytes, Message& message) {
  caf::binary_deserializer source{systems.system, bytes};
  return !source(message);
}

template <class Message>
std::string packed(Message message) {
  std::string text;
  caf_compat::PackWriter writer{text};
  inspect(writer, message);
  return text;
}

LoadStage full_load() {
  LoadStage load;
  load.epoch = Epoch{7};
  load.work.key = {JobId{1}, StageId{2}, 3};
  load.work.name = "stage ☃";
  load.work.application = {1700, 5};
  load.work.inputs.push_back({{"/in/a", "/in/b"}, InputFormat::n_line, 1, 9, 2, 4, "<a>", "</a>", ";"});
  load.work.shuffle_inputs.push_back({ShuffleId{4}, 12, {}});
  load.work.bodies = {IdentityBody{}, CommandBody{{"tr", "a", "b"}, {{"LANG", "C"}}, {"/f"}, false, 6},
                      FunctionBody{"count", std::string{"\0x", 2}}};
  load.work.shuffle_output = ShuffleOutput{ShuffleId{9}, 3, {}};
  load.work.shuffle_output->description.combiner = FunctionBody{"sum"};
  load.work.keep_standard_output = true;
  load.work.tasks = 8;
  load.work.barrier_hosts = {"host1", ""};
  TaskRange range{load.work.key, 5, 2, 1, {{0, {"/in/a", 10, 20, {"host1"}}}, {1, {}}}};
  range.devices.push_back({{{"gpu", {"0", "1"}}}});
  load.tasks.push_back(range);
  return load;
}

StatusUpdate full_update() {
  StatusUpdate update;
  update.executor = ExecutorId{3};
  update.epoch = Epoch{2};
  update.finished.push_back({{JobId{1}, StageId{2}, 0}, 4, 2, 1, {100, INT64_MIN}, {5, -1}});
  TaskStatus status{{JobId{1}, StageId{2}, 0}, 9, 1, {}};
  status.outcome.state = TaskState::failed;
  status.outcome.failure = FailureKind::fetch_failed;
  status.outcome.text = "it failed";
  status.outcome.partition_bytes = {1, 2, 3};
  status.outcome.counters = {{"group\tname", 4}};
  update.statuses.push_back(status);
  return update;
}

/// As a field of a packed message.
template <class Value>
bool unpack(std::string_view text, Value& value) {
  caf_compat::PackReader reader{text};
  inspect(reader, value);
  return reader.is_whole();
}

template <class Message>
void check_truncations(Systems& systems, const Message& message) {
  const auto whole = packed(message);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Message ignored;
    BOOST_TEST(!decode(systems, encoded(systems, whole.substr(0, size)), ignored));
  }
  Message ignored;
  BOOST_TEST(!decode(systems, encoded(systems, whole + 'x'), ignored));
  BOOST_TEST(decode(systems, encoded(systems, whole), ignored));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(packed_test)

BOOST_AUTO_TEST_CASE(numbers_and_texts_have_the_documented_bytes) {
  UnloadStage message{Epoch{7}, {}};
  BOOST_TEST(packed(message) == std::string("\7\0\0\0\0\0\0\0\0\0\0\0", 12));
  StageKey key{JobId{1}, StageId{2}, 3};
  BOOST_TEST(caf_compat::packed_bytes(key) == 20);
}

BOOST_AUTO_TEST_CASE(messages_read_back_as_they_were) {
  Systems systems;
  LoadStage load;
  BOOST_REQUIRE(decode(systems, encoded(systems, full_load()), load));
  BOOST_TEST(packed(load) == packed(full_load()));
  BOOST_TEST(load.work.name == "stage ☃");
  BOOST_TEST((load.work.bodies == full_load().work.bodies));
  BOOST_TEST(!load.work.output.has_value());
  BOOST_TEST((load.work.shuffle_output->description == full_load().work.shuffle_output->description));
  BOOST_TEST(load.tasks.at(0).splits.at(0).split.hosts.at(0) == "host1");
  BOOST_TEST(load.tasks.at(0).devices.at(0).kinds.at(0).addresses.at(1) == "1");
  StatusUpdate update;
  BOOST_REQUIRE(decode(systems, encoded(systems, full_update()), update));
  BOOST_TEST(packed(update) == packed(full_update()));
  BOOST_TEST(update.finished.at(0).start_us.at(1) == INT64_MIN);
  BOOST_TEST((update.statuses.at(0).outcome.failure == FailureKind::fetch_failed));
}

BOOST_AUTO_TEST_CASE(a_message_that_is_read_replaces_what_was_there) {
  Systems systems;
  auto load = full_load();
  BOOST_REQUIRE(decode(systems, encoded(systems, LoadStage{}), load));
  BOOST_TEST(packed(load) == packed(LoadStage{}));
}

BOOST_AUTO_TEST_CASE(a_message_that_is_cut_off_or_too_long_is_refused) {
  Systems systems;
  check_truncations(systems, full_load());
  check_truncations(systems, full_update());
}

BOOST_AUTO_TEST_CASE(a_wrong_size_or_alternative_is_refused_without_its_memory) {
  Systems systems;
  auto text = packed(LaunchTask{Epoch{1}, {}});
  text.replace(8, 4, std::string(4, '\xff'));  // 2^32 - 1 task ranges
  LaunchTask launch;
  BOOST_TEST(!decode(systems, encoded(systems, text), launch));
  BOOST_TEST(launch.tasks.size() <= 1U);
  LoadStage one_body;
  one_body.work.bodies = {IdentityBody{}};
  auto bodies = packed(one_body);
  const auto plain = packed(LoadStage{});
  const auto place = static_cast<std::size_t>(std::mismatch(plain.begin(), plain.end(), bodies.begin()).first -
                                              plain.begin());  // the number of bodies
  BOOST_REQUIRE(bodies.at(place) == '\1');
  bodies.at(place + 4) = '\3';
  LoadStage load;
  BOOST_TEST(!decode(systems, encoded(systems, bodies), load));
}

BOOST_AUTO_TEST_CASE(a_value_outside_an_enumeration_is_refused) {
  Systems systems;
  auto update = full_update();
  update.statuses[0].outcome.state = static_cast<TaskState>(4);
  StatusUpdate read;
  BOOST_TEST(!decode(systems, encoded(systems, update), read));
  update.statuses[0].outcome.state = TaskState::killed;
  update.statuses[0].outcome.failure = static_cast<FailureKind>(200);
  BOOST_TEST(!decode(systems, encoded(systems, update), read));
  auto load = full_load();
  load.work.shuffle_output->description.order = static_cast<ShuffleDescription::Order>(2);
  LoadStage read_load;
  BOOST_TEST(!decode(systems, encoded(systems, load), read_load));
}

BOOST_AUTO_TEST_CASE(a_resource_reads_back_with_its_other_types) {
  for (const Resource& resource : {Resource{}, Resource{1024, 2}, Resource{1024, 2, {{"license", 10}, {"gpu", -2}}}}) {
    Resource read{1, 1, {{"stale", 1}}};
    BOOST_TEST(unpack(packed(resource), read));
    BOOST_TEST((read == resource));
  }
}

BOOST_AUTO_TEST_CASE(a_resource_that_is_cut_off_or_has_a_wrong_size_is_refused) {
  const Resource resource{1024, 2, {{"license", 10}, {"yarn.io/gpu", 2}}};
  const auto whole = packed(resource);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Resource read;
    BOOST_TEST(!unpack(whole.substr(0, size), read));
    BOOST_TEST(read.others.empty());
  }
  auto wrong = whole;
  wrong.replace(16, 4, std::string(4, '\xff'));  // 2^32 - 1 resource types
  Resource read;
  BOOST_TEST(!unpack(wrong, read));
  BOOST_TEST(read.others.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heddle
