// Goal: logs come from the web service of a NodeManager, and its faults are explained. Method: a fake HTTP server.
#include "interop/logs/node_logs.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>

#include "tests/support/fake_http_server.hpp"
#include "tests/support/kept_logs.hpp"

namespace heddle::interop {
namespace node_logs_test {
namespace {

using tests::FakeHttpServer;
using tests::HttpAnswer;

const std::string container = "container_1700000000000_0007_01_000001";

HttpAnswer answer(const std::string& target) {
  if (target == "/ws/v1/node/containers/" + container + "/logs?user.name=ann")
    return {200,
            R"({"containerLogsInfo":{"containerLogInfo":[{"fileName":"stderr","fileSize":"5"},)"
            R"({"fileName":"a b","fileSize":"3"}],"containerId":")" +
                container + "\"}}",
            true};
  if (target == "/ws/v1/node/containerlogs/" + container + "/stderr?user.name=ann")
    return {200, "Container: x\nLogLength:5\nLogContents:\nlinesEnd of LogType:stderr\n", true};
  if (target == "/ws/v1/node/containerlogs/" + container + "/a%20b?user.name=ann") return {200, "abc"};
  return {503, R"({"RemoteException":{"message":"Unknown container. Container either has not started"}})"};
}

struct World {
  FakeHttpServer server;
  HttpRules rules;
  tests::KeptLogs kept;

  explicit World(FakeHttpServer::Handler handler) : server{std::move(handler)} { rules.silence_ms = 5'000; }
  Result<Done> visit(const std::string& name = container) {
    return visit_node_logs("http://" + server.address(), name, "ann", rules, kept);
  }
};

BOOST_AUTO_TEST_CASE(all_log_files_of_a_container_are_visited) {
  World world{answer};
  const auto visited = world.visit();
  BOOST_REQUIRE_MESSAGE(visited.has_value(), (visited ? "" : visited.error().text));
  BOOST_TEST(world.kept.text() == "1 a b: abc\n1 stderr: lines\n");
  BOOST_TEST(world.kept.files[1].file.host == "127.0.0.1");
  BOOST_TEST(world.kept.files[1].file.place ==
             "http://" + world.server.address() + "/ws/v1/node/containerlogs/" + container + "/stderr");
}

BOOST_AUTO_TEST_CASE(a_container_that_the_node_manager_does_not_know_is_not_found) {
  World world{answer};
  const auto unknown = world.visit("container_1700000000000_0007_01_000009");
  BOOST_TEST((unknown.error().code == Errc::not_found));
  BOOST_TEST(unknown.error().text == "the NodeManager at http://" + world.server.address() +
                                         " does not know container_1700000000000_0007_01_000009");
}

BOOST_AUTO_TEST_CASE(faults_of_the_service_are_errors_with_its_address) {
  const std::vector<std::pair<HttpAnswer, Errc>> table{
      {{403, "you are not ann\nat java"}, Errc::refused},
      {{404, ""}, Errc::not_found},
      {{500, "broken"}, Errc::failed},
      {{200, "<html>"}, Errc::corrupt},
      {{200, "{\"containerLogsInfo\"", false, true}, Errc::unreachable}};
  for (const auto& [made, code] : table) {
    World world{[made = made](const std::string&) { return made; }};
    const auto failed = world.visit();
    BOOST_TEST((failed.error().code == code), failed.error().text);
    if (made.status == 403) BOOST_TEST(failed.error().text.ends_with("answers with HTTP status 403: you are not ann"));
  }
  World world{answer};
  const auto nobody = visit_node_logs("http://127.0.0.1:1", container, "ann", world.rules, world.kept);
  BOOST_TEST((nobody.error().code == Errc::unreachable));
}

BOOST_AUTO_TEST_CASE(a_silent_service_is_left_after_the_time_limit_or_a_cancellation) {
  World world{[](const std::string&) { return HttpAnswer{200, "", false, false, true}; }};
  world.rules.silence_ms = 50;
  BOOST_TEST((world.visit().error().code == Errc::timed_out));
  world.rules.silence_ms = 60'000;
  world.rules.is_cancelled = [] { return true; };
  BOOST_TEST((world.visit().error().code == Errc::cancelled));
}

BOOST_AUTO_TEST_CASE(a_url_is_host_port_and_target) {
  BOOST_TEST((parse_url("http://h1:8042/a?b=c").value() == HttpUrl{"h1", "8042", "/a?b=c"}));
  BOOST_TEST((parse_url("http://h1").value() == HttpUrl{"h1", "80", "/"}));
  BOOST_TEST((parse_url("https://h1:8044/").error().code == Errc::refused));
  for (const auto* wrong :
       {"", "h1:8042", "http://", "http://:1/", "http://h1:x/", "http://h1:1/a b", "http://h1:1/\r\nX: y"})
    BOOST_TEST((parse_url(wrong).error().code == Errc::usage), wrong);
}

}  // namespace
}  // namespace node_logs_test
}  // namespace heddle::interop
