// An actor system with a fake server of Hadoop, for tests of links.
#pragma once

#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interop/hadoop/proto/yarn_protocols.pb.h"
#include "interop/hadoop/rpc_client.hpp"
#include "interop/hadoop/rpc_thread.hpp"
#include "messages/registration.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/world/real_clock.hpp"
#include "tests/support/fake_rpc_server.hpp"

namespace heddle::interop {

/// The answers of a fake server by method, in order; the last one is repeated.
class ScriptedAnswers {
public:
  ScriptedAnswers& add(const std::string& method, tests::FakeAnswer answer) {
    const std::lock_guard lock{mutex_};
    answers_[method].push_back(std::move(answer));
    return *this;
  }
  [[nodiscard]] tests::FakeAnswer next(const tests::FakeCall& call) {
    const std::lock_guard lock{mutex_};
    auto& left = answers_[call.method];
    if (left.empty()) return tests::exception_of("java.io.IOException", "the test has no answer to " + call.method);
    auto answer = left.front();
    if (left.size() > 1) left.erase(left.begin());
    return answer;
  }

private:
  std::mutex mutex_;
  std::map<std::string, std::vector<tests::FakeAnswer>> answers_;
};

inline constexpr RetryRules quick_retries{
    .connect_timeout_ms = 5'000, .first_wait_ms = 1, .wait_max_ms = 5, .give_up_after_ms = 20'000};
/// Ends a call with the first fault.
inline constexpr RetryRules no_retries{.connect_timeout_ms = 5'000, .give_up_after_ms = 0};

struct LinkWorld {
  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
  runtime::RealClock clock;
  ScriptedAnswers answers;
  tests::FakeRpcServer server;
  RpcThread thread;
  std::optional<caf::scoped_actor> self;
  std::vector<caf::actor> links;  // end before the thread

  explicit LinkWorld(tests::FakeServerSettings settings = {})
      : server{[this](const tests::FakeCall& call) { return answers.next(call); }, std::move(settings)} {
    register_messages(config);
    config.set("scheduler.max-threads", std::size_t{1});
    system = std::make_unique<caf::actor_system>(config);
    self.emplace(*system);
  }
  ~LinkWorld() {
    for (auto& link : links) {
      caf::anon_send_exit(link, caf::exit_reason::user_shutdown);
      (*self)->wait_for(link);
    }
    links.clear();
    self.reset();
    system.reset();
    BOOST_TEST(server.violation() == "");
  }
  LinkWorld(const LinkWorld&) = delete;
  LinkWorld& operator=(const LinkWorld&) = delete;

  [[nodiscard]] runtime::ActorTools tools() const { return {&clock, nullptr, RandomStream{1}, {}, false}; }
  template <class Handle>
  Handle keep(Handle link) {
    links.push_back(caf::actor_cast<caf::actor>(link));
    return link;
  }
  /// The next message, which must be of this type.
  template <class Message>
  [[nodiscard]] Message next() {
    std::optional<Message> got;
    (*self)->receive([&](const Message& message) { got = message; }, caf::after(std::chrono::seconds{20}) >> [] {});
    BOOST_REQUIRE_MESSAGE(got.has_value(), "no such message has come");
    return *got;
  }
  /// The request of the call with this number of this method.
  template <class Message>
  [[nodiscard]] Message request(const std::string& method, std::size_t number = 0) const {
    Message found;
    for (const auto& call : server.calls())
      if (call.method == method && number-- == 0) {
        BOOST_REQUIRE(found.ParseFromString(call.request));
        return found;
      }
    BOOST_FAIL("no call of " << method);
    return found;
  }
};

}  // namespace heddle::interop
