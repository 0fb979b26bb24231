#include "apps/commands/topology_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "apps/commands/interrupts.hpp"
#include "apps/output/document_output.hpp"
#include "apps/output/progress.hpp"
#include "apps/output/topology_report.hpp"
#include "apps/roles/map_reduce_settings.hpp"
#include "apps/session/session_request.hpp"
#include "apps/session/shared_cluster.hpp"
#include "apps/session/topology_hosts.hpp"
#include "config/files/job_file.hpp"
#include "config/text/environment.hpp"

namespace heddle::apps {
namespace {

/// An application that has not started yet.
struct PlannedApplication {
  config::TopologyApplication application;
  std::string shown_name;
  std::vector<JobGraph> graphs;
  SessionOptions options;
};

/// Prints lines of all applications on stderr, each with the time since the start.
class LinePrinter {
public:
  explicit LinePrinter(bool is_quiet) : is_quiet_{is_quiet} {}
  [[nodiscard]] Duration elapsed() const {
    return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begin_);
  }
  void print(const std::string& who, const std::string& text) {
    if (is_quiet_) return;
    const std::lock_guard lock{mutex_};
    fmt::print(stderr, "{:5.1f} s  {}: {}\n", static_cast<double>(elapsed().count()) / 1e6, who, text);
    std::fflush(stderr);
  }
  void add(TopologyRow row) {
    const std::lock_guard lock{mutex_};
    rows_.push_back(std::move(row));
  }
  /// Returns true after a cancellation; prints a message at the first call.
  bool is_cancelled() {
    if (!is_interrupted()) return false;
    if (!is_cancel_printed_.exchange(true)) print("heddle", interrupt_hint());
    return true;
  }
  [[nodiscard]] const std::vector<TopologyRow>& rows() const { return rows_; }

private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool is_quiet_;
  std::atomic<bool> is_cancel_printed_{false};
  std::mutex mutex_;
  std::vector<TopologyRow> rows_;
};

const char* status_word(JobStatus status) {
  switch (status) {
    case JobStatus::succeeded: return "succeeded";
    case JobStatus::failed: return "failed";
    case JobStatus::cancelled: return "cancelled";
  }
  return "failed";
}

/// Numbers of launches: process/node/rack/any.
std::string locality_text(const std::vector<std::int64_t>& launches) {
  return launches.empty() ? "-" : fmt::format("{}", fmt::join(shown_levels(launches), "/"));
}

/// Runs one application on its own thread: session, messages, rows of the table.
class Application {
public:
  Application(const PlannedApplication& planned, LinePrinter& printer) : planned_{planned}, printer_{printer} {}

  void run() {
    if (!wait_for_turn()) {
      JobFinished never;
      never.status = JobStatus::cancelled;
      never.text = "cancelled before it was submitted";
      submitted_ = printer_.elapsed();
      return add_rows(std::vector<JobFinished>(planned_.graphs.size(), never));
    }
    submitted_ = printer_.elapsed();
    print(fmt::format("submitted by {}", user()));
    auto session = Session::open(planned_.options, [this] { return printer_.is_cancelled(); });
    if (session) session_ = session->get();
    auto ended =
        session ? (*session)->run_all(planned_.graphs, callbacks()) : Result<std::vector<JobFinished>>{session.error()};
    if (!ended) {
      print(ended.error().text);
      std::vector<JobFinished> none(planned_.graphs.size());
      for (auto& each : none) each.text = ended.error().text;
      if (ended.error().code == Errc::cancelled)
        for (auto& each : none) each.status = JobStatus::cancelled;
      if (ended.error().code == Errc::unreachable)
        for (auto& each : none) each.failure = FailureKind::unreachable;
      ended = std::move(none);
    }
    add_rows(*ended);
    session_ = nullptr;
  }

private:
  void print(const std::string& text) { printer_.print(planned_.shown_name, text); }

  void add_rows(const std::vector<JobFinished>& ends) {
    for (std::size_t i = 0; i < planned_.graphs.size(); ++i) {
      const auto& end = ends[i];
      TopologyRow row;
      row.application = planned_.shown_name;
      row.user = user();
      row.queue = queue_;
      row.job = planned_.graphs[i].name;
      row.submitted = submitted_;
      const auto at = ended_at_.find(i);
      row.took = (at == ended_at_.end() ? printer_.elapsed() : at->second) - submitted_;
      row.tasks = end.totals.tasks;
      row.attempts_failed = end.totals.failed_attempts;
      row.executors = executors_most_;
      row.has_launched = !end.totals.locality.empty();
      row.launches = shown_levels(end.totals.locality);
      row.outcome = status_word(end.status);
      row.is_unreachable = end.status == JobStatus::failed && end.failure == FailureKind::unreachable;
      row.text = end.text;
      if (session_ != nullptr) {
        row.application_id = session_->application();
        row.event_log = session_->event_log();
        row.task_log_folder = task_log_folder();
      }
      printer_.add(std::move(row));
    }
  }

