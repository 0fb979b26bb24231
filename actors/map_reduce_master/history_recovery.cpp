#include "actors/map_reduce_master/history_recovery.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "actors/map_reduce_master/history_values.hpp"

namespace heddle::actors {
namespace {

/// A damaged history can have any number. Later times than the year 9999 would overflow an Instant; they are unknown.
std::int64_t known_time(std::int64_t wall_ms) {
  constexpr std::int64_t latest_ms = 253'402'300'799'999;
  return wall_ms >= 0 && wall_ms <= latest_ms ? wall_ms : 0;
}

/// One task while its events are read. The events outlive it.
struct TaskReading {
  std::map<std::int32_t, RecordedTaskAttempt> attempts;
  std::map<std::int32_t, const history::Counters*> counters;  // of succeeded attempts
  std::map<std::int32_t, const std::string*> states;
  std::optional<std::int32_t> winner;

  RecordedTaskAttempt& attempt(std::int32_t number) {
    auto& row = attempts[number];
    row.attempt = number;
    return row;
  }
};

struct HistoryReader {
  HistoryOpened& answer;
  std::map<history::TaskName, TaskReading> tasks;

  template <class Other>
  void operator()(const Other&) {}

  void operator()(const history::JobSubmitted& event) { answer.submit_ms = known_time(event.submit_time); }
  void operator()(const history::JobInited& event) { answer.launch_ms = known_time(event.launch_time); }
  void operator()(const history::JobUnsuccessful& event) {
    answer.end = RecordedEnd{event.end == history::BadEnd::killed, event.diagnostics};
  }
  void operator()(const history::TaskFinished& event) {
    if (event.winner) tasks[event.task].winner = event.winner->attempt;
  }
  void operator()(const history::TaskFailed& event) { tasks[event.task].winner.reset(); }
  void operator()(const history::AttemptStarted& event) {
    auto& attempt = tasks[event.attempt.task].attempt(event.attempt.attempt);
    attempt.start_ms = known_time(event.start_time);
    attempt.host = event.tracker.substr(0, event.tracker.rfind(':'));
  }
  void operator()(const history::MapAttemptFinished& event) { succeed(event); }
  void operator()(const history::ReduceAttemptFinished& event) { succeed(event); }
  void operator()(const history::AttemptUnsuccessful& event) {
    auto& task = tasks[event.attempt.task];
    auto& attempt = task.attempt(event.attempt.attempt);
    attempt.end = event.end == history::BadEnd::failed ? TaskAttemptState::failed : TaskAttemptState::killed;
    attempt.finish_ms = known_time(event.finish_time);
    if (!event.host.empty()) attempt.host = event.host;
    if (task.winner == event.attempt.attempt) task.winner.reset();  // its output was lost
  }

  template <class Finished>
  void succeed(const Finished& event) {
    auto& task = tasks[event.attempt.task];
    auto& attempt = task.attempt(event.attempt.attempt);
    attempt.end = TaskAttemptState::succeeded;
    attempt.finish_ms = known_time(event.finish_time);
    attempt.host = event.host;
    task.counters[event.attempt.attempt] = &event.counters;
    task.states[event.attempt.attempt] = &event.state;
  }
};

}  // namespace

void read_history(const std::vector<history::Event>& events, HistoryOpened& answer) {
  HistoryReader reader{answer, {}};
  for (const auto& event : events) std::visit(reader, event);
  for (auto& [name, task] : reader.tasks) {
    const auto counters = task.winner ? task.counters.find(*task.winner) : task.counters.end();
    if (counters == task.counters.end()) continue;
    RecordedTask kept{name.is_reduce, name.task, *task.winner, {}, outcome_of(*counters->second), {}};
    if (!name.is_reduce) kept.place = read_place(*task.states.at(*task.winner), task.attempts.at(*task.winner).host);
    for (auto& [number, attempt] : task.attempts) kept.attempts.push_back(std::move(attempt));
    answer.tasks.push_back(std::move(kept));
  }
}

}  // namespace heddle::actors
