#include "heddle/session.hpp"

#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

#include "apps/library/interruption.hpp"
#include "apps/library/job_report.hpp"
#include "apps/library/session_arguments.hpp"
#include "apps/library/session_start.hpp"
#include "apps/roles/role_process.hpp"
#include "apps/session/session.hpp"

namespace heddle {
namespace {

Result<std::unique_ptr<apps::Session>> open_session(const SessionOptions& options, const apps::SessionWords& words,
                                                    const std::string& program,
                                                    const std::shared_ptr<Interruption>& interruption) {
  auto prepared = apps::prepare_start(options, words, program);
  if (!prepared) return prepared.error();
  prepared->options.is_interrupted = [interruption] { return interruption->is_set(); };
  return apps::Session::open(prepared->options, [interruption] { return interruption->poll(); });
}

/// All callbacks but on_progress. The result refers to the arguments.
apps::JobCallbacks callbacks_of(const RunCallbacks& callbacks, Interruption& interruption) {
  apps::JobCallbacks inner;
  inner.on_notice = [&callbacks](const Notice& notice) {
    if (callbacks.on_notice) callbacks.on_notice(notice.text);
  };
  if (callbacks.is_cancelled) inner.is_cancelled = [&interruption] { return interruption.poll(); };
  return inner;
}

/// The end of a wait by the cancellation can fail the job before the Driver knows of the cancellation.
/// `was_cancelled`: when this end arrived.
JobFinished end_of(JobFinished finished, bool was_cancelled) {
  if (finished.status == JobStatus::failed && was_cancelled) finished.status = JobStatus::cancelled;
  return finished;
}

}  // namespace

struct Session::State {
  std::vector<std::string> arguments;
  Result<Done> status = Done{};
  std::shared_ptr<Interruption> interruption = std::make_shared<Interruption>();
  std::mutex mutex;  // held while a job runs
  std::unique_ptr<apps::Session> session;
};

Session::Session(int argc, char** argv, SessionOptions options) : state_{std::make_unique<State>()} {
  if (const auto code = apps::play_role(argc, argv)) std::_Exit(*code);
  const std::vector<std::string> words{argv + (argc > 0 ? 1 : 0), argv + argc};
  auto parsed = apps::parse_session_words(words);
  if (!parsed) {
    state_->status = parsed.error();
    return;
  }
  state_->arguments = parsed->others;
  const Interruption::Scope scope{*state_->interruption, options.is_cancelled};
  auto opened = open_session(options, *parsed, argc > 0 ? argv[0] : "program", state_->interruption);
  if (opened) state_->session = std::move(*opened);
  else state_->status = opened.error();
}

Session::~Session() { close(); }

Result<Done> Session::status() const {
  const std::lock_guard lock{state_->mutex};
  return state_->status;
}

const std::vector<std::string>& Session::arguments() const { return state_->arguments; }

Result<JobReport> Session::run(const JobBuilder& job, const RunCallbacks& callbacks) {
  const std::lock_guard lock{state_->mutex};
  if (!state_->status) return state_->status.error();
  auto graph = job.build();
  if (!graph) return graph.error();
  apps::ReportRecorder recorder{job.name()};
  const Interruption::Scope scope{*state_->interruption, callbacks.is_cancelled};
  auto inner = callbacks_of(callbacks, *state_->interruption);
  inner.on_progress = [&](const JobProgress& progress) {
    recorder.on_progress(progress);
    if (callbacks.on_progress) callbacks.on_progress(recorder.stages());
  };
  auto finished = state_->session->run(*graph, inner);
  if (!finished) return finished.error();
  // is_cancelled has not been called since the end arrived.
  return recorder.report(*graph, end_of(*finished, state_->interruption->was_cancelled()), *state_->session);
}

std::vector<Result<JobReport>> Session::run_all(const std::vector<JobBuilder>& jobs, const RunCallbacks& callbacks) {
  const std::lock_guard lock{state_->mutex};
  const auto all = [&jobs](const Error& error) { return std::vector<Result<JobReport>>(jobs.size(), error); };
  if (!state_->status) return all(state_->status.error());
  std::vector<JobGraph> graphs;
  std::vector<apps::ReportRecorder> recorders;
  for (const auto& job : jobs) {
    auto graph = job.build();
    if (!graph) return all(graph.error());
    graphs.push_back(std::move(*graph));
    recorders.emplace_back(job.name());
  }
  std::map<JobId, std::size_t> number_of;
  const Interruption::Scope scope{*state_->interruption, callbacks.is_cancelled};
  auto inner = callbacks_of(callbacks, *state_->interruption);
  inner.on_job = [&](std::size_t number, JobId id) { number_of[id] = number; };
  std::set<std::size_t> ended_before;  // jobs whose end arrived before the cancellation
  inner.on_finished = [&](const JobFinished& word) {
    const auto number = number_of.find(word.job);
    if (number == number_of.end()) return;
    recorders[number->second].end();
    if (!state_->interruption->was_cancelled()) ended_before.insert(number->second);
  };
  inner.on_progress = [&](const JobProgress& progress) {
    const auto number = number_of.find(progress.job);
    if (number == number_of.end()) return;
    recorders[number->second].on_progress(progress);
    if (!callbacks.on_progress) return;
    std::vector<StageReport> stages;
    for (const auto& recorder : recorders)
      stages.insert(stages.end(), recorder.stages().begin(), recorder.stages().end());
    callbacks.on_progress(stages);
  };
  const auto finished = state_->session->run_all(graphs, inner);
  if (!finished) return all(finished.error());
  std::vector<Result<JobReport>> reports;
  for (std::size_t number = 0; number < jobs.size(); ++number) {
    const bool was_cancelled = state_->interruption->was_cancelled() && !ended_before.contains(number);
    reports.push_back(
        recorders[number].report(graphs[number], end_of((*finished)[number], was_cancelled), *state_->session));
  }
  return reports;
}

void Session::close() {
  state_->interruption->close();  // before the lock, which a job that waits holds
  const std::lock_guard lock{state_->mutex};
  state_->session.reset();
  if (state_->status) state_->status = Error{Errc::refused, "the session is closed; open a new session to run jobs"};
}

}  // namespace heddle
