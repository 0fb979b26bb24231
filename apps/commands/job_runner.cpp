#include "apps/commands/job_runner.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "apps/commands/interrupts.hpp"
#include "apps/output/document_output.hpp"
#include "apps/output/progress.hpp"
#include "apps/output/summary.hpp"
#include "apps/session/session.hpp"
#include "apps/session/session_request.hpp"
#include "apps/session/yarn_cluster_mode.hpp"
#include "config/text/environment.hpp"

namespace heddle::apps {
namespace {

void print_line(std::string_view text) { fmt::print(stderr, "{}\n", text); }

StageProgress to_shown(const heddle::StageProgress& stage) {
  StageProgress shown;
  shown.id = stage.stage.value;
  shown.name = stage.name;
  shown.done = stage.finished;
  shown.running = stage.running;
  shown.failed = stage.failed_attempts;
  shown.tasks = stage.tasks;
  shown.launches = shown_levels(stage.locality);
  shown.elapsed = Duration{stage.elapsed_us};
  shown.ended = stage.is_done;
  return shown;
}

/// Prints the progress of one job, and collects data for its summary.
class JobScreen {
public:
  explicit JobScreen(const JobOptions& options)
      : printer_{style(options), columns(), has_color(), [](std::string_view text) {
                   std::fwrite(text.data(), 1, text.size(), stderr);
                   std::fflush(stderr);
                 }} {}

  void on_progress(const JobProgress& progress) {
    ProgressSnapshot snapshot;
    snapshot.elapsed = elapsed();
    for (const auto& stage : progress.stages) snapshot.stages.push_back(to_shown(stage));
    snapshot.executors_held = progress.executors;
    snapshot.executors_wanted = progress.executors_wanted;
    if (progress.waiting.empty()) waiting_since_ = snapshot.elapsed;
    snapshot.waiting_for = snapshot.elapsed - waiting_since_;
    snapshot.waiting_reason = progress.waiting;
    stages_ = snapshot.stages;
    printer_.set_columns(columns());
    printer_.show(snapshot);
  }
  void print(std::string_view text) {
    printer_.clear();
    print_line(text);
  }
  void clear() { printer_.clear(); }
  [[nodiscard]] Duration elapsed() const {
    return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begin_);
  }
  [[nodiscard]] const std::vector<StageProgress>& stages() const { return stages_; }

private:
  static ProgressStyle style(const JobOptions& options) {
    if (options.quiet || options.no_progress) return ProgressStyle::none;
    return is_terminal() ? ProgressStyle::bars : ProgressStyle::lines;
  }
  static int columns() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  }
  /// Returns true if stderr is a terminal with a movable cursor.
  static bool is_terminal() { return ::isatty(STDERR_FILENO) == 1 && !config::read_environment().is_dumb_terminal; }
  static bool has_color() { return is_terminal() && !config::read_environment().no_color; }

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Duration waiting_since_{0};
  std::vector<StageProgress> stages_;
  ProgressPrinter printer_;
};

/// Log files of task attempts.
std::vector<std::string> kept_logs(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code fault;
  for (std::filesystem::recursive_directory_iterator at{folder, fault}, end; !fault && at != end; at.increment(fault))
    if (at->is_regular_file(fault)) files.push_back(at->path().string());
  std::sort(files.begin(), files.end());
  return files;
}

JobSummary summary_of(const JobRequest& request, const JobFinished& finished, const JobScreen& screen,
                      const Session& session) {
  JobSummary summary;
  summary.name = request.graph.name;
  summary.application = session.application();
  summary.succeeded = finished.status == JobStatus::succeeded;
  summary.text = finished.text;
  summary.wall = screen.elapsed();
  const auto now = std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch());
  summary.started_us = (now - summary.wall).count();
  summary.stages = screen.stages();
  summary.tasks = finished.totals.tasks;
  summary.attempts_failed = finished.totals.failed_attempts;
  for (const auto& [reason, count] : finished.totals.failures) summary.failures.push_back({reason, count});
  summary.bytes_read = finished.totals.bytes_read;
  summary.bytes_shuffled = finished.totals.bytes_shuffled;
  summary.bytes_written = finished.totals.bytes_written;
  summary.bytes_spilled = finished.totals.bytes_spilled;
  if (summary.succeeded)
    for (const auto& stage : request.graph.stages)
      if (stage.output) summary.outputs.push_back(stage.output->path);
  summary.event_log = session.event_log();
  summary.task_logs = kept_logs(session.task_logs());
  if (!summary.task_logs.empty()) summary.task_log_folder = session.task_logs();
  summary.counters = finished.totals.counters;
  return summary;
}

