#include "apps/session/many_jobs.hpp"

#include <map>
#include <set>

#include "apps/session/cancel_deadline.hpp"

namespace heddle::apps {
namespace {

class Crowd {
public:
  Crowd(std::size_t count, const JobCallbacks& callbacks, const ManyJobsHooks& hooks)
      : callbacks_{callbacks}, hooks_{hooks}, ended_(count) {}

  [[nodiscard]] bool is_over() const { return missing_ == 0; }
  [[nodiscard]] std::vector<std::optional<JobFinished>> take() { return std::move(ended_); }
  [[nodiscard]] const std::map<JobId, std::size_t>& jobs() const { return number_of_job_; }

  /// A sentence if the application is over.
  [[nodiscard]] std::string hear(const ClientWord& word) {
    if (const auto* application = std::get_if<ApplicationAccepted>(&word)) {
      if (callbacks_.on_application) callbacks_.on_application(*application);
    } else if (const auto* accepted = std::get_if<JobAccepted>(&word)) {
      accept(*accepted);
    } else if (const auto* progress = std::get_if<JobProgress>(&word)) {
      if (callbacks_.on_progress && number_of_job_.contains(progress->job)) callbacks_.on_progress(*progress);
    } else if (const auto* notice = std::get_if<Notice>(&word)) {
      if (callbacks_.on_notice) callbacks_.on_notice(*notice);
    } else if (const auto* finished = std::get_if<JobFinished>(&word)) {
      finish(*finished);
    } else if (const auto* refused = std::get_if<ApplicationRefused>(&word)) {
      return refused->text;
    } else if (const auto* ready = std::get_if<DriverReady>(&word)) {
      number_of_job_.clear();
      if (hooks_.one.on_driver_ready) hooks_.one.on_driver_ready(*ready);
    } else if (const auto* lost = std::get_if<ClusterLost>(&word)) {
      if (!hooks_.one.on_cluster_lost) return lost->why.text;
      hooks_.one.on_cluster_lost(lost->why.text);
    } else if (const auto* ended = std::get_if<ApplicationEnded>(&word)) {
      return ended->text.empty() ? "the application ended before its jobs" : ended->text;
    }
    return {};
  }

private:
  void accept(const JobAccepted& word) {
    const auto number = static_cast<std::size_t>(word.request - hooks_.one.request);
    if (number >= ended_.size()) return;  // of a former wait
    number_of_job_[word.job] = number;
    if (callbacks_.on_job) callbacks_.on_job(number, word.job);
  }
  void finish(const JobFinished& word) {
    const auto number = number_of_job_.find(word.job);
    if (number == number_of_job_.end() || ended_[number->second]) return;
    if (callbacks_.on_finished) callbacks_.on_finished(word);
    if (hooks_.on_ended) hooks_.on_ended(number->second);
    ended_[number->second] = word;
    --missing_;
  }

  const JobCallbacks& callbacks_;
  const ManyJobsHooks& hooks_;
  std::vector<std::optional<JobFinished>> ended_;
  std::size_t missing_ = ended_.size();
  std::map<JobId, std::size_t> number_of_job_;
};

}  // namespace

ManyJobsEnd wait_for_jobs(JobWaiter& waiter, std::size_t count, const JobCallbacks& callbacks,
                          const ManyJobsHooks& hooks) {
  Crowd crowd{count, callbacks, hooks};
  std::set<JobId> cancelled;  // none of them: said before any was accepted
  CancelDeadline deadline{hooks.one};
  while (!crowd.is_over()) {
    if (callbacks.is_cancelled && callbacks.is_cancelled()) {
      if (crowd.jobs().empty() && cancelled.insert(JobId{}).second) hooks.one.cancel(JobId{});
      for (const auto& [job, number] : crowd.jobs())
        if (cancelled.insert(job).second) hooks.one.cancel(job);
      deadline.start();
    }
    if (deadline.is_over()) return {crowd.take(), std::string{cancelled_without_answer}};
    const auto word = waiter.next(std::chrono::milliseconds{50});
    if (!word) {
      if (hooks.one.retry) hooks.one.retry();
      continue;
    }
    if (auto over = crowd.hear(*word); !over.empty()) return {crowd.take(), std::move(over)};
  }
  return {crowd.take(), {}};
}

Result<std::vector<JobFinished>> ends_of(ManyJobsEnd end) {
  if (!end.over.empty()) return Error{Errc::failed, std::move(end.over)};
  std::vector<JobFinished> ends;
  for (auto& each : end.ended) ends.push_back(std::move(*each));
  return ends;
}

}  // namespace heddle::apps
