#include "apps/session/many_jobs.hpp"

#include <map>

namespace heddle::apps {
namespace {

class Crowd {
public:
  Crowd(std::size_t count, const JobCallbacks& callbacks) : callbacks_{callbacks}, ended_(count) {}

  [[nodiscard]] bool is_over() const { return missing_ == 0; }
  [[nodiscard]] std::vector<JobFinished> take() { return std::move(ended_); }
  [[nodiscard]] const std::map<JobId, std::size_t>& jobs() const { return number_of_job_; }

  /// A sentence if the application is over.
  [[nodiscard]] std::string hear(const ClientWord& word) {
    if (const auto* application = std::get_if<ApplicationAccepted>(&word)) {
      if (callbacks_.on_application) callbacks_.on_application(*application);
    } else if (const auto* accepted = std::get_if<JobAccepted>(&word)) {
      number_of_job_[accepted->job] = static_cast<std::size_t>(accepted->request);
      if (callbacks_.on_job) callbacks_.on_job(static_cast<std::size_t>(accepted->request), accepted->job);
    } else if (const auto* progress = std::get_if<JobProgress>(&word)) {
      if (callbacks_.on_progress) callbacks_.on_progress(*progress);
    } else if (const auto* notice = std::get_if<Notice>(&word)) {
      if (callbacks_.on_notice) callbacks_.on_notice(*notice);
    } else if (const auto* finished = std::get_if<JobFinished>(&word)) {
      finish(*finished);
    } else if (const auto* refused = std::get_if<ApplicationRefused>(&word)) {
      return refused->text;
    } else if (const auto* ended = std::get_if<ApplicationEnded>(&word)) {
      return ended->text.empty() ? "the application ended before its jobs" : ended->text;
    }
    return {};
  }

private:
  void finish(const JobFinished& word) {
    const auto number = number_of_job_.find(word.job);
    if (number == number_of_job_.end()) return;
    if (callbacks_.on_finished) callbacks_.on_finished(word);
    ended_[number->second] = word;
    --missing_;
  }

  const JobCallbacks& callbacks_;
  std::vector<JobFinished> ended_;
  std::size_t missing_ = ended_.size();
  std::map<JobId, std::size_t> number_of_job_;
};

}  // namespace

Result<std::vector<JobFinished>> wait_for_jobs(JobWaiter& waiter, std::size_t count, const JobCallbacks& callbacks,
                                               const std::function<void(JobId)>& cancel, const std::function<void()>& on_lost) {
  Crowd crowd{count, callbacks};
  bool is_cancel_said = false;
  while (!crowd.is_over()) {
    if (!is_cancel_said && crowd.jobs().size() == count && callbacks.is_cancelled && callbacks.is_cancelled()) {
      for (const auto& [job, number] : crowd.jobs()) cancel(job);
      is_cancel_said = true;
    }
    const auto word = waiter.next(std::chrono::milliseconds{50});
    if (!word) continue;
    if (std::holds_alternative<ClusterLost>(*word)) on_lost();
    if (auto over = crowd.hear(*word); !over.empty()) return Error{Errc::failed, std::move(over)};
  }
  return crowd.take();
}

}  // namespace heddle::apps
