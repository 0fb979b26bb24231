// Goal: whatever is lost, late or repeated between a JobTracker and its TaskTrackers, and whichever of them die,
// register again or fall silent, no attempt is launched twice, an attempt has one cleanup at a time, and each job ends
// once with one winner per task. The same holds if the JobTracker is lost and the next one recovers the job. Method:
// random schedules of fake TaskTrackers in virtual time with faults, then a calm phase.
#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/random_stream.hpp"
#include "tests/actors/job_tracker/tracker_world.hpp"
#include "tests/support/schedule_count.hpp"

namespace heddle::actors {
namespace job_tracker_schedules_test {
namespace {

using State = TaskAttemptState;

/// What a TaskTracker process runs.
struct RunningAttempt {
  AttemptLaunch launch;
  TaskAttemptStatus status;
  bool is_silent = false;
};

class Schedule {
public:
  explicit Schedule(std::uint64_t seed)
      : random_{seed}, maps_{1 + pick(4)}, reduces_{pick(3)}, restarts_max_{chance(3) ? 1 + pick(2) : 0} {
    for (const std::string host : {"a", "b", "c"}) {
      auto& added = trackers_.emplace_back();
      added.name = added.host = host;
      added.peer = &world_.peer(host);
      runs_.emplace_back();
      pending_.emplace_back();
    }
    JobRules rules;
    rules.map_attempts_max = rules.reduce_attempts_max = 2 + pick(5);
    rules.tracker_failures_max = 100;
    std::vector<std::vector<std::string>> hosts(static_cast<std::size_t>(maps_));
    for (auto& each : hosts) each = {pick(2) == 0 ? "a" : "b"};
    world_.submit(reduces_ > 0 ? tests::map_reduce_package(hosts, reduces_) : tests::map_only_package(hosts), rules);
  }

  JobStatus run() {
    for (int step = 0; step < 200 && !is_over(); ++step) take_step(true);
    for (int calm = 0; !is_over(); ++calm) {
      BOOST_REQUIRE_MESSAGE(calm < 2000, "the job does not end; " << describe());
      take_step(false);
    }
    for (int step = 0; step < 10; ++step) beat(static_cast<std::size_t>(pick(trackers_.size())), true);
    const auto end = world_.client.last<JobFinished>();
    BOOST_TEST(world_.client.count<JobFinished>() == 1);
    BOOST_TEST(world_.events().count("role_failed") == 0);
    if (end.status == JobStatus::succeeded) check_outputs();
    return end.status;
  }
  /// How many JobTrackers were lost.
  [[nodiscard]] std::int32_t restarts() const { return restarts_; }
  /// How many cleanups of attempts were launched.
  [[nodiscard]] int task_cleanups() const { return task_cleanups_; }

private:
  std::int32_t pick(std::uint64_t count) { return static_cast<std::int32_t>(random_.below(count)); }
  bool chance(std::uint64_t rarity) { return random_.below(rarity) == 0; }
  [[nodiscard]] bool is_over() const { return world_.client.count<JobFinished>() > 0; }

  [[nodiscard]] std::string describe() const {
    std::string text = std::to_string(maps_) + " maps, " + std::to_string(reduces_) + " reduces";
    for (const auto& stage : world_.client.last<JobProgress>().stages)
      text += "; " + stage.name + ": " + std::to_string(stage.running) + " running, " + std::to_string(stage.finished) +
              " finished, " + std::to_string(stage.failed_attempts) + " failed attempts";
    text += "; waiting: " + world_.client.last<JobProgress>().waiting;
    for (std::size_t i = 0; i < runs_.size(); ++i)
      for (const auto& [id, attempt] : runs_[i])
        text += "; " + trackers_[i].name + " runs " + to_string(id.first) + " of type " +
                std::to_string(static_cast<int>(id.second)) + " in state " +
                std::to_string(static_cast<int>(attempt.status.state)) + (attempt.is_silent ? ", silent" : "");
    return text;
  }
  void check_outputs() const {
    const auto& winners = committed_.outputs.front().task_attempts;
    BOOST_TEST(committed_.is_commit);
    BOOST_TEST(winners.size() == static_cast<std::size_t>(reduces_ > 0 ? reduces_ : maps_));
    BOOST_TEST(std::set<std::string>(winners.begin(), winners.end()).size() == winners.size());
  }