/// Prints the warnings about its settings, and checks that the job can run there.
Result<PreparedSession> prepare(const JobRequest& request) {
  SessionRequest start;
  start.name = request.graph.name;
  start.master = request.options.master;
  start.topology = request.options.topology;
  start.assignments = request.options.assignments;
  start.entries = request.entries;
  start.is_cluster_deploy = request.options.deploy_mode == DeployMode::cluster;
  start.fallback_settings = request.fallback_settings;
  start.is_map_reduce = request.is_map_reduce;
  start.framework = request.framework;
  auto prepared = prepare_session(start);
  if (!prepared) return prepared;
  if (!request.options.quiet)
    for (const auto& warning : prepared->warnings) print_line("heddle: " + warning);
  if (prepared->options.master.kind == config::MasterKind::yarn && prepared->options.is_cluster_deploy)
    if (auto fits = check_without_client(request.graph); !fits) return fits.error();
  return prepared;
}

}  // namespace

Result<JobRunResult> run_job(JobRequest request) {
  auto prepared = prepare(request);
  if (!prepared) return prepared.error();
  JobScreen screen{request.options};
  watch_interrupts();
  JobRunResult end;
  JobCallbacks callbacks;
  callbacks.on_progress = [&screen](const JobProgress& progress) { screen.on_progress(progress); };
  callbacks.on_notice = [&screen, &request](const Notice& notice) {
    if (!request.options.quiet) screen.print("heddle: " + notice.text);
  };
  callbacks.is_cancelled = [&end, &screen] {
    const bool is_now = is_interrupted();
    if (is_now && !end.was_cancelled) screen.print("heddle: " + interrupt_hint());
    end.was_cancelled = is_now;
    return is_now;
  };
  callbacks.watch_cancellation = on_interrupt;
  prepared->options.is_interrupted = is_interrupted;
  auto session = Session::open(prepared->options, callbacks.is_cancelled, callbacks.on_notice);
  if (!session) return session.error();
  auto finished = (*session)->run(request.graph, callbacks);
  screen.clear();
  if (!finished) return finished.error();
  end.finished = std::move(*finished);
  // A job that succeeds before the cancellation reaches it keeps its output.
  end.was_cancelled = end.was_cancelled && end.finished.status != JobStatus::succeeded;
  const auto summary = summary_of(request, end.finished, screen, **session);
  session->reset();  // stop all processes before the summary
  if (request.options.format != Format::table) print_documents(summary_json(summary));
  if (request.prints_summary && !request.options.quiet) fmt::print(stderr, "{}", print_summary(summary));
  else if (!summary.succeeded) print_line("heddle: " + summary.text);
  return end;
}

Result<Done> submit_job(const JobRequest& request) {
  auto prepared = prepare(request);
  if (!prepared) return prepared.error();
  watch_interrupts();
  const auto on_notice = [&request](const Notice& notice) {
    if (!request.options.quiet) print_line("heddle: " + notice.text);
  };
  prepared->options.is_interrupted = is_interrupted;
  const auto submitted = submit_to_yarn(prepared->options, {request.graph}, is_interrupted, on_notice);
  if (!submitted) return Error{is_interrupted() ? Errc::cancelled : submitted.error().code, submitted.error().text};
  if (request.options.format == Format::table) fmt::print("{}\n", *submitted);
  else print_documents(fmt::format("{{\"schema\":1,\"id\":\"{}\"}}\n", *submitted));
  return Done{};
}

}  // namespace heddle::apps
