#include "apps/session/many_jobs.hpp"

#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

namespace heddle::apps {
namespace {

constexpr std::chrono::milliseconds look_interval{50};     // for a cancellation without a watch, or without descriptors
constexpr std::chrono::milliseconds quiet_interval{1000};  // otherwise: between two looks for a free descriptor

class JobBatch {
public:
  JobBatch(std::int64_t first, std::size_t count, const JobCallbacks& callbacks)
      : first_{first}, callbacks_{callbacks}, results_(count), missing_{count} {}

  [[nodiscard]] bool is_over() const { return missing_ == 0; }
  /// Why the cluster is lost; null if it is not.
  [[nodiscard]] const Error* lost_cluster() const {
    return lost_ && lost_->code == Errc::unreachable ? &*lost_ : nullptr;
  }
  [[nodiscard]] Result<JobFinished>& end(std::size_t number) { return *results_[number]; }
  void handle(const actors::ClientReport& report) {
    std::visit([this](const auto& each) { on(each); }, report);
  }

private:
  [[nodiscard]] std::optional<std::size_t> number_of(std::int64_t request) const {
    const auto number = request - first_;
    if (number < 0 || static_cast<std::size_t>(number) >= results_.size()) return std::nullopt;  // of an earlier wait
    return static_cast<std::size_t>(number);
  }
  void on(const actors::ApplicationSubmitted&) {}
  void on(const actors::DriverAttempt&) { jobs_.clear(); }  // a new Driver restarts its job ids
  void on(const actors::ApplicationOver&) {}                // each job gets its own result
  void on(const actors::ClusterUnusable& report) { lost_ = report.why; }
  void on(const ApplicationAccepted& report) {
    if (callbacks_.on_application) callbacks_.on_application(report);
  }
  void on(const JobAccepted& report) {
    const auto number = number_of(report.request);
    if (!number) return;
    jobs_.insert(report.job);
    if (callbacks_.on_job) callbacks_.on_job(*number, report.job);
  }
  void on(const JobProgress& report) {
    if (callbacks_.on_progress && jobs_.contains(report.job)) callbacks_.on_progress(report);
  }
  void on(const Notice& report) {
    if (callbacks_.on_notice) callbacks_.on_notice(report);
  }
  void on(const actors::RequestEnded& report) {
    const auto number = number_of(report.request);
    if (!number || results_[*number]) return;
    if (report.end && callbacks_.on_finished) callbacks_.on_finished(*report.end);
    results_[*number] = report.end;
    --missing_;
  }

  std::int64_t first_;
  const JobCallbacks& callbacks_;
  std::vector<std::optional<Result<JobFinished>>> results_;
  std::size_t missing_;
  std::set<JobId> jobs_;  // job ids of the Driver
  std::optional<Error> lost_;
};

JobBatch wait_for(JobWaiter& waiter, const ClientRoleActor& client, std::vector<SubmitJob> jobs,
                  const JobCallbacks& callbacks) {
  const auto first = waiter.begin(jobs.size());
  JobBatch batch{first, jobs.size(), callbacks};
  for (std::size_t number = 0; number < jobs.size(); ++number) {
    jobs[number].request = first + static_cast<std::int64_t>(number);
    caf::anon_send(client, RunJob{std::move(jobs[number])});
  }
  const auto watch =
      callbacks.watch_cancellation ? callbacks.watch_cancellation([&waiter] { waiter.wake(); }) : nullptr;
  const bool polls = callbacks.is_cancelled && watch == nullptr;
  auto next_look = std::chrono::steady_clock::now() + quiet_interval;
  bool is_cancelled = false;
  bool is_starved = false;
  while (!batch.is_over()) {
    if (callbacks.is_cancelled && callbacks.is_cancelled() && !std::exchange(is_cancelled, true))
      caf::anon_send(client, CancelJobs{});
    const bool is_short = !is_starved && waiter.is_short_of_descriptors();
    if (const auto report = waiter.next(polls || is_short ? look_interval : quiet_interval)) batch.handle(*report);
    if (is_starved || (!is_short && std::chrono::steady_clock::now() < next_look)) continue;
    next_look = std::chrono::steady_clock::now() + quiet_interval;
    if (const auto text = waiter.lack_of_descriptors()) {
      is_starved = true;
      caf::anon_send(client, ApplicationEnded{{}, false, *text});
    }
  }
  return batch;
}

}  // namespace

Result<std::vector<JobFinished>> run_jobs(JobWaiter& waiter, const ClientRoleActor& client, std::vector<SubmitJob> jobs,
                                          const JobCallbacks& callbacks) {
  const auto count = jobs.size();
  auto batch = wait_for(waiter, client, std::move(jobs), callbacks);
  std::vector<JobFinished> ends;
  for (std::size_t number = 0; number < count; ++number) {
    auto& end = batch.end(number);
    if (!end) {
      const auto code = end.error().code;
      const bool is_kept = code == Errc::cancelled || code == Errc::unreachable;
      return Error{is_kept ? code : Errc::failed, end.error().text};
    }
    if (batch.lost_cluster() != nullptr && end->status == JobStatus::failed) end->failure = FailureKind::unreachable;
    ends.push_back(std::move(*end));
  }
  return ends;
}

Result<JobFinished> run_one_job(JobWaiter& waiter, const ClientRoleActor& client, SubmitJob job,
                                const JobCallbacks& callbacks) {
  JobCallbacks of_one{callbacks.on_progress, callbacks.on_notice, callbacks.is_cancelled};
  of_one.watch_cancellation = callbacks.watch_cancellation;
  std::vector<SubmitJob> jobs;
  jobs.push_back(std::move(job));
  auto batch = wait_for(waiter, client, std::move(jobs), of_one);
  auto& end = batch.end(0);
  const bool is_failed = end && end->status == JobStatus::failed;
  if (is_failed && batch.lost_cluster() != nullptr) return *batch.lost_cluster();
  return std::move(end);
}

}  // namespace heddle::apps
