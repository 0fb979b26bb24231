// Goal: every queued attempt is reported once, in batches and in time, or retracted.
// Method: real slot threads; waits only on reports.
#include "work/tasks/slot_task_runner.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/no_threads.hpp"
#include "tests/support/slot_task_fixture.hpp"

namespace slot_task_runner_test {

namespace {

using namespace heddle;
using namespace heddle::work;

BOOST_AUTO_TEST_CASE(the_reporter_looks_less_often_the_longer_nothing_happens) {
  using std::chrono::microseconds;
  constexpr microseconds interval{1000};
  const std::vector<int> in_intervals{1, 2, 4, 8, 8, 8};
  for (int quiet = 0; quiet < std::ssize(in_intervals); ++quiet) {
    BOOST_TEST((reporter_pause(interval, false, quiet) == in_intervals[static_cast<std::size_t>(quiet)] * interval));
    BOOST_TEST((reporter_pause(interval, true, quiet) == 4 * interval));
  }
}

BOOST_AUTO_TEST_CASE(a_slot_whose_thread_cannot_start_is_an_error_and_no_abort) {
  SlotTaskRunnerSettings settings;
  settings.slots = 3;
  const FunctionRegistry functions;
  LocalFetch fetch;
  const RealClock clock;
  const std::string wanted = "cannot start the thread of task slot 1 of 3: ";
  {
    SlotTaskRunner runner{settings, functions, fetch, clock};
    const tests::NoThreads none;
    const auto made = runner.make_threads();
    BOOST_REQUIRE(!made.has_value());
    BOOST_TEST((made.error().code == Errc::io));
    BOOST_TEST(made.error().text.starts_with(wanted), made.error().text);
    BOOST_TEST(made.error().text.find("ulimit -u") != std::string::npos);
  }
  SlotTaskRunner runner{settings, functions, fetch, clock};
  const tests::NoThreads none;
  BOOST_CHECK_EXCEPTION(runner.start([](auto) {}), std::runtime_error,
                        [&wanted](const auto& fault) { return std::string{fault.what()}.starts_with(wanted); });
}

// Records read and running time, which rule TSM-15 needs.
BOOST_AUTO_TEST_CASE(a_running_attempt_reports_its_number_of_records_read) {
  SlotTaskFixture f{1};
  BOOST_TEST(f.runner->running().empty());
  const auto work = f.map_stage(1, FunctionBody{"read_and_wait"});
  f.run_map(work);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (f.runner->running().empty() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  const auto running = f.runner->running();
  BOOST_REQUIRE(running.size() == 1U);
  BOOST_TEST((running[0].stage == work.key));
  BOOST_TEST(running[0].index == 0);
  BOOST_TEST(running[0].records == 1);
  BOOST_TEST(running[0].run_us >= 0);
  f.runner->kill(work.key, 0, 0, "enough");
  f.reports.wait_for_ends(1);
  BOOST_TEST(f.runner->running().empty());
}

BOOST_AUTO_TEST_CASE(every_attempt_of_a_large_range_is_reported_once_in_batches) {
  SlotTaskFixture f;
  constexpr std::int32_t count = 200'000;
  const auto begin = std::chrono::steady_clock::now();
  f.run(f.stage(1, {FunctionBody{"do_nothing"}}, count), count);
  f.reports.wait_for_ends(count);
  const auto took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  BOOST_TEST_MESSAGE("no-op tasks per second: " << count / took);
  std::vector<int> seen(count, 0);
  for (const auto& end : f.reports.ends) {
    ++seen[static_cast<std::size_t>(end.index)];
    BOOST_REQUIRE(end.outcome.state == TaskState::finished);
  }
  BOOST_TEST((std::count(seen.begin(), seen.end(), 1) == count));
  BOOST_TEST(f.reports.batches < static_cast<std::size_t>(count / 20));
}

BOOST_AUTO_TEST_CASE(exactly_the_tasks_that_throw_fail_with_their_text) {
  SlotTaskFixture f;
  f.run(f.stage(1, {FunctionBody{"throw_sometimes"}}, 5000), 5000);
  f.reports.wait_for_ends(5000);
  int failed = 0;
  for (const auto& end : f.reports.ends) {
    if (end.outcome.state != TaskState::failed) continue;
    ++failed;
    BOOST_TEST(end.index % 1000 == 7);
    BOOST_TEST((end.outcome.failure == FailureKind::exception));
    BOOST_TEST(end.outcome.text == "as asked");
  }
  BOOST_TEST(failed == 5);
}

BOOST_AUTO_TEST_CASE(an_exception_of_a_port_fails_the_task_and_the_slot_goes_on) {
  SlotTaskFixture f{1};
  f.run_map(f.map_stage(5, IdentityBody{}));
  f.reports.wait_for_ends(1);
  f.place_shuffle(5, f.folder / "shuffle");
  const auto reduce = f.reduce_stage({5});
  const auto end_of_attempt = [&](std::int32_t attempt, const std::function<void()>& fetch) {
    f.fetch.on_fetched = fetch;
    const auto before = f.reports.ends.size();
    f.run(reduce, 1, attempt);
    f.reports.wait_for_ends(before + 1);
    BOOST_TEST(f.reports.ends.back().attempt == attempt);
    return f.reports.ends.back().outcome;
  };
  const std::string reason = "the executor could not run the task: ";
  const auto without_memory = end_of_attempt(0, [] { throw std::bad_alloc{}; });
  BOOST_TEST((without_memory.state == TaskState::failed));
  BOOST_TEST((without_memory.failure == FailureKind::internal));
  BOOST_TEST(without_memory.text == reason + std::bad_alloc{}.what());
  const auto broken = end_of_attempt(1, [] { throw std::runtime_error{"the port is broken"}; });
  BOOST_TEST((broken.state == TaskState::failed));
  BOOST_TEST(broken.text == reason + "the port is broken");
  BOOST_TEST(f.runner->running().empty());
  const auto whole = end_of_attempt(2, {});
  BOOST_TEST((whole.state == TaskState::finished), whole.text);
  BOOST_TEST(whole.records_read == 1);
}

BOOST_AUTO_TEST_CASE(a_long_task_delays_no_other_and_is_reported_as_running) {
  SlotTaskFixture f;
  const auto work = f.stage(1, {FunctionBody{"wait_if_first"}}, 1000);
  f.run(work, 1000);
  f.reports.wait_for_ends(999);
  f.reports.wait_for_running_task(0);
  f.runner->kill(work.key, 0, 0, "enough");
  f.reports.wait_for_ends(1000);
  BOOST_TEST((f.reports.ends.back().outcome.state == TaskState::killed));
  BOOST_TEST(f.reports.ends.back().outcome.text == "enough");
}

BOOST_AUTO_TEST_CASE(a_running_attempt_reports_what_tasks_wait_for_and_seldom_again) {
  SlotTaskFixture f{2};
  f.runner->report_wait("no task runs");
  const auto work = f.stage(1, {FunctionBody{"wait_if_first"}}, 1);
  f.run(work, 1);
  f.reports.wait_for_running(1);
  f.runner->report_wait("the NameNode is in safe mode");
  f.runner->report_wait("the NameNode is in safe mode again");
  BOOST_TEST(f.reports.waits == std::vector<std::string>{"the NameNode is in safe mode"});
  f.runner->kill(work.key, 0, 0, "enough");
  f.reports.wait_for_ends(1);
}

BOOST_AUTO_TEST_CASE(a_sign_of_life_counts_for_the_attempts_that_run) {
  SlotTaskFixture f{2};
  const auto work = f.stage(1, {FunctionBody{"wait_if_first"}}, 1);
  f.run(work, 1);
  f.reports.wait_for_running(1);
  const auto before = f.runner->progress(work.key, 0, 0)->signs;
  f.runner->add_sign();
  BOOST_TEST(f.runner->progress(work.key, 0, 0)->signs > before);
  f.runner->kill(work.key, 0, 0, "enough");
  f.reports.wait_for_ends(1);
  f.runner->add_sign();
}

BOOST_AUTO_TEST_CASE(queued_attempts_can_be_retracted_from_the_end_and_killed) {
  SlotTaskFixture f{1};
  const auto work = f.stage(1, {FunctionBody{"wait_if_first"}}, 10);
  f.run(work, 10);
  f.reports.wait_for_running(1);
  const auto back = f.runner->retract(4);
  BOOST_REQUIRE(back.size() == 1U);
  BOOST_TEST(back[0].first_index == 6);
  BOOST_TEST(back[0].count == 4);
  f.runner->kill(work.key, 3, 0, "other attempt won");
  f.reports.wait_for_ends(1);
  BOOST_TEST(f.reports.ends[0].index == 3);
  f.runner->kill(work.key, 0, 0, "enough");
  f.reports.wait_for_ends(6);
  std::vector<int> order;
  for (const auto& end : f.reports.ends) order.push_back(end.index);
  BOOST_TEST(order == (std::vector<int>{3, 0, 1, 2, 4, 5}), boost::test_tools::per_element());
}

// The texts of messages come from another process: no number in them is used unchecked.
BOOST_AUTO_TEST_CASE(a_range_that_no_driver_sends_fails_and_runs_nothing) {
  SlotTaskFixture f{1};
  const auto work = f.stage(1, {FunctionBody{"wait_until_killed"}}, 10);
  f.run(work, 1);  // the slot is busy, so that ranges stay in the queue
  f.reports.wait_for_running(1);
  constexpr auto largest = std::numeric_limits<std::int32_t>::max();
  std::vector<TaskRange> wrong{{work.key, 0, 3, 0, {TaskSplit{}}, {}}, {work.key, 4, 2, 0, {}, {TaskDevices{}}},
                               {work.key, -1, 2, 0, {}, {}},           {work.key, largest, 2, 0, {}, {}},
                               {work.key, 0, largest, 0, {}, {}},      {work.key, 3, 0, 0, {}, {}},
                               {work.key, 0, -5, 0, {TaskSplit{}}, {}}};
  for (const auto& range : wrong) f.runner->run(range);
  BOOST_TEST(f.runner->retract(5).empty());
  const auto reported = 3 + 2 + (wrong.size() - 2);  // all tasks, or one where their number is impossible
  f.reports.wait_for_ends(reported);
  for (const auto& end : f.reports.ends) {
    BOOST_TEST((end.outcome.state == TaskState::failed));
    BOOST_TEST(end.index >= 0);
    BOOST_TEST(end.outcome.text.starts_with("the executor got a launch message that it cannot use: "));
  }
  f.runner->kill(work.key, 0, 0, "enough");
  f.reports.wait_for_ends(reported + 1);
}

BOOST_AUTO_TEST_CASE(tasks_of_a_stage_with_impossible_numbers_fail_with_the_reason) {
  SlotTaskFixture f{1};
  const auto run_and_read = [&f](std::int32_t number, const std::function<void(StageProgram&)>& change) {
    auto work = f.stage(number, {FunctionBody{"do_nothing"}});
    change(work);
    const auto before = f.reports.ends.size();
    f.run(work, 1);
    f.reports.wait_for_ends(before + 1);
    return f.reports.ends.back().outcome.text;
  };
  BOOST_TEST(run_and_read(1, [](auto& work) {
               work.shuffle_inputs.push_back({ShuffleId{1}, -1, {}});
             }).ends_with("the number of maps of a shuffle is out of range"));
  BOOST_TEST(run_and_read(2, [](auto& work) {
               work.shuffle_inputs.assign(200, {ShuffleId{1}, stage_tasks_max, {}});
             }).ends_with("its shuffles have too many maps"));
  BOOST_TEST(run_and_read(3, [](auto& work) {
               work.shuffle_output = ShuffleOutput{ShuffleId{1}, 1 << 30, {}};
             }).ends_with("the number of partitions of its shuffle is out of range"));
}

BOOST_AUTO_TEST_CASE(slots_run_other_attempts_after_drop_all) {
  SlotTaskFixture f;
  f.run(f.stage(1, {FunctionBody{"wait_until_killed"}}, 10), 10);
  f.reports.wait_for_running(2);
  f.runner->drop_all("nobody waits for them");
  f.run(f.stage(2, {FunctionBody{"do_nothing"}}, 10), 10);
  const auto of_second = [&f] {
    return std::count_if(f.reports.ends.begin(), f.reports.ends.end(),
                         [](const auto& end) { return end.stage.stage.value == 2; });
  };
  f.reports.wait_for_ends(12);  // running attempts report the kill; queued ones report nothing
  BOOST_TEST(of_second() == 10);
  BOOST_TEST(f.reports.ends.size() == 12U);
}

/// Two slots ask for the time of their first claim. Keeps one of them there until `is_open`: slot 0, whose thread was
/// created first.
class ClaimGate final : public ports::Clock {
public:
  [[nodiscard]] Instant now() const override {
    const int own = ::gettid();
    const int place = arrived_.fetch_add(1);
    if (place < 2) {
      threads_[static_cast<std::size_t>(place)] = own;
      while (threads_[0] == 0 || threads_[1] == 0) std::this_thread::yield();
      while (own == std::min(threads_[0].load(), threads_[1].load()) && !is_open) std::this_thread::yield();
    }
    return RealClock{}.now();
  }
  std::atomic<bool> is_open{false};

private:
  mutable std::atomic<int> arrived_{0};
  mutable std::array<std::atomic<int>, 2> threads_{};
};

BOOST_AUTO_TEST_CASE(an_attempt_that_was_claimed_but_not_begun_when_the_runner_stops_does_not_run) {
  // static: a task function has no captures
  static ClaimGate gate;
  static std::atomic<bool> is_running{false};
  static std::atomic<bool> has_run_late{false};
  FunctionRegistry functions;
  functions.add("open_when_killed", [](TaskContext& task) {
    if (gate.is_open) {
      has_run_late = true;
      return;
    }
    is_running = true;
    wait_until_killed(task);
    gate.is_open = true;  // stop() has looked at slot 0 before
  });
  const ScratchFolder folder;
  SlotTaskRunnerSettings settings;
  settings.slots = 2;
  settings.work_directory = folder.path();
  settings.has_reporter = false;
  LocalFetch fetch;
  SlotTaskRunner runner{settings, functions, fetch, gate};
  runner.start([](auto) {});
  auto work = std::make_shared<StageProgram>();
  work->key = {JobId{0}, StageId{1}, 0};
  work->bodies = {FunctionBody{"open_when_killed"}};
  work->tasks = 2;
  runner.load_stage(work);
  runner.run({work->key, 0, 2, 0, {}, {}});
  while (!is_running) std::this_thread::yield();
  runner.stop();
  BOOST_TEST(gate.is_open);
  BOOST_TEST(!has_run_late);
}

BOOST_AUTO_TEST_CASE(a_running_command_is_killed_with_its_group) {
  SlotTaskFixture f;
  const auto work = f.stage(1, {shell("trap '' TERM; sleep 1000 & wait; sleep 1000")});
  f.run(work, 1);
  f.reports.wait_for_running(1);
  f.runner->kill(work.key, 0, 0, "cancelled");
  f.reports.wait_for_ends(1);
  BOOST_TEST((f.reports.ends[0].outcome.state == TaskState::killed));
}

BOOST_AUTO_TEST_CASE(without_a_reporter_a_slot_reports_each_end_itself) {
  SlotTaskFixture f{1, [](SlotTaskRunnerSettings& settings) { settings.has_reporter = false; }};
  for (int attempt = 0; attempt < 3; ++attempt) {
    f.run(f.stage(1, {shell("sleep 0.02")}), 1, attempt);
    f.reports.wait_for_ends(static_cast<std::size_t>(attempt) + 1);
  }
  BOOST_TEST((f.reports.ends[2].outcome.state == TaskState::finished));
}

BOOST_AUTO_TEST_CASE(a_simulated_slow_host_delays_the_end_of_its_tasks) {
  SlotTaskFixture f{1, [](SlotTaskRunnerSettings& settings) { settings.slowness = 5.0; }};
  f.run(f.stage(1, {shell("sleep 0.02")}), 1);
  f.reports.wait_for_ends(1);
  BOOST_TEST(f.reports.ends[0].outcome.run_us >= 100'000);
}

}  // namespace

}  // namespace slot_task_runner_test
