#include "apps/session/session.hpp"

#include <optional>

#include "apps/roles/session_files.hpp"
#include "apps/session/cancel_deadline.hpp"
#include "apps/session/cluster_session.hpp"
#include "apps/session/job_waiter.hpp"
#include "apps/session/local_session.hpp"
#include "apps/session/queue_check.hpp"
#include "apps/session/size_check.hpp"
#include "work/tasks/function_registry.hpp"

namespace heddle::apps {

Result<std::unique_ptr<Session>> Session::open(const SessionOptions& options) {
  ignore_file_size_signal();
  if (auto checked = work::FunctionRegistry::of_program().check(); !checked) return checked.error();
  if (auto found = check_queue(options); !found) return found.error();
  if (auto fits = check_executor_size(options); !fits) return fits.error();
  return options.master.kind == config::MasterKind::local ? open_local_session(options) : open_cluster_session(options);
}

namespace {

/// The end that a word means for `job`, which is none until it is accepted; nothing: the job goes on.
std::optional<Result<JobFinished>> end_of(const ClientWord& word, JobId job) {
  using End = Result<JobFinished>;
  if (const auto* finished = std::get_if<JobFinished>(&word);
      finished != nullptr && finished->job == job && !job.is_none())
    return End{*finished};
  if (const auto* refused = std::get_if<ApplicationRefused>(&word)) return End{Error{Errc::refused, refused->text}};
  if (const auto* ended = std::get_if<ApplicationEnded>(&word))
    return End{Error{Errc::failed, ended->text.empty() ? "the application ended before its job" : ended->text}};
  return std::nullopt;
}

/// The job failed since its cluster is gone: that is what the user is told, and what the exit code says.
Result<JobFinished> end_after_loss(Result<JobFinished> end, const Error& lost) {
  if (end && end->status == JobStatus::failed && lost.code == Errc::unreachable) return lost;
  return end;
}

}  // namespace

Result<JobFinished> wait_for_job(JobWaiter& waiter, const JobCallbacks& callbacks, const JobHooks& hooks) {
  JobId job;
  bool is_cancel_said = false;
  CancelDeadline deadline{hooks};
  std::optional<Error> lost;
  while (true) {
    if (!is_cancel_said && callbacks.is_cancelled && callbacks.is_cancelled()) {
      hooks.cancel(job);
      is_cancel_said = true;
      deadline.start();
    }
    if (deadline.is_over()) return Error{Errc::cancelled, std::string{cancelled_without_answer}};
    const auto word = waiter.next(std::chrono::milliseconds{50});
    if (!word) {
      if (hooks.retry) hooks.retry();
      continue;
    }
    if (auto end = end_of(*word, job)) return lost ? end_after_loss(std::move(*end), *lost) : std::move(*end);
    if (const auto* cluster = std::get_if<ClusterLost>(&*word)) {
      if (!hooks.on_cluster_lost) return cluster->why;
      lost = cluster->why;
      hooks.on_cluster_lost(cluster->why.text);
    }
    if (const auto* accepted = std::get_if<JobAccepted>(&*word)) {
      if (accepted->request != hooks.request) continue;
      job = accepted->job;
      is_cancel_said = false;  // who was told before did not know the job yet
    } else if (const auto* ready = std::get_if<DriverReady>(&*word)) {
      job = JobId{};
      if (hooks.on_driver_ready) hooks.on_driver_ready(*ready);
    } else if (const auto* progress = std::get_if<JobProgress>(&*word)) {
      if (callbacks.on_progress && progress->job == job) callbacks.on_progress(*progress);
    } else if (const auto* notice = std::get_if<Notice>(&*word)) {
      if (callbacks.on_notice) callbacks.on_notice(*notice);
    }
  }
}

}  // namespace heddle::apps
