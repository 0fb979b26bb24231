// Goal: of the history of earlier masters the succeeded tasks are kept, each with all its attempts.
#include "actors/map_reduce_master/history_recovery.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <variant>

#include "actors/map_reduce_master/history_values.hpp"

namespace heddle::actors {
namespace history_recovery_test {
namespace {

constexpr ApplicationId job{1000, 1};
constexpr history::TaskName map{job, false, 3};
constexpr history::AttemptName first{map, 0};
constexpr history::AttemptName second{map, 1};
const MapOutputLocation place{NodeId{5}, Epoch{7}, "b", "127.0.0.1:4711", "/files"};

HistoryOpened read(const std::vector<history::Event>& events) {
  HistoryOpened answer;
  read_history(events, answer);
  return answer;
}

history::Event started(const history::AttemptName& attempt, const std::string& host) {
  history::AttemptStarted event;
  event.attempt = attempt;
  event.start_time = 100 + attempt.attempt;
  event.tracker = host + ":4444";
  return event;
}

history::Event lost(const history::AttemptName& attempt, history::BadEnd end) {
  history::AttemptUnsuccessful event;
  event.attempt = attempt;
  event.finish_time = 150;
  event.end = end;
  return event;
}

history::Event finished(const history::AttemptName& attempt, const std::string& host) {
  TaskOutcome outcome;
  outcome.records_read = 9;
  return history::MapAttemptFinished{attempt,           AttemptType::map,         200, 200, host, -1, "/r",
                                     place_text(place), history_counters(outcome)};
}

history::Event task_finished(const history::AttemptName& winner) {
  return history::TaskFinished{winner.task, AttemptType::map, 201, {}, winner};
}

BOOST_AUTO_TEST_CASE(a_succeeded_task_is_kept_with_its_attempts) {
  const auto answer =
      read({history::JobSubmitted{job, "j", "me", 50, "", ""}, history::JobInited{job, 60, 4, 0}, started(first, "a"),
            lost(first, history::BadEnd::failed), started(second, "b"), finished(second, "b"), task_finished(second)});
  BOOST_TEST(answer.submit_ms == 50);
  BOOST_TEST(answer.launch_ms == 60);
  BOOST_TEST_REQUIRE(answer.tasks.size() == 1U);
  const auto& task = answer.tasks.front();
  BOOST_TEST(!task.is_reduce);
  BOOST_TEST(task.task == 3);
  BOOST_TEST(task.winner == 1);
  BOOST_TEST(task.outcome.records_read == 9);
  BOOST_TEST((task.place == place));
  BOOST_TEST_REQUIRE(task.attempts.size() == 2U);
  BOOST_TEST((task.attempts[0].end == TaskAttemptState::failed));
  BOOST_TEST(task.attempts[0].host == "a");
  BOOST_TEST(task.attempts[0].start_ms == 100);
  BOOST_TEST(task.attempts[0].finish_ms == 150);
  BOOST_TEST((task.attempts[1].end == TaskAttemptState::succeeded));
  BOOST_TEST(task.attempts[1].host == "b");
}

BOOST_AUTO_TEST_CASE(a_time_after_the_year_9999_or_before_1970_is_unknown) {
  for (const std::int64_t absurd : {std::numeric_limits<std::int64_t>::max(), std::int64_t{253'402'300'800'000},
                                    std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
    auto start = std::get<history::AttemptStarted>(started(second, "b"));
    start.start_time = absurd;
    auto finish = std::get<history::MapAttemptFinished>(finished(second, "b"));
    finish.finish_time = absurd;
    const auto answer = read({history::JobSubmitted{job, "j", "me", absurd, "", ""},
                              history::JobInited{job, absurd, 4, 0}, start, finish, task_finished(second)});
    BOOST_TEST(answer.submit_ms == 0);
    BOOST_TEST(answer.launch_ms == 0);
    BOOST_TEST_REQUIRE(answer.tasks.size() == 1U);
    BOOST_TEST(answer.tasks.front().attempts.front().start_ms == 0);
    BOOST_TEST(answer.tasks.front().attempts.front().finish_ms == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_task_whose_end_is_not_in_the_history_is_not_kept) {
  BOOST_TEST(read({started(first, "a"), finished(first, "a")}).tasks.empty());
  BOOST_TEST(read({started(first, "a")}).tasks.empty());
  BOOST_TEST(read({task_finished(first)}).tasks.empty());  // without its attempt
}

BOOST_AUTO_TEST_CASE(a_map_whose_output_was_lost_is_not_kept_until_it_succeeds_again) {
  std::vector<history::Event> events{started(first, "a"), finished(first, "a"), task_finished(first),
                                     lost(first, history::BadEnd::killed)};
  BOOST_TEST(read(events).tasks.empty());
  events.insert(events.end(), {started(second, "b"), finished(second, "b"), task_finished(second)});
  BOOST_TEST_REQUIRE(read(events).tasks.size() == 1U);
  BOOST_TEST(read(events).tasks.front().winner == 1);
}

BOOST_AUTO_TEST_CASE(a_failed_task_is_not_kept) {
  history::TaskFailed failed;
  failed.task = map;
  BOOST_TEST(read({started(first, "a"), finished(first, "a"), task_finished(first), failed}).tasks.empty());
}

BOOST_AUTO_TEST_CASE(an_attempt_without_end_is_kept_with_its_task) {
  const auto answer = read({started(first, "a"), started(second, "b"), finished(second, "b"), task_finished(second)});
  BOOST_TEST_REQUIRE(answer.tasks.size() == 1U);
  BOOST_TEST((answer.tasks.front().attempts[0].end == TaskAttemptState::running));
}

}  // namespace
}  // namespace history_recovery_test
}  // namespace heddle::actors