  void take_step(bool with_faults) {
    const auto number = static_cast<std::size_t>(pick(trackers_.size()));
    if (with_faults && chance(12)) return make_fault(number);
    // Launches that no TaskTracker confirms fail after ten minutes (JT-3).
    if (!with_faults && chance(20)) return world_.advance(std::chrono::minutes{1});
    if (chance(3)) return world_.advance(std::chrono::milliseconds{100 + pick(1500)});
    for (auto& [id, attempt] : runs_[number]) work(attempt, with_faults);
    beat(number, with_faults);
  }

  // -- heartbeats --------------------------------------------------------------------------------
  /// A heartbeat without an answer is repeated unchanged.
  void beat(std::size_t number, bool with_faults) {
    auto& tracker = trackers_[number];
    auto& pending = pending_[number];
    if (!pending) {
      tracker.runs.clear();
      for (const auto& [id, attempt] : runs_[number]) tracker.runs.push_back(attempt.status);
      pending = world_.heartbeat_of(tracker);
      tracker.failed_fetches.clear();
    }
    const auto heard = static_cast<std::ptrdiff_t>(tracker.peer->heard->size());
    world_.say(*tracker.peer, world_.tracker, *pending);
    if (with_faults && chance(8)) return;  // the answer is lost
    const auto is_answer = [](const caf::message& each) { return each.match_elements<HeartbeatResponse>(); };
    const auto& messages = *tracker.peer->heard;
    if (std::none_of(std::next(messages.begin(), heard), messages.end(), is_answer)) return begin_again(number);
    const auto told = *std::exchange(pending, std::nullopt);
    std::erase_if(runs_[number], [&told](const auto& row) {
      return std::any_of(told.attempts.begin(), told.attempts.end(), [&row](const auto& status) {
        return status.attempt == row.second.status.attempt && status.is_cleanup == row.second.status.is_cleanup &&
               status.outcome.has_value();
      });
    });
    follow(number, tracker.peer->last<HeartbeatResponse>());
    // It arrives once more.
    if (with_faults && !told.is_initial_contact && chance(6)) world_.say(*tracker.peer, world_.tracker, told);
  }
  /// The JobTracker does not know the TaskTracker any more.
  void begin_again(std::size_t number) {
    runs_[number].clear();
    pending_[number].reset();
    trackers_[number].response_id = -1;
  }
  void follow(std::size_t number, const HeartbeatResponse& response) {
    trackers_[number].response_id = response.response_id;
    for (const auto& launch : response.launches) {
      if (launch.type == AttemptType::task_cleanup) check_cleanup(launch.attempt);
      else
        BOOST_REQUIRE_MESSAGE(launched_.insert(launch.attempt).second, to_string(launch.attempt)
                                                                           << " is launched twice");
      RunningAttempt attempt{launch, {}, false};
      attempt.status.attempt = launch.attempt;
      attempt.status.state = launch.state;
      attempt.status.is_cleanup = launch.type == AttemptType::task_cleanup;
      runs_[number].emplace(std::pair{launch.attempt, launch.type}, std::move(attempt));
    }
    for (auto& [id, attempt] : runs_[number]) {
      const auto& name = attempt.status.attempt;
      const auto has = [&name](const auto& list) { return std::find(list.begin(), list.end(), name) != list.end(); };
      if (has(response.kills)) finish(attempt, chance(2) ? State::killed : State::killed_unclean);
      else if (has(response.commits) && attempt.status.state == State::commit_pending)
        finish(attempt, State::succeeded);
    }
    std::erase_if(runs_[number], [&response](const auto& row) {
      const auto& ended = response.ended_jobs;
      return std::find(ended.begin(), ended.end(), row.second.status.attempt.job) != ended.end();
    });
  }