  /// Empty: no attempt has written output.
  [[nodiscard]] std::string task_log_folder() const {
    std::error_code fault;
    const auto folder = session_ == nullptr ? std::string{} : session_->task_logs();
    return std::filesystem::exists(folder, fault) ? folder : std::string{};
  }

  [[nodiscard]] std::string user() const { return planned_.options.settings.application().user; }

  /// Returns false if the run was cancelled before.
  bool wait_for_turn() {
    std::mutex mutex;
    std::condition_variable never_notified;
    std::unique_lock lock{mutex};
    while (printer_.elapsed() < planned_.application.submit_at && !printer_.is_cancelled()) {
      const auto left = planned_.application.submit_at - printer_.elapsed();
      never_notified.wait_for(lock, std::min<Duration>(left, std::chrono::milliseconds{50}));
    }
    return !printer_.is_cancelled();
  }

  JobCallbacks callbacks() {
    JobCallbacks made;
    made.on_application = [this](const ApplicationAccepted& report) {
      queue_ = report.queue;
      print(fmt::format("accepted in {} as {}", report.queue, to_string(report.application)));
      if (session_ != nullptr && !session_->event_log().empty()) print("its event log is " + session_->event_log());
    };
    made.on_job = [this](std::size_t number, JobId job) { number_of_job_[job] = number; };
    made.on_progress = [this](const JobProgress& progress) { on_progress(progress); };
    made.on_notice = [this](const Notice& notice) { print(notice.text); };
    made.on_finished = [this](const JobFinished& report) { on_finished(report); };
    made.is_cancelled = [this] { return printer_.is_cancelled(); };
    made.watch_cancellation = on_interrupt;
    return made;
  }

  void on_progress(const JobProgress& progress) {
    executors_most_ = std::max(executors_most_, progress.executors);
    if (planned_.options.framework != config::Framework::driver) print_running(progress);
    else if (progress.executors != executors_)
      print(fmt::format("has {} executor{}", progress.executors, progress.executors == 1 ? "" : "s"));
    executors_ = progress.executors;
    const auto number = number_of_job_.find(progress.job);
    const auto& job = number == number_of_job_.end() ? planned_.application.name : planned_.graphs[number->second].name;
    for (const auto& stage : progress.stages) {
      if (!stage.is_done || !told_stages_.insert(stage.stage).second) continue;
      print(fmt::format("stage {} of {} {}: {} of {} tasks, {} failed attempts, launched {} process/node/rack/any",
                        stage.name, job, stage.finished < stage.tasks ? "stopped" : "done", stage.finished, stage.tasks,
                        stage.failed_attempts, locality_text(stage.locality)));
    }
    if (progress.waiting != waiting_ && !progress.waiting.empty()) waiting_since_ = printer_.elapsed();
    waiting_ = progress.waiting;
    if (planned_.options.framework != config::Framework::driver) return print_waiting();
    if (!waiting_.empty() && printer_.elapsed() - waiting_since_ > std::chrono::seconds{5}) {
      print("waits: " + waiting_);
      waiting_since_ = printer_.elapsed() + std::chrono::hours{1};
    }
  }

  /// Each reason once, because samples show decisions of a few seconds.
  void print_waiting() {
    if (!waiting_.empty() && told_reasons_.insert(waiting_).second)
      print(waiting_.starts_with("waits") ? waiting_ : "waits: " + waiting_);
  }

  /// The running maps and reduces of a job of a MapReduce framework, if their number has changed.
  void print_running(const JobProgress& progress) {
    constexpr std::array<const char*, 2> kinds{"map", "reduce"};
    std::array<std::int32_t, 2> running{};
    std::string text;
    for (std::size_t i = 0; i < std::min(progress.stages.size(), kinds.size()); ++i) {
      const auto& stage = progress.stages[i];
      running[i] = stage.running;
      text += fmt::format("{}{} {}{} ({} of {} done)", i == 0 ? "runs " : " and ", stage.running, kinds[i],
                          stage.running == 1 ? "" : "s", stage.finished, stage.tasks);
    }
    if (text.empty() || std::exchange(running_of_job_[progress.job], running) == running) return;
    print(text);
  }

  void on_finished(const JobFinished& report) {
    const auto number = number_of_job_.find(report.job);
    if (number == number_of_job_.end()) return;
    ended_at_[number->second] = printer_.elapsed();
    print(fmt::format("job {} {}{}{}", planned_.graphs[number->second].name, status_word(report.status),
                      report.text.empty() ? "" : ": ", report.text));
    if (const auto folder = task_log_folder(); report.status != JobStatus::succeeded && !folder.empty())
      print("the stdout and stderr of its tasks are in " + folder);
  }

