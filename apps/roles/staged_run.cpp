#include "apps/roles/staged_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <iterator>
#include <thread>
#include <utility>
#include <variant>

#include "actors/job_reporter/job_reporter.hpp"
#include "apps/job_files/staging_folder.hpp"
#include "apps/roles/file_systems_of.hpp"
#include "apps/roles/role_tools.hpp"

namespace heddle::apps {
namespace {

void remove_folder_of(work::FileSystems& files, const std::string& folder) {
  if (const auto removed = remove_staging_folder(files, folder); !removed)
    fmt::print(stderr, "heddle: cannot remove the staging folder: {}\n", removed.error().text);
}

/// A later attempt would fail for the same reason.
bool is_final(const Error& error) {
  return error.code == Errc::not_found || error.code == Errc::corrupt || error.code == Errc::refused;
}

}  // namespace

StagedRun::StagedRun(RoleRuntime& world, const LaunchSpec& spec, const ApplicationMasterLaunch& launch)
    : world_{world}, spec_{spec}, launch_{launch}, files_(file_systems_of(world.settings())) {
  actors::JobReporterStart start;
  start.is_followed = launch.is_followed;
  start.on_over = [this](bool is_confirmed) {
    {
      const std::lock_guard lock{mutex_};
      is_reported_ = true;
      is_confirmed_ = is_confirmed;
    }
    has_changed_.notify_all();
  };
  reporter_ = actors::spawn_job_reporter(world.system(), start, world.tools());
}

void StagedRun::begin(const OwnDriver& driver) {
  ClientLaunch launch;
  launch.application = spec_.container.attempt.application;
  launch.driver = driver;
  actors::ClientPorts ports;
  ports.listener = this;
  client_ = make_client({world_.system(), world_.tools()}, launch, world_.settings(), ports);
  std::thread{[this] { run(); }}.detach();
}

void StagedRun::run() {
  auto jobs = read_staged_jobs(files_, launch_.staging_folder);
  if (!jobs && is_final(jobs.error())) return end_application(jobs.error().text);
  if (!jobs) ::_exit(fail_role(jobs.error().text));
  std::vector<std::string> names;
  for (const auto& job : *jobs) names.push_back(job.graph.name);
  submit(std::move(*jobs));
  wait_until([this] { return ends_.size() == count_; });
  save_event_log();
  caf::anon_send(reporter_, last_);
  caf::anon_send(reporter_, JobsReported{});
  wait_until([this] { return is_reported_; });
  end_application(why_failed(names));
}

void StagedRun::submit(std::vector<JobPackage> jobs) {
  {
    const std::lock_guard lock{mutex_};
    count_ = jobs.size();
  }
  std::int64_t request = 0;
  for (auto& package : jobs) {
    SubmitJob job;
    job.request = request++;
    job.package = std::move(package);
    job.earlier_drivers = spec_.container.attempt.attempt - 1;
    caf::anon_send(client_, RunJob{std::move(job)});
  }
}

template <class Condition>
void StagedRun::wait_until(Condition condition) {
  std::unique_lock lock{mutex_};
  has_changed_.wait(lock, condition);
}

/// A client copies the log when it has the end of the last job. The log in the log folder of the container is the same.
void StagedRun::save_event_log() {
  world_.close_log();
  if (!world_.settings().event_log().enabled || spec_.log_directory.empty()) return;
  const auto name = driver_log_name(spec_.container.attempt.attempt) + ".jsonl";
  const auto copied = copy_file(files_, spec_.log_directory + "/" + name, launch_.staging_folder + "/" + name);
  if (!copied) fmt::print(stderr, "heddle: cannot copy the event log: {}\n", copied.error().text);
}

/// The reason of the first job that has not succeeded; empty if there is none.
std::string StagedRun::why_failed(const std::vector<std::string>& names) {
  const std::lock_guard lock{mutex_};
  for (const auto& [request, end] : ends_) {
    if (end.status == JobStatus::succeeded) continue;
    const auto text = end.text.empty() ? "the job has failed" : end.text;
    return names.size() == 1 ? text : fmt::format("job '{}': {}", names[static_cast<std::size_t>(request)], text);
  }
  return {};
}

void StagedRun::end_application(const std::string& why_failed) {
  caf::anon_send(client_, LeaveApplication{why_failed.empty(), why_failed});
}

void StagedRun::remove_folder() {
  if (!is_needed()) remove_folder_of(files_, launch_.staging_folder);
}

/// A client that is missing the ends reads in the folder which jobs were committed. The final status of the application
/// answers that if all jobs ended alike.
bool StagedRun::is_needed() {
  const std::lock_guard lock{mutex_};
  if (!launch_.is_followed || is_confirmed_) return false;
  const auto succeeded = std::count_if(ends_.begin(), ends_.end(),
                                       [](const auto& row) { return row.second.status == JobStatus::succeeded; });
  return ends_.size() < count_ || (succeeded > 0 && succeeded < std::ssize(ends_));
}

void remove_left_folder(const config::Settings& settings, const std::string& folder) {
  if (folder.empty()) return;
  auto files = file_systems_of(settings);
  const auto is_there = files.is_present(folder);  // a NameNode in safe mode delays a removal, but not this
  if (is_there && *is_there) remove_folder_of(files, folder);
}

// -- reports of the Client ------------------------------------------------------------------------

void StagedRun::on_report(actors::ClientReport report) {
  if (const auto* accepted = std::get_if<JobAccepted>(&report)) on(*accepted);
  else if (const auto* progress = std::get_if<JobProgress>(&report)) caf::anon_send(reporter_, *progress);
  else if (const auto* notice = std::get_if<Notice>(&report)) on(*notice);
  else if (const auto* ended = std::get_if<actors::RequestEnded>(&report)) on(*ended);
}

void StagedRun::on(const JobAccepted& report) {
  {
    const std::lock_guard lock{mutex_};
    jobs_[report.request] = report.job;
  }
  caf::anon_send(reporter_, report);
}

/// The log of the container has it too, because nobody may follow the jobs.
void StagedRun::on(const Notice& report) {
  fmt::print(stderr, "heddle: {}\n", report.text);
  caf::anon_send(reporter_, report);
}

/// The last end is reported after the event log was saved.
void StagedRun::on(const actors::RequestEnded& report) {
  JobFinished end;
  if (report.end) end = *report.end;
  else end.text = report.end.error().text;
  const std::lock_guard lock{mutex_};
  if (const auto job = jobs_.find(report.request); job != jobs_.end()) end.job = job->second;
  ends_[report.request] = end;
  if (ends_.size() < count_) caf::anon_send(reporter_, end);
  else last_ = end;
  has_changed_.notify_all();
}

}  // namespace heddle::apps
