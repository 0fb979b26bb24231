#include "apps/session/yarn_cluster_mode.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "apps/roles/file_systems_of.hpp"
#include "apps/session/followed_application.hpp"
#include "apps/session/job_input.hpp"
#include "apps/session/many_jobs.hpp"
#include "apps/session/resource_validation.hpp"
#include "apps/session/yarn_parts.hpp"
#include "work/files/file_systems.hpp"

namespace heddle::apps {
namespace {

/// Checks the jobs and lists their inputs.
Result<std::vector<SubmitJob>> prepare_jobs(const std::vector<JobGraph>& graphs, const SessionOptions& options,
                                            work::FileSystems& files, interop::YarnCluster& cluster,
                                            const OnNotice& on_notice) {
  const auto size_rules = task_size_rules(options);
  std::vector<SubmitJob> jobs;
  for (auto graph : graphs) {
    if (auto fits = check_without_client(graph); !fits) return fits.error();
    if (auto fits = size_tasks(graph, options, size_rules); !fits) return fits.error();
    auto job = prepare_job(std::move(graph), options.settings, files, nullptr, ask_about_ends(cluster, on_notice));
    if (!job) return job.error();
    job->user = cluster.user();
    jobs.push_back(std::move(*job));
  }
  return jobs;
}

class YarnClusterModeSession final : public Session {
public:
  YarnClusterModeSession(SessionOptions options, YarnParts parts)
      : options_{std::move(options)},
        files_(file_systems_of(options_.settings, PathRules::hadoop, options_.is_interrupted)),
        application_{to_string(parts.application.application)},
        next_{std::move(parts)} {}

  [[nodiscard]] Result<JobFinished> run(JobGraph graph, const JobCallbacks& callbacks) override {
    std::vector<JobGraph> graphs;
    graphs.push_back(std::move(graph));
    auto jobs = submit(graphs, callbacks);
    if (!jobs) return jobs.error();
    auto finished = run_one_job(running_->waiter(), running_->client(), std::move(jobs->front()), callbacks);
    end_run();
    return finished;
  }

  [[nodiscard]] Result<std::vector<JobFinished>> run_all(const std::vector<JobGraph>& graphs,
                                                         const JobCallbacks& callbacks) override {
    if (graphs.empty()) return std::vector<JobFinished>{};
    auto jobs = submit(graphs, callbacks);
    if (!jobs) return jobs.error();
    auto ended = run_jobs(running_->waiter(), running_->client(), std::move(*jobs), callbacks);
    end_run();
    return ended;
  }

  [[nodiscard]] std::string output_path(const std::string& written) const override {
    const auto resolved = files_.resolve(written, ports::PathKind::plain);
    return resolved ? *resolved : written;
  }
  /// Of the last run.
  [[nodiscard]] std::string event_log() const override { return event_log_; }
  [[nodiscard]] std::string application() const override { return application_; }
  /// The logs of tasks are on the nodes, beside those of their containers.
  [[nodiscard]] std::string task_logs() const override { return {}; }

private:
  /// The application of the first run was asked for when the session was opened.
  [[nodiscard]] Result<std::vector<SubmitJob>> submit(const std::vector<JobGraph>& graphs,
                                                      const JobCallbacks& callbacks) {
    if (!next_) {
      auto parts = make_yarn_parts(options_, callbacks.is_cancelled, callbacks.on_notice);
      if (!parts) return parts.error();
      next_.emplace(std::move(*parts));
    }
    auto jobs = prepare_jobs(graphs, options_, files_, *next_->cluster, callbacks.on_notice);
    if (!jobs) return jobs.error();
    application_ = to_string(next_->application.application);
    event_log_.clear();
    running_ = std::make_unique<FollowedApplication>(options_, std::move(*std::exchange(next_, std::nullopt)));
    if (auto submitted = running_->submit(*jobs, true, callbacks.is_cancelled); !submitted) {
      running_.reset();
      return submitted.error();
    }
    if (callbacks.on_notice)
      callbacks.on_notice(
          Notice{fmt::format("application {} is submitted; it goes on if this client is killed", application_)});
    return jobs;
  }

  void end_run() {
    event_log_ = running_->fetch_event_log();
    running_.reset();
  }

  SessionOptions options_;
  mutable work::FileSystems files_;
  std::string application_;
  std::string event_log_;
  std::optional<YarnParts> next_;
  std::unique_ptr<FollowedApplication> running_;
};

}  // namespace

Result<Done> check_without_client(const JobGraph& graph) {
  for (const auto& stage : graph.stages)
    if (stage.pass_through)
      return Error{
          Errc::usage,
          "a command with a terminal needs its client, so its Driver runs there: omit --deploy-mode cluster, or "
          "add --format json, which keeps the output of the command in the log folder of its container"};
  return Done{};
}

Result<std::unique_ptr<Session>> open_yarn_cluster_mode(const SessionOptions& options, const IsCancelled& is_cancelled,
                                                        const OnNotice& on_notice) {
  auto own = options;
  auto parts = make_yarn_parts(own, is_cancelled, on_notice);
  if (!parts) return parts.error();
  return std::unique_ptr<Session>{std::make_unique<YarnClusterModeSession>(std::move(own), std::move(*parts))};
}

Result<std::string> submit_to_yarn(const SessionOptions& options, const std::vector<JobGraph>& graphs,
                                   const IsCancelled& is_cancelled, const OnNotice& on_notice) {
  auto own = options;
  auto parts = make_yarn_parts(own, is_cancelled, on_notice);
  if (!parts) return parts.error();
  auto files = file_systems_of(own.settings, PathRules::hadoop, own.is_interrupted);
  auto jobs = prepare_jobs(graphs, own, files, *parts->cluster, on_notice);
  if (!jobs) return jobs.error();
  FollowedApplication application{std::move(own), std::move(*parts)};
  if (auto submitted = application.submit(*jobs, false, is_cancelled); !submitted) return submitted.error();
  if (auto left = application.leave_when_accepted(is_cancelled); !left) return left.error();
  return application.name();
}

}  // namespace heddle::apps