  const PlannedApplication& planned_;
  LinePrinter& printer_;
  Duration submitted_{};
  std::string queue_ = "-";
  std::map<JobId, std::size_t> number_of_job_;
  std::map<std::size_t, Duration> ended_at_;
  std::set<StageId> told_stages_;
  std::set<std::string> told_reasons_;                           // of waits
  std::map<JobId, std::array<std::int32_t, 2>> running_of_job_;  // maps and reduces, as printed last
  std::int32_t executors_ = 0;
  std::int32_t executors_most_ = 0;
  std::string waiting_;
  Duration waiting_since_{};
  Session* session_ = nullptr;  // null: not open
};

/// Appends numbers to equal application names, so that their lines can be distinguished.
void number_equal_names(std::vector<PlannedApplication>& planned) {
  std::map<std::string, int> count;
  for (const auto& each : planned) ++count[each.application.name];
  std::map<std::string, int> number;
  for (auto& each : planned) {
    const auto& name = each.application.name;
    each.shown_name = count[name] == 1 ? name : fmt::format("{}#{}", name, ++number[name]);
  }
}

/// With framework classic all applications use the processes of the cluster, which have its settings.
void warn_of_settings(const std::string& application, const std::vector<config::SettingEntry>& entries) {
  for (const auto& entry : entries)
    if (!is_submitted(entry.key))
      fmt::print(stderr, "heddle: {}: application {}: {} has no effect with framework classic; set it in [settings]\n",
                 entry.place, application, entry.key);
}

Result<PlannedApplication> plan(const JobOptions& options, const config::TopologyApplication& application,
                                const SessionOptions& of_cluster) {
  PlannedApplication planned;
  planned.application = application;
  SessionRequest request;
  request.name = application.name;
  request.topology = options.topology;
  request.assignments = options.assignments;
  const auto user = application.user.empty() ? config::read_environment().user : application.user;
  request.entries = {{"heddle.application.user", user, options.topology},
                     {"heddle.application.queue", application.queue, options.topology}};
  std::vector<config::SettingEntry> own;
  for (const auto& path : application.jobs) {
    auto file = config::read_job_file(path);
    if (!file) return file.error();
    own.insert(own.end(), file->settings.begin(), file->settings.end());
    planned.graphs.push_back(std::move(file->graph));
  }
  own.insert(own.end(), application.settings.begin(), application.settings.end());
  request.entries.insert(request.entries.end(), own.begin(), own.end());
  auto prepared = prepare_session(request);
  if (!prepared) return prepared.error();
  if (prepared->options.framework == config::Framework::classic && !options.quiet)
    warn_of_settings(application.name, own);
  planned.options = std::move(prepared->options);
  planned.options.cluster = of_cluster.cluster;
  planned.options.is_interrupted = is_interrupted;
  return planned;
}

}  // namespace

Result<TopologyRunResult> run_topology(const JobOptions& options) {
  SessionRequest of_cluster;
  of_cluster.name = "cluster";
  of_cluster.topology = options.topology;
  of_cluster.assignments = options.assignments;
  auto prepared = prepare_session(of_cluster);
  if (!prepared) return prepared.error();
  const auto& topology = prepared->options.topology;
  if (!options.quiet)
    for (const auto& warning : prepared->warnings) fmt::print(stderr, "heddle: {}\n", warning);
  if (topology.applications.empty())
    return Error{Errc::usage, fmt::format("{} has no [[application]]; add a job file or a command to the command line",
                                          options.topology)};
  std::vector<PlannedApplication> planned;
  for (const auto& application : topology.applications) {
    auto made = plan(options, application, prepared->options);
    if (!made) return made.error();
    planned.push_back(std::move(*made));
  }
  number_equal_names(planned);
  std::vector<config::Settings> settings;
  for (const auto& each : planned) settings.push_back(each.options.settings);
  watch_interrupts();
  auto cluster = SharedCluster::start(prepared->options.settings, shared_cluster_hosts(prepared->options, settings),
                                      prepared->options.framework, is_interrupted);
  if (!cluster) return cluster.error();
  for (auto& each : planned) each.options.cluster = *cluster;
  LinePrinter printer{options.quiet};
  std::vector<std::thread> threads;
  for (const auto& each : planned) threads.emplace_back([&each, &printer] { Application{each, printer}.run(); });
  for (auto& thread : threads) thread.join();
  for (auto& each : planned) each.options.cluster.reset();
  cluster->reset();  // stop all processes before the table
  if (options.format == Format::table) {
    fmt::print("{}", topology_table(printer.rows()));
    std::fflush(stdout);
  } else {
    print_documents(topology_documents(options.format, printer.rows()));
  }
  TopologyRunResult end;
  end.succeeded = std::all_of(printer.rows().begin(), printer.rows().end(),
                              [](const TopologyRow& row) { return row.outcome == status_word(JobStatus::succeeded); });
  end.was_cancelled = is_interrupted() && !end.succeeded;
  end.was_unreachable = std::any_of(printer.rows().begin(), printer.rows().end(),
                                    [](const TopologyRow& row) { return row.is_unreachable; });
  return end;
}

}  // namespace heddle::apps
