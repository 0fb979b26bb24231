// Goal: an IoThreadActor handles messages of other threads and delayed ones on the thread of the connections, and its
// system ends. Method: a real actor system with a middleman; the actor answers with its thread.
#include "runtime/net/io_thread_actor.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <thread>

#include "runtime/system_settings.hpp"

namespace io_thread_actor_test {
namespace {

using namespace std::chrono_literals;

/// Answers the number plus 1: at once, or after a message to itself that is delayed by 1 ms if the number is odd.
using Answerer = caf::typed_actor<caf::replies_to<int>::with<int>, caf::reacts_to<double>>;

struct Seen {
  std::thread::id started;
  std::thread::id handled;
  std::thread::id delayed;
};

class OnIoThread final : public heddle::runtime::IoThreadActor<Answerer::base> {
public:
  OnIoThread(caf::actor_config& config, Seen* seen) : IoThreadActor{config}, seen_{seen} {}
  behavior_type make_behavior() override {
    seen_->started = std::this_thread::get_id();
    return {
        [this](int number) -> caf::result<int> {
          seen_->handled = std::this_thread::get_id();
          if (number % 2 == 0) return number + 1;
          promise_ = make_response_promise<caf::typed_response_promise<int>>();
          delayed_send(this, 1ms, static_cast<double>(number));
          return promise_;
        },
        [this](double number) {
          seen_->delayed = std::this_thread::get_id();
          promise_.deliver(static_cast<int>(number) + 1);
          quit();
        },
    };
  }

private:
  Seen* seen_;
  caf::typed_response_promise<int> promise_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(handlers_run_on_the_thread_of_the_connections) {
  Seen seen;
  std::thread::id io_thread;
  {
    caf::actor_system_config config;
    heddle::runtime::SystemSettings settings;
    settings.scheduler_threads = 1;
    settings.has_network = true;
    settings.identity_low = 1;
    heddle::runtime::apply(config, settings);
    caf::actor_system system{config};
    io_thread = system.middleman().backend().thread_id();
    const auto actor = system.spawn<OnIoThread>(&seen);
    caf::scoped_actor self{system};
    for (const int number : {2, 4, 5})
      self->request(actor, 10s, number)
          .receive([number](int answer) { BOOST_TEST(answer == number + 1); },
                   [](const caf::error&) { BOOST_ERROR("no answer"); });
  }
  BOOST_TEST((seen.started == io_thread));
  BOOST_TEST((seen.handled == io_thread));
  BOOST_TEST((seen.delayed == io_thread));
}

}  // namespace io_thread_actor_test
