// Goal: a request ends in time also while the system looks up the name of the host, and is an error without memory or
// descriptors. Method: look-ups that a test holds, or that throw.
#include "interop/logs/http_get.hpp"

#include <dlfcn.h>
#include <netdb.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <string>

#include "tests/support/scarcity.hpp"

namespace heddle::interop::http_get_test {
namespace {

/// Look-ups of this host wait for release(), 20 s at most.
constexpr const char* held_host = "held.invalid";
/// Look-ups of this host throw.
constexpr const char* faulty_host = "faulty.invalid";

class HeldLookUps {
public:
  /// Called on the thread of a look-up.
  void wait() {
    std::unique_lock lock{mutex_};
    ++running_;
    changed_.wait_for(lock, std::chrono::seconds{20}, [this] { return is_released_; });
    --running_;
    changed_.notify_all();
  }
  [[nodiscard]] int running() {
    const std::lock_guard lock{mutex_};
    return running_;
  }
  [[nodiscard]] bool wait_until_running(int count) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, std::chrono::seconds{20}, [&] { return running_ == count; });
  }
  void release() {
    std::unique_lock lock{mutex_};
    is_released_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return running_ == 0; });
    is_released_ = false;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int running_ = 0;
  bool is_released_ = false;
};

HeldLookUps& held_look_ups() {
  static auto* made = new HeldLookUps;  // outlives the threads of look-ups
  return *made;
}

Result<Done> get(const HttpRules& rules) {
  return http_get(std::string{"http://"} + held_host + ":8042/", rules, [](std::string_view) { return Done{}; });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(http_get_of_a_name)

BOOST_AUTO_TEST_CASE(a_look_up_without_end_ends_at_the_time_limit) {
  HttpRules rules;
  rules.silence_ms = 50;
  const auto got = get(rules);
  BOOST_REQUIRE(!got);
  BOOST_TEST((got.error().code == Errc::timed_out), got.error().text);
  BOOST_TEST(held_look_ups().wait_until_running(1));
  held_look_ups().release();
}

BOOST_AUTO_TEST_CASE(a_look_up_without_end_can_be_cancelled) {
  HttpRules rules;
  rules.silence_ms = 600'000;
  rules.is_cancelled = [] { return held_look_ups().running() == 1; };
  const auto got = get(rules);
  BOOST_REQUIRE(!got);
  BOOST_TEST((got.error().code == Errc::cancelled), got.error().text);
  BOOST_TEST(held_look_ups().running() == 1);
  held_look_ups().release();
}

BOOST_AUTO_TEST_CASE(a_name_that_does_not_resolve_is_unreachable) {
  const auto got = http_get("http://none.invalid:8042/", {}, [](std::string_view) { return Done{}; });
  BOOST_REQUIRE(!got);
  BOOST_TEST((got.error().code == Errc::unreachable), got.error().text);
}

BOOST_AUTO_TEST_CASE(a_look_up_without_memory_is_an_error) {
  const auto got =
      http_get(std::string{"http://"} + faulty_host + ":8042/", {}, [](std::string_view) { return Done{}; });
  BOOST_REQUIRE(!got);
  BOOST_TEST((got.error().code == Errc::unreachable), got.error().text);
}

BOOST_AUTO_TEST_CASE(a_request_without_descriptors_is_an_error_that_names_its_url) {
  const work::NoDescriptors none;
  const auto got = http_get("http://127.0.0.1:1/", {}, [](std::string_view) { return Done{}; });
  BOOST_REQUIRE(!got);
  BOOST_TEST(got.error().text.starts_with("cannot read http://127.0.0.1:1/: "), got.error().text);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heddle::interop::http_get_test

/// The look-up of this program instead of that of the system.
extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
  using namespace heddle::interop::http_get_test;
  if (name != nullptr && std::string{name} == held_host) {
    held_look_ups().wait();
    return EAI_AGAIN;
  }
  if (name != nullptr && std::string{name} == faulty_host) throw std::bad_alloc{};
  if (name != nullptr && std::string{name}.ends_with(".invalid")) return EAI_NONAME;
  using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  return real(name, service, hints, found);
}
