#include "apps/session/many_jobs.hpp"

#include <map>
#include <set>

#include "apps/session/cancel_deadline.hpp"

namespace heddle::apps {
namespace {

class JobBatch {
public:
  JobBatch(std::size_t count, const JobCallbacks& callbacks, const ManyJobsHooks& hooks)
      : callbacks_{callbacks}, hooks_{hooks} {
    end_.ended.resize(count);
    missing_ = count;
  }

  [[nodiscard]] bool is_over() const { return missing_ == 0 || end_.over.has_value(); }
  [[nodiscard]] ManyJobsEnd take() { return std::move(end_); }
  void give_up(Error why) { end_.over = std::move(why); }

  /// Cancels each job once. Before any was accepted, and where no Driver was told of them: the whole application.
  void cancel() {
    if (number_of_job_.empty() && cancelled_.empty()) {
      cancelled_.insert(JobId{});
      hooks_.one.cancel(JobId{});
    }
    for (const auto& [job, number] : number_of_job_)
      if (cancelled_.insert(job).second) hooks_.one.cancel(job);
  }

  void handle(const ClientWord& word) {
    std::visit([this](const auto& each) { on(each); }, word);
  }

private:
  void on(const ApplicationAccepted& word) {
    if (callbacks_.on_application) callbacks_.on_application(word);
  }
  void on(const ApplicationRefused& word) { give_up({Errc::refused, word.text}); }
  void on(const ApplicationEnded& word) {
    const auto* unnamed =
        end_.ended.size() == 1 ? "the application ended before its job" : "the application ended before its jobs";
    give_up({Errc::failed, word.text.empty() ? unnamed : word.text});
  }
  void on(const ClusterLost& word) {
    if (!hooks_.one.on_cluster_lost) return give_up(word.why);
    end_.lost = word.why;
    hooks_.one.on_cluster_lost(word.why.text);
  }
  void on(const DriverReady& word) {
    number_of_job_.clear();
    if (hooks_.one.on_driver_ready) hooks_.one.on_driver_ready(word);
  }
  void on(const JobAccepted& word) {
    const auto number = static_cast<std::size_t>(word.request - hooks_.one.request);
    if (number >= end_.ended.size()) return;  // of a former wait
    number_of_job_[word.job] = number;
    cancelled_.erase(word.job);  // a Driver that was told before did not know this job yet
    if (callbacks_.on_job) callbacks_.on_job(number, word.job);
  }
  void on(const JobProgress& word) {
    if (callbacks_.on_progress && number_of_job_.contains(word.job)) callbacks_.on_progress(word);
  }
  void on(const JobFinished& word) {
    const auto number = number_of_job_.find(word.job);
    if (number == number_of_job_.end() || end_.ended[number->second]) return;
    if (callbacks_.on_finished) callbacks_.on_finished(word);
    if (hooks_.on_ended) hooks_.on_ended(number->second);
    end_.ended[number->second] = word;
    --missing_;
  }
  void on(const Notice& word) {
    if (callbacks_.on_notice) callbacks_.on_notice(word);
  }

  const JobCallbacks& callbacks_;
  const ManyJobsHooks& hooks_;
  ManyJobsEnd end_;
  std::size_t missing_ = 0;
  std::map<JobId, std::size_t> number_of_job_;
  std::set<JobId> cancelled_;  // none of them: said before any was accepted
};

}  // namespace

ManyJobsEnd wait_for_jobs(JobWaiter& waiter, std::size_t count, const JobCallbacks& callbacks,
                          const ManyJobsHooks& hooks) {
  JobBatch batch{count, callbacks, hooks};
  CancelDeadline deadline{hooks.one};
  while (!batch.is_over()) {
    if (callbacks.is_cancelled && callbacks.is_cancelled()) {
      batch.cancel();
      deadline.start();
    }
    if (deadline.is_over()) batch.give_up({Errc::cancelled, std::string{cancelled_without_answer}});
    else if (const auto word = waiter.next(std::chrono::milliseconds{50})) batch.handle(*word);
    else if (hooks.one.retry) hooks.one.retry();
  }
  return batch.take();
}

Result<std::vector<JobFinished>> ends_of(ManyJobsEnd end) {
  if (end.over) return Error{Errc::failed, std::move(end.over->text)};
  std::vector<JobFinished> ends;
  for (auto& each : end.ended) ends.push_back(std::move(*each));
  return ends;
}

Result<JobFinished> wait_for_job(JobWaiter& waiter, const JobCallbacks& callbacks, const JobHooks& hooks) {
  const JobCallbacks of_one{callbacks.on_progress, callbacks.on_notice, callbacks.is_cancelled};
  auto end = wait_for_jobs(waiter, 1, of_one, {hooks, {}});
  const bool is_failed = !end.over && end.ended.front()->status == JobStatus::failed;
  if (end.lost && is_failed && end.lost->code == Errc::unreachable) return std::move(*end.lost);
  if (end.over) return std::move(*end.over);
  return std::move(*end.ended.front());
}

}  // namespace heddle::apps
