// All messages that the JobTracker sends, its monitors, its timer and its background work.
#include <fmt/format.h>

#include <caf/send.hpp>
#include <exception>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "actors/job_tracker/history_values.hpp"
#include "actors/job_tracker/job_tracker.hpp"
#include "runtime/send_answer.hpp"

namespace heddle::actors {
namespace {

/// Runs on the background thread.
SubmissionReady prepare_submission(const JobTrackerPorts& ports, OutputClaims& claims,
                                   const PrepareSubmission& effect) {
  SubmissionReady made{effect.submission};
  auto& submission = made.submission;
  if (!effect.is_stored && !submission.package_file.empty()) {
    auto package = ports.read_package(submission.package_file);
    if (!package) return {submission, false, package.error().text};
    submission.package = std::move(*package);
  }
  if (!effect.is_stored && ports.store != nullptr)
    if (const auto saved = ports.store->save(submission); !saved)
      return {submission, false, "the job cannot be stored: " + saved.error().text};
  std::vector<std::string> outputs;
  for (const auto& stage : submission.package.graph.stages)
    if (stage.output) outputs.push_back(stage.output->path);
  const auto taken = claims.add(submission.job, outputs);
  if (!effect.recovers_outputs || !ports.recover_outputs) return made;  // its setup finds an output that exists
  if (taken)
    return {submission, false,
            fmt::format("the job cannot run anew after the loss of its JobTracker: its output '{}' is also that of "
                        "job {}; submit it again with another output",
                        taken->first, taken->second.value)};
  const auto is_committed = ports.recover_outputs(outputs, effect.application_attempt);
  if (!is_committed) return {submission, false, is_committed.error().text};
  made.is_committed = *is_committed;
  return made;
}

/// Runs on the background thread.
Result<Done> end_earlier_history(ports::JobHistory& files, const EndEarlierHistory& effect) {
  const auto earlier = files.resume(effect.file);
  if (!earlier) return earlier.error();
  std::vector<history::Event> lines;
  if (earlier->events.empty()) lines.emplace_back(effect.submitted);
  lines.emplace_back(with_counts_of(earlier->events, effect.end));
  if (auto done = files.append(effect.file.job, lines); !done) return done;
  return files.close(effect.file.job);
}

void set_counters(history::Event& event, const history::Counters& counters) {
  std::visit(
      [&counters](auto& line) {
        if constexpr (requires { line.counters; }) line.counters = counters;
      },
      event);
}

/// Runs on the background thread.
Result<Done> write_history(ports::JobHistory& files, WriteHistory& effect) {
  for (const auto& [at, counts] : effect.counts) {
    const auto counters = classic_counters(counts);
    set_counters(effect.events[at], counters);
    set_counters(effect.events[at + 1], counters);
  }
  if (!effect.events.empty())
    if (auto done = files.append(effect.application, effect.events); !done) return done;
  if (effect.waits) return files.sync(effect.application);
  return effect.closes ? files.close(effect.application) : Result<Done>{Done{}};
}

}  // namespace

bool JobTracker::has_sender() const { return self_->current_sender() != nullptr; }

void JobTracker::arm_tick(Instant now) { tick_.arm<JobTrackerTick>(self_, now, state_.next_due()); }

void JobTracker::apply_effects() {
  for (auto& effect : effects_) std::visit([this](auto& each) { apply(each); }, effect);
  effects_.clear();
}

// -- clients -----------------------------------------------------------------------------------------

void JobTracker::apply(const AddJobClient& effect) {
  clients_.insert_or_assign(effect.job, caf::actor_cast<ClientActor>(self_->current_sender()));
}

void JobTracker::apply(const DropJobClient& effect) { clients_.erase(effect.job); }

void JobTracker::apply(AnswerClient& effect) {
  const auto client = caf::actor_cast<ClientActor>(self_->current_sender());
  std::visit([&](auto& each) { self_->send(client, std::move(each)); }, effect.message);
}

void JobTracker::apply(SendToJobClient& effect) {
  const auto client = clients_.find(effect.job);
  if (client == clients_.end()) return;
  std::visit([&](auto& each) { self_->send(client->second, std::move(each)); }, effect.message);
}

void JobTracker::on_role_failed(const std::string& why) {
  for (const auto& [job, client] : clients_) {
    JobFinished end;
    end.job = job;
    end.text = "the JobTracker failed: " + why;
    end.service_failed = true;
    self_->send(client, end);
  }
}

void JobTracker::apply(PrepareSubmission& effect) {
  state_.ports.background->run([ports = state_.ports, claims = claims_, effect = std::move(effect),
                                self = JobTrackerActor{self_}] {
    SubmissionReady failed;
    failed.submission.job = effect.submission.job;
    runtime::send_answer(self, "storing the job", failed, [&] { return prepare_submission(ports, *claims, effect); });
  });
}

void JobTracker::apply(const ForgetSubmission& effect) {
  // A file that stays only costs space: a later JobTracker finds the outputs committed, or runs the job again for
  // nobody.
  state_.ports.background->run([store = state_.ports.store, claims = claims_, effect] {
    if (!effect.keeps_outputs) claims->remove(effect.job);
    if (store != nullptr) std::ignore = store->remove(effect.job);
  });
}

void JobTracker::apply(BeginHistory& effect) {
  state_.ports.background->run([files = state_.ports.history, effect = std::move(effect),
                                self = JobTrackerActor{self_}]() mutable {
    auto settings = files->begin(effect.file);
    if (settings) effect.submitted.settings_path = *settings;
    const auto done = settings ? files->append(effect.file.job, {effect.submitted}) : Result<Done>{settings.error()};
    if (!done) caf::anon_send(self, HistoryWritten{effect.job, {}, done.error().text});
  });
}

void JobTracker::apply(EndEarlierHistory& effect) {
  state_.ports.background->run(
      [files = state_.ports.history, effect = std::move(effect), self = JobTrackerActor{self_}] {
        if (const auto done = end_earlier_history(*files, effect); !done)
          caf::anon_send(self, HistoryWritten{effect.job, {}, done.error().text});
      });
}

/// A response that waits must not wait for ever, so an exception such as bad_alloc is an answer too.
void JobTracker::apply(WriteHistory& effect) {
  const bool is_awaited = effect.waits;
  auto work = [files = state_.ports.history, effect = std::move(effect), self = JobTrackerActor{self_}]() mutable {
    try {
      const auto done = write_history(*files, effect);
      if (!done || effect.waits)
        caf::anon_send(self, HistoryWritten{effect.job, effect.tracker, done ? "" : done.error().text});
    } catch (const std::exception& why) {
      caf::anon_send(self, HistoryWritten{effect.job, effect.tracker, why.what()});
    }
  };
  if (is_awaited) state_.ports.background->run(std::move(work));
  else state_.ports.background->run_soon(std::move(work));
}

// -- TaskTrackers --------------------------------------------------------------------------------------

void JobTracker::apply(const AddTracker& effect) {
  const auto handle = caf::actor_cast<TaskTrackerActor>(self_->current_sender());
  if (!handle) return;
  auto& stored = trackers_[effect.tracker];
  if (stored == handle) return;
  if (stored) self_->demonitor(stored.address());
  stored = handle;
  self_->monitor(handle);
}

void JobTracker::apply(const DropTracker& effect) {
  const auto row = trackers_.find(effect.tracker);
  if (row == trackers_.end()) return;
  self_->demonitor(row->second.address());
  trackers_.erase(row);
}

void JobTracker::apply(AnswerTracker& effect) {
  const auto tracker = caf::actor_cast<TaskTrackerActor>(self_->current_sender());
  if (tracker) std::visit([&](auto& each) { self_->send(tracker, std::move(each)); }, effect.message);
}

void JobTracker::apply(SendToTracker& effect) {
  const auto row = trackers_.find(effect.tracker);
  if (row != trackers_.end()) self_->send(row->second, std::move(effect.message));
}

void JobTracker::apply(const WakeTracker& effect) {
  const auto row = trackers_.find(effect.tracker);
  if (row != trackers_.end()) self_->send(row->second, HeartbeatSoon{});
}

}  // namespace heddle::actors
