#include "apps/session/session.hpp"

#include "apps/session/cluster_session.hpp"
#include "apps/session/job_waiter.hpp"
#include "apps/session/local_session.hpp"
#include "apps/session/session_files.hpp"
#include "work/function_registry.hpp"

namespace heddle::apps {

Result<std::unique_ptr<Session>> Session::open(const SessionOptions& options) {
  ignore_file_size_signal();
  if (auto checked = work::FunctionRegistry::of_program().check(); !checked) return checked.error();
  return options.master.kind == config::MasterKind::local ? open_local_session(options) : open_cluster_session(options);
}

Result<std::vector<JobFinished>> Session::run_all(const std::vector<JobGraph>& graphs, const JobCallbacks& callbacks) {
  std::vector<JobFinished> ended;
  for (const auto& graph : graphs) {
    auto finished = run(graph, callbacks);
    if (!finished) return finished.error();
    ended.push_back(std::move(*finished));
  }
  return ended;
}

Result<JobFinished> wait_for_job(JobWaiter& waiter, const JobCallbacks& callbacks, const std::function<void(JobId)>& cancel) {
  JobId job;
  bool is_cancel_said = false;
  while (true) {
    if (!is_cancel_said && !job.is_none() && callbacks.is_cancelled && callbacks.is_cancelled()) {
      cancel(job);
      is_cancel_said = true;
    }
    const auto word = waiter.next(std::chrono::milliseconds{50});
    if (!word) continue;
    if (const auto* accepted = std::get_if<JobAccepted>(&*word)) job = accepted->job;
    else if (const auto* progress = std::get_if<JobProgress>(&*word); progress != nullptr && callbacks.on_progress)
      callbacks.on_progress(*progress);
    else if (const auto* notice = std::get_if<Notice>(&*word); notice != nullptr && callbacks.on_notice) callbacks.on_notice(*notice);
    else if (const auto* finished = std::get_if<JobFinished>(&*word)) return *finished;
    else if (const auto* refused = std::get_if<ApplicationRefused>(&*word)) return Error{Errc::refused, refused->text};
    else if (const auto* ended = std::get_if<ApplicationEnded>(&*word))
      return Error{Errc::failed, ended->text.empty() ? "the application ended before its job" : ended->text};
  }
}

}  // namespace heddle::apps
