// All messages that the task child, its slot thread and its background work send, its monitor and its timer.
#include <fmt/format.h>

#include <caf/send.hpp>
#include <exception>
#include <memory>
#include <utility>

#include "actors/task_child/task_child.hpp"
#include "runtime/net/connect_peer.hpp"

namespace heddle::actors {
namespace {

constexpr std::size_t status_bytes_max = 1024;

TaskOutcome failed_output(const Error& why) {
  TaskOutcome outcome;
  outcome.state = TaskState::failed;
  outcome.failure = failure_of(why, FailureKind::output);
  outcome.text = why.text;
  return outcome;
}

std::vector<std::string> paths_of(const OutputWork& work) {
  std::vector<std::string> paths;
  for (const auto& output : work.outputs) paths.push_back(output.path);
  return paths;
}

Result<Done> remove_attempt(ports::OutputCommit& commit, const AttemptLaunch& launch) {
  const auto& range = launch.range;
  const auto name = ports::task_attempt_name(range.stage, range.first_index, range.attempt);
  for (const auto& output : launch.output.outputs)
    if (auto done = commit.abort_attempt(output.path, launch.output.application_attempt, name); !done) return done;
  return Done{};
}

/// Sets up, commits or removes outputs. The text of a success is a notice for the user.
TaskOutcome work_on_output(ports::OutputCommit& commit, const AttemptLaunch& launch) {
  const auto& work = launch.output;
  TaskOutcome outcome;
  if (launch.type == AttemptType::job_cleanup && work.is_commit) {
    auto committed = commit.commit(work.outputs, work.application_attempt);
    if (!committed) return failed_output(committed.error());
    outcome.text = std::move(committed->notice);
    return outcome;
  }
  const auto done = launch.type == AttemptType::job_setup
                        ? ports::set_up_outputs(commit, paths_of(work), work.application_attempt)
                    : launch.type == AttemptType::job_cleanup ? commit.abort(paths_of(work), work.application_attempt)
                                                              : remove_attempt(commit, launch);
  return done ? outcome : failed_output(done.error());
}

}  // namespace

// -- the parent -------------------------------------------------------------------------------------

void TaskChild::apply(const FindParent&) {
  runtime::connect_peer<TaskParentActor>(self_, tools_.connector, state_.start.parent_address,
                                         state_.start.connect_timeout, [this](const TaskParentActor& found) {
                                           parent_ = found;
                                           on_parent_found(static_cast<bool>(found));
                                         });
}

void TaskChild::apply(SendToParent& effect) {
  std::visit([this](auto& each) { self_->send(parent_, std::move(each)); }, effect.message);
}

void TaskChild::apply(const ReportProgress& effect) {
  const auto& range = effect.range;
  const auto found = ports_.runner->progress(range.stage, range.first_index, range.attempt);
  AttemptProgress message{state_.start.child, effect.attempt};
  if (found) {
    message.progress = found->fraction;
    message.phase = found->phase;
    // A reduce that waits for map outputs is not silent.
    if (auto status = found->status.substr(0, status_bytes_max); status != state_.status)
      message.status = state_.status = std::move(status);
    message.counters = state_.changed_counters(found->counters);
    message.is_alive = std::exchange(state_.signs, found->signs) != found->signs || found->phase == TaskPhase::shuffle;
  }
  self_->send(parent_, message);
}

// -- tasks ------------------------------------------------------------------------------------------

/// The slot thread may report after this actor has ended; hence the weak pointer.
void TaskChild::watch_runner() {
  const auto self = caf::actor_cast<caf::weak_actor_ptr>(self_);
  if (ports_.notices != nullptr)
    ports_.notices->watch([self](std::int32_t map) {
      if (const auto alive = caf::actor_cast<caf::strong_actor_ptr>(self))
        caf::anon_send(caf::actor_cast<TaskChildActor>(alive), CopyFailed{map});
    });
  ports_.runner->start([self](std::vector<ports::TaskReport> reports) {
    const auto alive = caf::actor_cast<caf::strong_actor_ptr>(self);
    if (!alive) return;
    for (auto& report : reports)
      if (report.outcome.state != TaskState::running)
        caf::anon_send(caf::actor_cast<TaskChildActor>(alive), AttemptEnded{std::move(report.outcome)});
  });
}

void TaskChild::apply(StartTask& effect) {
  auto& [launch, program] = effect.request;
  ports_.runner->load_stage(std::make_shared<const StageProgram>(std::move(program)));
  ports_.runner->run(std::move(launch.range));
}

void TaskChild::apply(SetLocations& effect) { ports_.runner->set_locations(std::move(effect.table)); }

void TaskChild::apply(const UnloadTask& effect) { ports_.runner->unload_stage(effect.stage); }

void TaskChild::apply(const KillRunningTask& effect) {
  const auto& range = effect.range;
  ports_.runner->kill(range.stage, range.first_index, range.attempt, effect.reason);
}

void TaskChild::apply(const WorkOnOutput& effect) {
  ports_.background->run([commit = ports_.commit, launch = effect.launch, child = TaskChildActor{self_}] {
    try {
      caf::anon_send(child, AttemptEnded{work_on_output(*commit, launch)});
    } catch (const std::exception& why) {  // such as bad_alloc
      caf::anon_send(
          child, AttemptEnded{failed_output({Errc::failed, fmt::format("work on the output failed: {}", why.what())})});
    }
  });
}

// -- timer, end -------------------------------------------------------------------------------------

/// The message of an ended attempt is not cancelled: the next attempt uses it.
void TaskChild::arm_tick(Instant now) {
  if (state_.progress_due) tick_.arm<TaskChildTick>(self_, now, state_.progress_due);
}

void TaskChild::apply(const ExitProcess& effect) {
  if (ports_.on_end) ports_.on_end(effect.reason);
  self_->quit();
}

}  // namespace heddle::actors
