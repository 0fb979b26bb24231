// Goal: calls to the NameNode end right when answers are late, lost or exceptions. Method: a NameNode in memory whose
// answers a test replaces.
#include "interop/hdfs/name_node.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <mutex>

#include "tests/support/file_system_contract.hpp"
#include "tests/support/hdfs_world.hpp"

namespace heddle::interop::hdfs::name_node_test {
namespace {

using file_system_contract::fails_with;
using file_system_contract::put;
using file_system_contract::text_of;
using tests::exception_of;
using tests::FakeAnswer;
using tests::FakeCall;
using tests::HdfsWorld;

const std::string path = HdfsWorld::name() + "/file";
constexpr const char* safe_mode = "org.apache.hadoop.hdfs.server.namenode.SafeModeException";

struct SafeMode {
  const char* java_class;
  const char* text;
};
/// How a NameNode refuses changes in safe mode: the only one, and one of a pair.
constexpr SafeMode safe_modes[] = {
    {safe_mode, "Cannot create directory. Name node is in safe mode."},
    {"org.apache.hadoop.ipc.RetriableException",
     "org.apache.hadoop.hdfs.server.namenode.SafeModeException: Cannot create directory. Name node is in safe mode."}};

/// The first `times` calls of a method end with this exception.
tests::FakeNameNode::Intercept failing(const std::string& method, int times, const std::string& java_class,
                                       const std::string& text) {
  return [=, left = std::make_shared<int>(times)](const FakeCall& call) -> std::optional<FakeAnswer> {
    if (call.method != method || (*left)-- <= 0) return std::nullopt;
    return exception_of(java_class, text);
  };
}

}  // namespace

BOOST_AUTO_TEST_CASE(changes_wait_for_the_end_of_safe_mode) {
  HdfsWorld world{1};
  auto settings = world.settings();
  std::mutex mutex;
  std::vector<std::string> notices;
  settings.name_node.on_notice = [&](const std::string& text) {
    const std::lock_guard lock{mutex};
    notices.push_back(text);
  };
  const auto files = world.client(settings);
  world.name_node().set_intercept(
      failing("mkdirs", 3, safe_mode, "Cannot create directory. Name node is in safe mode."));
  BOOST_TEST(files->make_directories(HdfsWorld::name() + "/a").has_value());
  BOOST_REQUIRE(notices.size() == 1U);
  BOOST_TEST(notices.front().find("safe mode") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_user_reads_every_ten_seconds_that_a_change_waits_for_the_end_of_safe_mode) {
  for (const auto& each : safe_modes) {
    HdfsWorld world{1};
    auto settings = world.settings();
    auto& rules = settings.name_node;
    rules = NameNodeRules{};  // as in production: 10 minutes, a try every second, a line every 10 s
    std::int64_t now_ms = 5'000;
    std::vector<std::pair<std::int64_t, std::string>> notices;
    rules.now_ms = [&] { return now_ms; };
    rules.wait_ms = [&](std::int64_t span) { now_ms += span; };
    rules.on_notice = [&](const std::string& text) { notices.emplace_back((now_ms - 5'000) / 1000, text); };
    const auto files = world.client(settings);
    world.name_node().set_intercept(failing("mkdirs", 1'000'000, each.java_class, each.text));
    const auto made = files->make_directories(HdfsWorld::name() + "/a");
    BOOST_TEST(fails_with(made, Errc::unreachable));
    BOOST_TEST(now_ms == 5'000 + 600'000);
    BOOST_TEST(world.name_node().count("mkdirs") == 601);
    BOOST_TEST_REQUIRE(notices.size() == 60U);
    for (std::size_t i = 0; i < notices.size(); ++i) {
      const auto second = static_cast<std::int64_t>(10 * i);
      BOOST_TEST(notices[i].first == second);
      BOOST_TEST(notices[i].second == "the NameNode of hdfs://cluster is in safe mode; waits up to " +
                                          std::to_string(600 - second) + " s to create the folder '/a'");
    }
  }
}

BOOST_AUTO_TEST_CASE(the_next_block_waits_for_the_end_of_safe_mode) {
  HdfsWorld world{1};
  world.name_node().set_intercept(failing("addBlock", 3, safe_mode, "Cannot add block. Name node is in safe mode."));
  put(world.files(), path, "text");
  BOOST_TEST(text_of(world.files(), path) == "text");
}

BOOST_AUTO_TEST_CASE(a_safe_mode_without_end_is_an_error_that_says_what_to_do) {
  for (const auto& each : safe_modes) {
    HdfsWorld world{1};
    auto settings = world.settings();
    settings.name_node.safe_mode_timeout_ms = 20;
    const auto files = world.client(settings);
    world.name_node().set_intercept(failing("mkdirs", 1'000'000, each.java_class, each.text));
    const auto made = files->make_directories(HdfsWorld::name() + "/a");
    BOOST_TEST(fails_with(made, Errc::unreachable));
    BOOST_TEST(made.error().text.find("-safemode leave") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(calls_after_a_wait_in_vain_share_its_deadline_until_a_change_succeeds) {
  constexpr std::int64_t limit_ms = 600'000;
  HdfsWorld world{1};
  auto settings = world.settings();
  auto& rules = settings.name_node;
  rules = NameNodeRules{};
  std::int64_t now_ms = 5'000;
  rules.now_ms = [&] { return now_ms; };
  rules.wait_ms = [&](std::int64_t span) { now_ms += span; };
  const auto files = world.client(settings);
  const auto folder = HdfsWorld::name() + "/a";
  /// Milliseconds until a refusal.
  const auto time_of_refusal = [&] {
    const auto begin = now_ms;
    BOOST_TEST(fails_with(files->make_directory(folder), Errc::unreachable));
    return now_ms - begin;
  };
  world.name_node().set_intercept(failing("mkdirs", 1'000'000, safe_mode, "Name node is in safe mode."));
  BOOST_TEST(time_of_refusal() == limit_ms);
  BOOST_TEST(*files->is_present(HdfsWorld::name()));  // reads work in safe mode
  now_ms += 60'000;
  BOOST_TEST(time_of_refusal() == 0);
  now_ms += limit_ms;  // nobody knows whether it was in safe mode meanwhile
  BOOST_TEST(time_of_refusal() == limit_ms);
  world.name_node().set_intercept({});
  BOOST_TEST(files->make_directory(folder).has_value());
  world.name_node().set_intercept(failing("mkdirs", 1'000'000, safe_mode, "Name node is in safe mode."));
  BOOST_TEST(time_of_refusal() == limit_ms);
}

BOOST_AUTO_TEST_CASE(a_limit_shorter_than_the_time_between_two_tries_ends_the_wait) {
  HdfsWorld world{1};
  auto settings = world.settings();
  auto& rules = settings.name_node;
  rules = NameNodeRules{};
  rules.safe_mode_timeout_ms = 300;
  std::int64_t now_ms = 5'000;
  rules.now_ms = [&] { return now_ms; };
  rules.wait_ms = [&](std::int64_t span) { now_ms += span; };
  world.name_node().set_intercept(failing("mkdirs", 1'000, safe_mode, "Name node is in safe mode."));
  BOOST_TEST(fails_with(world.client(settings)->make_directory(HdfsWorld::name() + "/a"), Errc::unreachable));
  BOOST_TEST(now_ms == 5'300);
}

BOOST_AUTO_TEST_CASE(a_user_can_cancel_a_wait_for_the_end_of_safe_mode) {
  for (const auto& each : safe_modes) {
    HdfsWorld world{1};
    auto settings = world.settings();
    settings.name_node.safe_mode_timeout_ms = 600'000;
    int asked = 0;
    settings.name_node.is_cancelled = [&asked] { return ++asked == 3; };
    const auto files = world.client(settings);
    world.name_node().set_intercept(failing("mkdirs", 1'000'000, each.java_class, each.text));
    const auto made = files->make_directories(HdfsWorld::name() + "/a");
    BOOST_TEST(fails_with(made, Errc::cancelled));
    BOOST_TEST(made.error().text == "cancelled while the NameNode of hdfs://cluster was in safe mode");
    BOOST_TEST(asked == 3);
  }
}

BOOST_AUTO_TEST_CASE(the_next_block_waits_for_the_replicas_of_earlier_ones) {
  HdfsWorld world{1};
  world.name_node().set_intercept(
      failing("addBlock", 3, "org.apache.hadoop.hdfs.server.namenode.NotReplicatedYetException", "Not replicated yet"));
  put(world.files(), path, "text");
  BOOST_TEST(text_of(world.files(), path) == "text");
  BOOST_TEST(world.name_node().count("addBlock") == 4);
}

BOOST_AUTO_TEST_CASE(exceptions_become_errors_with_advice) {
  struct Case {
    const char* java_class;
    const char* text;
    Errc code;
    const char* advice;
  };
  for (const auto& each :
       {Case{"org.apache.hadoop.security.AccessControlException", "Permission denied: user=ann", Errc::refused,
             "permission"},
        Case{"org.apache.hadoop.hdfs.protocol.NSQuotaExceededException", "quota", Errc::refused, "quota of names"},
        Case{"org.apache.hadoop.hdfs.protocol.DSQuotaExceededException", "quota", Errc::no_space, "quota"},
        Case{"java.io.IOException", "File /f could only be written to 0 of the 1 minReplication nodes.", Errc::no_space,
             "space"},
        Case{"org.apache.hadoop.hdfs.UnknownCryptoProtocolVersionException", "no version", Errc::refused, "encrypted"},
        Case{"org.apache.hadoop.hdfs.server.namenode.LeaseExpiredException", "no lease", Errc::not_found, "no lease"},
        Case{"java.lang.NullPointerException", "at line 5", Errc::io, "at line 5"}}) {
    HdfsWorld world{1};
    world.name_node().set_intercept(failing("create", 1, each.java_class, each.text));
    const auto made = world.files().create(path, {});
    BOOST_TEST_CONTEXT(each.java_class) {
      BOOST_REQUIRE(!made);
      BOOST_TEST((made.error().code == each.code));
      BOOST_TEST_INFO(made.error().text);
      BOOST_TEST(made.error().text.find(each.advice) != std::string::npos);
      BOOST_TEST(made.error().text.find(path) != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_change_whose_answer_was_lost_is_done_once) {
  for (const auto delivery : {FakeAnswer::Delivery::lost, FakeAnswer::Delivery::cut, FakeAnswer::Delivery::twice}) {
    HdfsWorld world{1};
    auto& name_node = world.name_node();
    const auto folder = world.new_folder();
    for (const char* method : {"create", "addBlock", "complete"}) name_node.set_delivery(method, delivery);
    put(world.files(), folder + "/a", "text");
    BOOST_TEST(text_of(world.files(), folder + "/a") == "text");
    name_node.set_delivery("rename2", delivery);
    BOOST_TEST(*world.files().rename_exclusive(folder + "/a", folder + "/b"));
    name_node.set_delivery("rename2", delivery);
    BOOST_TEST(*world.files().create_once(folder + "/COMMIT", "record", folder));
    name_node.set_delivery("delete", delivery);
    BOOST_TEST(*world.files().remove_directory(folder + "/none"));
    BOOST_TEST(text_of(world.files(), folder + "/b") == "text");
  }
}

BOOST_AUTO_TEST_CASE(a_name_node_that_does_not_answer_is_unreachable) {
  HdfsWorld world{1};
  auto settings = world.settings();
  settings.addresses = {"127.0.0.1:1"};
  settings.retries.give_up_after_ms = 10;
  const auto files = world.client(settings);
  const auto found = files->status(path);
  BOOST_TEST(fails_with(found, Errc::unreachable));
  BOOST_TEST(found.error().text.find("127.0.0.1:1") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_standby_name_node_is_left_for_the_active_one) {
  HdfsWorld world{1};
  tests::FakeNameNode standby{{}};
  standby.set_intercept([](const FakeCall&) {
    return std::optional{exception_of("org.apache.hadoop.ipc.StandbyException", "state standby")};
  });
  auto settings = world.settings();
  settings.addresses = {standby.address(), world.name_node().address()};
  const auto files = world.client(settings);
  put(*files, path, "text");
  BOOST_TEST(text_of(*files, path) == "text");
}

}  // namespace heddle::interop::hdfs::name_node_test
