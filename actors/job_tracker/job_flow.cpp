#include "actors/job_tracker/job_flow.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "actors/job_tracker/decision_texts.hpp"
#include "actors/job_tracker/history_flow.hpp"
#include "actors/job_tracker/history_values.hpp"

namespace heddle::actors {
namespace {

/// As in Hadoop 1.2, so that late messages about attempts of an earlier JobTracker match no attempt.
constexpr std::int32_t attempts_per_restart = 1'000;
/// An earlier JobTracker may have ended jobs that are in no store any more; their ids are not used again.
constexpr std::int64_t jobs_per_restart = 100'000;

std::string make_token(TrackingTurn& turn) {
  auto& state = turn.state;
  if (state.ports.make_token) return state.ports.make_token();
  const std::uint64_t first = state.random.next();
  return fmt::format("{:016x}{:016x}", first, state.random.next());
}

void mark_progress(TrackingTurn& turn) {
  auto& due = turn.state.progress_due;
  if (!due) due = turn.now + turn.state.settings.progress_interval;
}

std::string slots_text(const TrackingState& state, const TrackedJob& job) {
  const bool reduces = job.maps.progress.is_done;
  const auto& cluster = state.scheduler.cluster();
  return fmt::format("waits for a {} slot: {} of {} are in use", reduces ? "reduce" : "map", cluster.running(reduces),
                     cluster.capacity(reduces));
}

std::string setup_text(const TrackingState& state, const TrackedJob& job) {
  for (const auto& [attempt, launched] : job.attempts.launched)
    if (type_of(job, attempt) == AttemptType::job_setup)
      return fmt::format("its job setup has not finished: attempt {} runs on {}, and {} may fail (rule SC-3)",
                         attempt.attempt - job.origin.first_attempt + 1, launched.tracker,
                         attempt.is_reduce ? job.rules.reduce_attempts_max : job.rules.map_attempts_max);
  const auto& cluster = state.scheduler.cluster();
  return fmt::format("its job setup does not run: {} of {} map slots and {} of {} reduce slots are in use (rule SC-3)",
                     cluster.running(false), cluster.capacity(false), cluster.running(true), cluster.capacity(true));
}

/// Why no task of the job runs, and the rule; empty if one does.
std::string waiting_text(const TrackingState& state, const TrackedJob& job) {
  const auto trackers = state.scheduler.cluster().tracker_count();
  if (trackers == 0) return "no TaskTracker is registered: there are 0 map slots and 0 reduce slots (rule JQ-5)";
  if (!job.work) return "its package is being read: 0 of its tasks are known (rule SC-3)";
  const auto& scheduled = state.scheduler.jobs().at(job.id);
  if (scheduled.counts(false).running + scheduled.counts(true).running > 0) return {};
  switch (state.scheduler.explain(job.id)) {
    case policies::JobRefusal::waits_for_setup: return setup_text(state, job);
    case policies::JobRefusal::waits_for_slot: return slots_text(state, job) + " (rule JQ-5)";
    case policies::JobRefusal::padding:
      return slots_text(state, job) + ", and padding keeps the others for jobs before it (rule JQ-10)";
    case policies::JobRefusal::avoids_free_hosts:
      return slots_text(state, job) + ", and it avoids the others after failures there (rule JP-8)";
    case policies::JobRefusal::waits_for_space:
      return fmt::format(
          "{}, and the disks of the others have no room for the {} bytes that a map is expected to write "
          "(rule JP-1)",
          slots_text(state, job), scheduled.map_output_estimate());
    default: return {};
  }
}

void send_progress(TrackingTurn& turn, TrackedJob& job) {
  if (!job.has_client) return;
  JobProgress message;
  message.job = job.id;
  for (const bool reduces : {false, true}) {
    if (!job.work || (reduces && !job.work->has_reduces())) break;
    auto& progress = job.tasks(reduces).progress;
    progress.running = turn.state.scheduler.jobs().at(job.id).counts(reduces).running;
    update_elapsed(job.tasks(reduces), turn.now);
    message.stages.push_back(progress);
  }
  message.executors = message.executors_wanted = turn.state.scheduler.cluster().tracker_count();
  message.waiting = waiting_text(turn.state, job);
  turn.effects.push_back(SendToJobClient{job.id, std::move(message)});
}

/// Sends the last message of a job and forgets its tasks.
void end_job(TrackingTurn& turn, TrackedJob& job, policies::JobRunState how) {
  if (job.work) {
    for (const bool reduces : {false, true}) update_elapsed(job.tasks(reduces), turn.now);
    finish(job, how);
    record_job_end(turn, job);
    send_progress(turn, job);
    turn.state.scheduler.remove_job(job.id);
  } else {
    finish(job, how);
  }
  turn.write_event("classic_job_ended",
                   ports::EventFields{}.add("job", job.id).add("status", static_cast<int>(job.end.status)));
  if (job.has_client) {
    turn.effects.push_back(SendToJobClient{job.id, job.end});
    turn.effects.push_back(DropJobClient{job.id});
  }
  if (turn.state.ports.background != nullptr) turn.effects.push_back(ForgetSubmission{job.id, job.origin.is_recovered});
  turn.state.ended.add(turn.now, job.origin.user, std::move(job.end));
  turn.state.jobs.remove(job.id);
}

void refuse_job(TrackingTurn& turn, TrackedJob& job, const std::string& text) {
  job.end.text = text;
  end_job(turn, job, policies::JobRunState::failed);
}

void start_job(TrackingTurn& turn, TrackedJob& job, JobPackage package) {
  auto work = policies::JobWork::make(job.id, job.application, std::move(package));
  if (!work) return refuse_job(turn, job, work.error().text);
  job.work = std::move(*work);
  for (const bool reduces : {false, true}) {
    auto& tasks = job.tasks(reduces);
    tasks.progress.locality.assign(5, 0);
    if (reduces && !job.work->has_reduces()) continue;
    tasks.winners.resize(static_cast<std::size_t>(job.work->tasks(reduces)));
    tasks.progress.stage = StageId{job.work->stage(reduces)};
    tasks.progress.name = job.work->stage_name(reduces);
    tasks.progress.tasks = job.work->tasks(reduces);
  }
  turn.write_event("classic_job_started", ports::EventFields{}
                                              .add("job", job.id)
                                              .add("maps", job.work->tasks(false))
                                              .add("reduces", job.work->tasks(true)));
  begin_history(turn, job);
  auto description = job.work->describe(job.id, job.rules);
  description.first_attempt = job.origin.first_attempt;
  turn.state.scheduler.on_job(turn.now, std::move(description));
  apply_decisions(turn, {});
  mark_progress(turn);
}

// -- submissions -----------------------------------------------------------------------------------------

TrackedJob new_job(TrackingTurn& turn, JobId id) {
  TrackedJob record;
  record.id = id;
  record.application = {turn.state.settings.cluster_start, id.value};
  record.token = make_token(turn);
  record.totals.locality.assign(5, 0);
  record.end.job = id;
  return record;
}

/// The job ran under an earlier JobTracker: its outputs may exist, and attempts of it may still run for a moment.
void mark_recovered(const TrackingTurn& turn, TrackedJob& job) {
  const auto restarts = turn.state.settings.restarts;
  job.origin.is_recovered = true;
  job.origin.application_attempt = restarts + 1;
  job.origin.first_attempt = restarts * attempts_per_restart;
  job.is_set_up = true;
}

void accept_job(TrackingTurn& turn, TrackedJob& job) {
  if (!job.has_client || std::exchange(job.origin.is_accepted, true)) return;
  turn.effects.push_back(SendToJobClient{job.id, JobAccepted{job.origin.request, job.id}});
}

/// True if this JobTracker knows the job, which its client submits again because it lost the connection to an earlier
/// JobTracker, or to this one.
bool follow_job(TrackingTurn& turn, const SubmitJob& message, bool has_client) {
  auto& state = turn.state;
  auto* job = state.jobs.find(message.earlier_job);
  if (job == nullptr) job = state.jobs.find_package(message.package_file);
  if (job != nullptr) {
    job->has_client = has_client;
    job->origin.request = message.request;
    job->origin.is_accepted = false;
    if (has_client) turn.effects.push_back(AddJobClient{job->id});
    if (job->origin.is_stored) accept_job(turn, *job);
    mark_progress(turn);
    return true;
  }
  const auto* ended = state.ended.find(message.earlier_job);
  if (ended == nullptr) return false;
  if (has_client) {
    turn.effects.push_back(AnswerClient{JobAccepted{message.request, ended->job}});
    turn.effects.push_back(AnswerClient{*ended});
  }
  return true;
}

/// Its attempts are killed, and its cleanup removes the outputs.
void fail_job(TrackingTurn& turn, TrackedJob& job, const std::string& text) {
  if (std::exchange(job.failures.must_fail, true)) return;
  job.end.text = text;
  turn.state.scheduler.on_fail_job(turn.now, job.id, false);
}

/// The attempt has failed, and another one would too. A job cleanup is the last thing that a job does: it is not
/// repeated.
void end_unreachable_job(TrackingTurn& turn, TrackedJob& job, const TaskAttemptId& attempt) {
  if (type_of(job, attempt) == AttemptType::job_cleanup) {
    describe_unreachable(job, attempt);
    return turn.state.scheduler.on_fail_job(turn.now, job.id, true);
  }
  if (job.is_committing || !job.cancel_reason.empty() || has_winner(job, attempt)) return;
  describe_unreachable(job, attempt);
  fail_job(turn, job, std::string{job.end.text});
}

// -- effects of the JobQueueScheduler --------------------------------------------------------------------

struct Decision {
  TrackingTurn& turn;
  const ReportedOutcomes& outcomes;

