#include "apps/session/session.hpp"

#include <optional>

#include "apps/session/cluster_session.hpp"
#include "apps/session/job_waiter.hpp"
#include "apps/session/local_session.hpp"
#include "apps/session/session_files.hpp"
#include "apps/session/size_check.hpp"
#include "work/tasks/function_registry.hpp"

namespace heddle::apps {

Result<std::unique_ptr<Session>> Session::open(const SessionOptions& options) {
  ignore_file_size_signal();
  if (auto checked = work::FunctionRegistry::of_program().check(); !checked) return checked.error();
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

}  // namespace

Result<JobFinished> wait_for_job(JobWaiter& waiter, const JobCallbacks& callbacks, const JobHooks& hooks) {
  JobId job;
  bool is_cancel_said = false;
  while (true) {
    if (!is_cancel_said && callbacks.is_cancelled && callbacks.is_cancelled()) {
      hooks.cancel(job);
      is_cancel_said = true;
    }
    const auto word = waiter.next(std::chrono::milliseconds{50});
    if (!word) continue;
    if (auto end = end_of(*word, job)) return *end;
    if (std::holds_alternative<ClusterLost>(*word)) {
      if (!hooks.on_cluster_lost) return Error{Errc::failed, std::string{cluster_lost}};
      hooks.on_cluster_lost(std::string{cluster_lost});
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
