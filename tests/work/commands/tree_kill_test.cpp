// Goal: a kill never blocks the thread that watches the processes, and never uses an object that is gone.
// Method: kills that wait for the test.
#include "work/commands/tree_kill.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "model/assert.hpp"
#include "tests/support/no_threads.hpp"

namespace tree_kill_test {
namespace {

using heddle::work::TreeKill;

/// Opens once. A thread that is left behind may hold it longer than the test.
class Gate {
public:
  void open() {
    const std::lock_guard lock{mutex_};
    is_open_ = true;
    opened_.notify_all();
  }
  void wait() { HEDDLE_ASSERT(opens_within(std::chrono::seconds{60}), "the gate stays closed"); }
  [[nodiscard]] bool opens_within(std::chrono::milliseconds time) {
    std::unique_lock lock{mutex_};
    return opened_.wait_for(lock, time, [this] { return is_open_; });
  }

private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

BOOST_AUTO_TEST_CASE(a_kill_runs_on_its_own_thread_and_is_done_before_it_reports) {
  Gate may_kill;
  Gate reported;
  std::thread::id killer;
  bool has_killed = false;
  bool was_done = false;
  const TreeKill* kill = nullptr;
  TreeKill made{[&] {
                  may_kill.wait();
                  killer = std::this_thread::get_id();
                  has_killed = true;
                },
                [&] {
                  was_done = has_killed && kill->is_done();
                  reported.open();
                }};
  kill = &made;
  BOOST_TEST(!made.is_done());  // the constructor does not wait for the kill
  may_kill.open();
  reported.wait();
  BOOST_TEST(was_done);
  BOOST_TEST((killer != std::this_thread::get_id()));
  BOOST_TEST(made.is_done());
}

BOOST_AUTO_TEST_CASE(a_kill_that_hangs_is_left_behind_and_still_reports) {
  const auto may_kill = std::make_shared<Gate>();
  const auto reported = std::make_shared<Gate>();
  std::optional<TreeKill> kill;
  kill.emplace([may_kill] { may_kill->wait(); }, [reported] { reported->open(); });
  kill.reset();  // returns although the kill does not
  may_kill->open();
  reported->wait();
}

BOOST_AUTO_TEST_CASE(a_kill_that_is_done_ends_before_its_object) {
  Gate reporting;
  Gate destroyed;
  bool is_gone_too_early = false;
  std::optional<TreeKill> kill;
  kill.emplace([] {},
               [&] {
                 reporting.open();
                 is_gone_too_early = destroyed.opens_within(std::chrono::milliseconds{100});
               });
  reporting.wait();
  kill.reset();
  destroyed.open();
  BOOST_TEST(!is_gone_too_early);
}

BOOST_AUTO_TEST_CASE(without_a_thread_a_kill_runs_before_its_constructor_returns) {
  std::vector<std::pair<std::string, std::thread::id>> calls;
  const auto call = [&calls](const char* name) {
    return [&calls, name] { calls.emplace_back(name, std::this_thread::get_id()); };
  };
  {
    std::optional<TreeKill> kill;
    {
      const heddle::tests::NoThreads none;
      kill.emplace(call("kill"), call("on_done"));
    }
    const auto self = std::this_thread::get_id();
    const decltype(calls) expected{{"kill", self}, {"on_done", self}};
    BOOST_TEST((calls == expected));
    BOOST_TEST(kill->is_done());
  }
  BOOST_TEST(calls.size() == 2U);
}

}  // namespace
}  // namespace tree_kill_test