  /// The cleanup of an attempt runs under its name, and again if its TaskTracker is lost. Until then, or until its end
  /// is reported, neither the attempt nor its cleanup runs elsewhere.
  void check_cleanup(const TaskAttemptId& attempt) {
    ++task_cleanups_;
    for (std::size_t i = 0; i < runs_.size(); ++i)
      for (const auto& [id, running] : runs_[i])
        if (id.first == attempt && !is_end_told(i, running.status) && !is_lost(trackers_[i].name))
          BOOST_FAIL("the cleanup of " + to_string(attempt) + " is launched while it runs; " + describe());
  }
  /// The JobTracker has got its end; the answer may be lost.
  [[nodiscard]] bool is_end_told(std::size_t number, const TaskAttemptStatus& status) const {
    const auto& pending = pending_[number];
    return pending && std::any_of(pending->attempts.begin(), pending->attempts.end(), [&status](const auto& told) {
             return told.attempt == status.attempt && told.is_cleanup == status.is_cleanup && told.outcome.has_value();
           });
  }
  /// The JobTracker has given it up, which it may not know yet.
  [[nodiscard]] bool is_lost(const std::string& tracker) const {
    const auto& lines = world_.events().lines;
    const auto last = std::find_if(lines.rbegin(), lines.rend(), [&tracker](const std::string& line) {
      return line.find("\"tracker\":\"" + tracker + "\"") != std::string::npos &&
             (line.find("\"tracker_lost\"") != std::string::npos ||
              line.find("\"tracker_registered\"") != std::string::npos);
    });
    return last != lines.rend() && last->find("\"tracker_lost\"") != std::string::npos;
  }

  // -- attempts ----------------------------------------------------------------------------------
  void work(RunningAttempt& attempt, bool with_faults) {
    // A TaskTracker fails a silent attempt after the task time-out.
    if (!attempt.status.outcome && attempt.is_silent && !with_faults) return finish(attempt, State::failed);
    if (attempt.status.outcome || attempt.is_silent || chance(2)) return;
    const auto type = attempt.launch.type;
    const bool is_task = type == AttemptType::map || type == AttemptType::reduce;
    if (!is_task) return finish_special(attempt, with_faults);
    if (attempt.status.state != State::running) return;
    if (with_faults && chance(6)) return finish(attempt, chance(2) ? State::failed : State::failed_unclean);
    if (with_faults && chance(20)) attempt.is_silent = true;
    const bool has_output = type == AttemptType::reduce || reduces_ == 0;
    if (has_output) attempt.status.state = State::commit_pending;
    else finish(attempt, State::succeeded);
  }
  void finish_special(RunningAttempt& attempt, bool with_faults) {
    if (attempt.launch.type == AttemptType::task_cleanup)
      return finish(attempt, attempt.launch.state == State::killed_unclean ? State::killed : State::failed);
    const auto& output = attempt.launch.output;
    // It lost its claim on the outputs to a later JobTracker.
    const bool is_late = attempt.launch.type == AttemptType::job_cleanup && output.application_attempt <= restarts_;
    if (is_late || (with_faults && chance(10))) return finish(attempt, State::failed);
    if (attempt.launch.type == AttemptType::job_cleanup) committed_ = output;
    finish(attempt, State::succeeded);
  }
  void finish(RunningAttempt& attempt, State state) {
    attempt.status.state = state;
    attempt.status.outcome = TaskOutcome{};
    if (state == State::succeeded) {
      if (reduces_ > 0 && attempt.launch.type == AttemptType::map)
        attempt.status.place = MapOutputLocation{NodeId{0}, Epoch{1}, "a", "shuffle:1", "/files"};
      return;
    }
    attempt.status.outcome->state = TaskState::failed;
    attempt.status.outcome->failure = FailureKind::command_exit;
    attempt.status.outcome->text = "exit code 3";
  }