  void operator()(const policies::AttemptEnded& effect) const {
    auto* job = turn.state.jobs.find(effect.attempt.job);
    if (job == nullptr) return;
    const auto* reported = outcomes.find(effect.attempt);
    turn.write_event("classic_attempt_ended",
                     ports::EventFields{}
                         .add("attempt", to_string(effect.attempt))
                         .add("state", static_cast<int>(effect.state))
                         .add_column("counters", counter_texts(reported == nullptr ? nullptr : &*reported->outcome)));
    record_attempt_end(turn, *job, effect, outcomes);
    count_end(*job, effect, outcomes, turn.now);
    if (stays_unreachable(*job, effect, outcomes)) end_unreachable_job(turn, *job, effect.attempt);
  }
  void operator()(const policies::TaskWon& effect) const {
    auto* job = turn.state.jobs.find(effect.attempt.job);
    if (job == nullptr) return;
    turn.write_event("classic_task_succeeded", ports::EventFields{}.add("attempt", to_string(effect.attempt)));
    record_success(turn, *job, effect.attempt, outcomes);
    count_winner(*job, effect, outcomes, turn.now);
    if (const auto excess = excess_of_counters(*job); !excess.empty() && !job->is_committing)
      fail_job(turn, *job, excess);
    if (!effect.attempt.is_reduce) {
      if (job->work->is_task(effect.attempt)) record_end_of_maps(*job);
      if (have_maps_ended(*job))
        notify_once(turn, *job, job->reported.locality, [&] { return locality_text(job->maps.progress.locality); });
      wake_readers(*job);
    }
    const auto* reported = outcomes.find(effect.attempt);
    if (reported != nullptr && !job->work->is_task(effect.attempt) && !reported->outcome->text.empty() &&
        job->has_client)
      turn.effects.push_back(SendToJobClient{job->id, Notice{reported->outcome->text}});
  }
  void operator()(const policies::TaskReopened& effect) const {
    if (auto* job = turn.state.jobs.find(effect.attempt.job)) forget_winner(*job, effect.attempt);
  }
  void operator()(const policies::TaskGivenUp& effect) const {
    if (auto* job = turn.state.jobs.find(effect.attempt.job)) {
      record_task_failure(turn, *job, effect.attempt);
      give_up_task(*job, effect.attempt);
      if (!effect.attempt.is_reduce) wake_readers(*job);
      if (!effect.fails_job) return;  // the job may end for another reason
      describe_failure(*job, effect.attempt,
                       effect.attempt.is_reduce ? job->rules.reduce_attempts_max : job->rules.map_attempts_max);
    }
  }
  void operator()(const policies::JobTooLarge& effect) const { describe_refusal(effect); }
  void operator()(const policies::ReduceInputTooLarge& effect) const { describe_refusal(effect); }
  template <class Effect>
  void describe_refusal(const Effect& effect) const {
    auto* job = turn.state.jobs.find(effect.job);
    if (job != nullptr && job->end.text.empty()) job->end.text = too_large_text(effect);
  }
  [[nodiscard]] bool have_maps_ended(const TrackedJob& job) const {
    const auto& maps = turn.state.scheduler.jobs().at(job.id).counts(false);
    return maps.finished + maps.failed >= job.work->tasks(false);
  }
  /// Shows how much the reduces have copied while maps ran: the copies are a third of their progress.
  void record_end_of_maps(const TrackedJob& job) const {
    if (job.work->tasks(true) == 0 || !have_maps_ended(job)) return;
    const auto& reduces = turn.state.scheduler.jobs().at(job.id).counts(true);
    turn.write_event(
        "classic_maps_ended",
        ports::EventFields{}.add("job", job.id).add("reduces_progress", static_cast<double>(reduces.progress)));
  }
  /// Once no map is left to wait for, the reduces need not wait for the regular heartbeats of their TaskTrackers.
  void wake_readers(const TrackedJob& job) const {
    if (!turn.state.settings.beat_on_change || job.map_outputs.readers.empty()) return;
    if (!have_maps_ended(job)) return;
    for (const auto& reader : job.map_outputs.readers)
      if (reader != outcomes.tracker) turn.effects.push_back(WakeTracker{reader});
  }
  void operator()(const policies::JobStarted& effect) const {
    turn.write_event("classic_job_set_up", ports::EventFields{}.add("job", effect.job));
    auto* job = turn.state.jobs.find(effect.job);
    if (job == nullptr) return;
    record_set_up(turn, *job);
    notify_client(turn, *job, queue_place_text(turn.state.scheduler.queue(), effect.job));
  }
  void operator()(const policies::HostGrayChanged& effect) const {
    turn.write_event(
        "classic_host_gray",
        ports::EventFields{}.add("host", effect.host).add("is_gray", effect.is_gray).add("faults", effect.faults));
    notify_clients(turn, effect.is_gray
                             ? fmt::format("host {} is gray: {} job{} avoided it in the last 3 hours, more than other "
                                           "hosts; it gets tasks as before",
                                           effect.host, effect.faults, effect.faults == 1 ? "" : "s")
                             : fmt::format("host {} is not gray any more", effect.host));
  }
  void operator()(const policies::HostAvoided& effect) const {
    auto* job = turn.state.jobs.find(effect.job);
    if (job == nullptr) return;
    turn.write_event("classic_host_avoided", ports::EventFields{}
                                                 .add("job", effect.job)
                                                 .add("host", effect.host)
                                                 .add("failures", effect.failures)
                                                 .add("flaky", effect.flaky)
                                                 .add("trackers", effect.trackers)
                                                 .add("is_avoided", effect.is_avoided));
    if (!job->has_client) return;
    const auto failures = fmt::format("{} failed attempt{}", effect.failures, effect.failures == 1 ? "" : "s");
    const auto decision = effect.is_avoided
                              ? fmt::format("the job avoids host {} after {} there", effect.host, failures)
                              : fmt::format("host {} has {} but stays in use", effect.host, failures);
    turn.effects.push_back(SendToJobClient{
        job->id, Notice{fmt::format("{}: {} of {} TaskTrackers, {} than 25 % (rule JP-8)", decision, effect.flaky,
                                    effect.trackers, effect.is_avoided ? "fewer" : "not fewer")}});
  }
  void operator()(const policies::ClassicAttemptStep& step) const {
    write_state(step, policies::classic_attempt_state_names, [&] { return to_string(step.attempt); });
  }
  void operator()(const policies::ClassicTaskStep& step) const {
    write_state(step, policies::classic_task_state_names, [&] {
      return "task_" + to_string(step.task.job) + (step.task.is_reduce ? "_r_" : "_m_") +
             std::to_string(step.task.task);
    });
  }
  void operator()(const policies::ClassicJobStep& step) const {
    write_state(step, policies::classic_job_state_names, [&] { return "job_" + to_string(step.job); });
  }
  /// Most steps change nothing: each heartbeat has one for each running attempt.
  template <class Step, class Names, class Subject>
  void write_state(const Step& step, const Names& names, const Subject& subject) const {
    if (step.from == step.to || turn.state.events == nullptr) return;
    turn.write_event(
        "classic_state",
        ports::EventFields{}.add("subject", subject()).add("state", names[static_cast<std::size_t>(step.to)]));
  }
  void operator()(const policies::ClassicJobEnded& effect) const {
    if (auto* job = turn.state.jobs.find(effect.job)) end_job(turn, *job, effect.state);
  }
};

}  // namespace

// -- messages ------------------------------------------------------------------------------------------

void submit_to_tracker(TrackingTurn& turn, const SubmitJob& message, bool has_client) {
  if (message.earlier_drivers > 0 && follow_job(turn, message, has_client)) return;
  auto& state = turn.state;
  auto record = new_job(turn, state.jobs.next_id());
  record.rules = message.rules;
  record.has_client = has_client;
  record.origin.user = message.user;
  record.origin.package_file = message.package_file;
  record.origin.request = message.request;
  record.origin.submit_time = to_milliseconds(turn.now.time_since_epoch()) + state.settings.wall_offset_ms;
  // It may have ended under an earlier JobTracker whose last messages were lost.
  if (message.earlier_drivers > 0) mark_recovered(turn, record);
  auto& job = state.jobs.add(std::move(record));
  if (has_client) turn.effects.push_back(AddJobClient{job.id});
  if (state.ports.store == nullptr && message.package_file.empty() && !job.origin.is_recovered) {
    job.origin.is_stored = true;
    accept_job(turn, job);
    return start_job(turn, job, message.package);
  }
  turn.effects.push_back(PrepareSubmission{
      {job.id, message.user, message.package_file, job.origin.submit_time, message.rules, message.package},
      false,
      job.origin.is_recovered,
      job.origin.application_attempt});
}

void use_submission(TrackingTurn& turn, const SubmissionReady& message) {
  auto* job = turn.state.jobs.find(message.submission.job);
  if (job == nullptr || job->work) return turn.write_event("stale_package_read");
  job->origin.is_stored = true;
  accept_job(turn, *job);
  if (!message.text.empty()) return refuse_job(turn, *job, message.text);
  if (!message.is_committed) {
    const bool is_cancelled = !job->cancel_reason.empty();
    const JobId id = job->id;
    start_job(turn, *job, message.submission.package);
    if (!is_cancelled || turn.state.jobs.find(id) == nullptr) return;
    turn.state.scheduler.on_kill_job(turn.now, id);
    return apply_decisions(turn, {});
  }
  if (job->has_client)
    turn.effects.push_back(SendToJobClient{
        job->id, Notice{"the commit of the job had been decided when its JobTracker was lost; it is complete now"}});
  end_earlier_history(turn, *job, message.submission.package.graph.name);
  end_job(turn, *job, policies::JobRunState::succeeded);
}

void recover_jobs(TrackingTurn& turn) {
  auto& state = turn.state;
  state.jobs.begin_after(JobId{state.settings.restarts * jobs_per_restart});
  for (auto& [submission, fault] : std::exchange(state.settings.recovered_jobs, {})) {
    state.jobs.begin_after(submission.job);
    auto record = new_job(turn, submission.job);
    record.rules = submission.rules;
    record.origin.user = submission.user;
    record.origin.package_file = submission.package_file;
    record.origin.submit_time = submission.submit_time;
    mark_recovered(turn, record);
    record.origin.is_stored = true;
    auto& job = state.jobs.add(std::move(record));
    turn.write_event("classic_job_recovered", ports::EventFields{}.add("job", job.id).add("fault", fault));
    if (!fault.empty()) {
      refuse_job(turn, job, "the job cannot run anew after the loss of its JobTracker: " + fault);
      continue;
    }
    const auto attempt = job.origin.application_attempt;
    turn.effects.push_back(PrepareSubmission{std::move(submission), true, true, attempt});
  }
}

void cancel_tracked_job(TrackingTurn& turn, const CancelJob& message, bool has_client) {
  auto* job = turn.state.jobs.find(message.job);
  if (job == nullptr) {
    const auto* ended = turn.state.ended.find(message.job);
    if (ended != nullptr && has_client) turn.effects.push_back(AnswerClient{*ended});
    return;
  }
  if (job->is_committing || !job->cancel_reason.empty()) return;
  job->cancel_reason = message.reason.empty() ? "cancelled" : message.reason;
  turn.write_event("classic_job_cancelled", ports::EventFields{}.add("job", job->id));
  // The outputs of a recovered job are being settled: its end follows that.
  if (!job->work && job->origin.is_recovered) return;
  if (!job->work) return end_job(turn, *job, policies::JobRunState::killed);
  // Without a setup there is no output to remove, so the end need not wait for a TaskTracker.
  if (job->is_set_up) turn.state.scheduler.on_kill_job(turn.now, job->id);
  else turn.state.scheduler.on_fail_job(turn.now, job->id, true);
  apply_decisions(turn, {});
}

// -- for the other flow ----------------------------------------------------------------------------------

void apply_decisions(TrackingTurn& turn, const ReportedOutcomes& outcomes) {
  bool has_changed = false;
  // An effect can make the scheduler decide again.
  auto effects = turn.state.scheduler.take_effects(std::move(turn.state.decisions));
  for (; !effects.empty(); effects = turn.state.scheduler.take_effects(std::move(effects))) {
    has_changed = true;
    for (const auto& effect : effects) std::visit(Decision{turn, outcomes}, effect);
  }
  turn.state.decisions = std::move(effects);
  if (has_changed) mark_progress(turn);
  wake_trackers(turn);
}

void wake_trackers(TrackingTurn& turn) {
  if (!turn.state.settings.beat_on_change) return;
  for (auto& tracker : turn.state.scheduler.take_trackers_to_wake())
    turn.effects.push_back(WakeTracker{std::move(tracker)});
}

void notify_client(TrackingTurn& turn, const TrackedJob& job, std::string text) {
  if (job.has_client && !text.empty()) turn.effects.push_back(SendToJobClient{job.id, Notice{std::move(text)}});
}

void notify_clients(TrackingTurn& turn, const std::string& text) {
  for (const auto& [id, job] : turn.state.jobs.rows())
    if (job.has_client) turn.effects.push_back(SendToJobClient{id, Notice{text}});
}

void send_progress_if_due(TrackingTurn& turn) {
  auto& due = turn.state.progress_due;
  if (!due || turn.now < *due) return;
  due.reset();
  for (auto& [id, job] : turn.state.jobs.rows()) send_progress(turn, job);
}

}  // namespace heddle::actors