  // -- faults ------------------------------------------------------------------------------------
  void make_fault(std::size_t number) {
    auto& tracker = trackers_[number];
    if (restarts_ < restarts_max_ && chance(5)) return restart_job_tracker();
    switch (pick(6)) {
      case 0:
      case 1: return restart(tracker, number);
      case 2:  // it is cut off until the JobTracker gives it up
        if (chance(3)) world_.advance(std::chrono::minutes{11});
        return;
      case 3:
        if (!runs_[number].empty()) runs_[number].begin()->second.is_silent = true;
        return;
      case 4:
        for (auto& [id, attempt] : runs_[number])
          if (attempt.launch.type == AttemptType::reduce && attempt.status.state == State::running)
            tracker.failed_fetches.push_back(
                {attempt.status.attempt.job, false, pick(static_cast<std::uint64_t>(maps_)), pick(2)});
        return;
      default:
        if (chance(12)) world_.say(world_.client, world_.tracker, CancelJob{JobId{1}, "cancelled by the user"});
    }
  }
  /// The process dies, and another one with the same name starts; a heartbeat of the old one may arrive late.
  void restart(FakeTracker& tracker, std::size_t number) {
    const auto late = world_.heartbeat_of(tracker);
    const auto& old = *tracker.peer;
    const bool is_told = chance(2);
    const std::string address = tracker.host + std::to_string(++tracker.incarnation);
    if (is_told) world_.kill(old);
    tracker.peer = &world_.peer(address);
    begin_again(number);
    beat(number, false);
    if (!is_told) world_.say(old, world_.tracker, late);
  }

  /// It is killed, and the next one recovers its job. The TaskTrackers learn that with their next heartbeats.
  void restart_job_tracker() {
    caf::anon_send_exit(world_.tracker, caf::exit_reason::kill);
    world_.settle();
    std::vector<RecoveredJob> jobs;
    for (const auto& [id, submission] : world_.store.rows) jobs.push_back({submission});
    world_.is_committed = committed_.is_commit;
    world_.start(TrackerWorld::restarted(++restarts_, std::move(jobs)), true);
    SubmitJob again{8, {}, {}, restarts_};
    again.earlier_job = JobId{1};
    world_.say(world_.client, world_.tracker, again);
  }

  RandomStream random_;
  std::int32_t maps_;
  std::int32_t reduces_;
  std::int32_t restarts_max_;  // so many JobTrackers may be lost
  std::int32_t restarts_ = 0;
  int task_cleanups_ = 0;
  TrackerWorld world_{TrackerWorld::WithStore{}};
  std::vector<FakeTracker> trackers_;
  std::vector<std::map<std::pair<TaskAttemptId, AttemptType>, RunningAttempt>> runs_;  // by TaskTracker
  std::vector<std::optional<TrackerHeartbeat>> pending_;  // heartbeats without an answer, by TaskTracker
  std::set<TaskAttemptId> launched_;
  OutputWork committed_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(job_tracker_schedules)

BOOST_AUTO_TEST_CASE(lost_and_repeated_heartbeats_launch_nothing_twice) {
  std::map<JobStatus, int> ends;
  std::map<JobStatus, int> recovered;
  int task_cleanups = 0;
  for (std::uint64_t seed = 1; seed <= tests::schedule_count(500); ++seed) BOOST_TEST_CONTEXT("seed " << seed) {
      Schedule schedule{seed};
      const auto end = schedule.run();
      (schedule.restarts() > 0 ? recovered : ends)[end] += 1;
      task_cleanups += schedule.task_cleanups();
    }
  for (const auto status : {JobStatus::succeeded, JobStatus::failed, JobStatus::cancelled}) {
    BOOST_TEST(ends[status] > 5, static_cast<int>(status));
    BOOST_TEST(recovered[status] > 0, "recovered: " << static_cast<int>(status));
  }
  BOOST_TEST(task_cleanups > 100);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace job_tracker_schedules_test
}  // namespace heddle::actors
