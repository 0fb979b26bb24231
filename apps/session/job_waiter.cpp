#include "apps/session/job_waiter.hpp"

#include <utility>

namespace heddle::apps {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds poll_interval{50};  // poll interval for a cancellation

Error cancelled_early() { return {Errc::cancelled, std::string{cancelled_while_opening}}; }

/// Reports about a running job: of no use after its end.
bool is_about_running_job(const actors::ClientReport& report) {
  return std::holds_alternative<JobAccepted>(report) || std::holds_alternative<JobProgress>(report);
}

}  // namespace

void JobWaiter::drop_reports() {
  const std::lock_guard lock{mutex_};
  is_unread_ = true;
}

void JobWaiter::on_report(actors::ClientReport report) {
  {
    const std::lock_guard lock{mutex_};
    if (std::holds_alternative<actors::ApplicationSubmitted>(report)) is_submitted_ = true;
    else if (std::holds_alternative<ApplicationAccepted>(report)) is_answered_ = true;
    else if (const auto* driver = std::get_if<actors::DriverAttempt>(&report)) driver_attempt_ = driver->attempt;
    else if (const auto* lost = std::get_if<actors::ClusterUnusable>(&report)) over_ = lost->why;
    else if (const auto* end = std::get_if<actors::ApplicationOver>(&report)) over_ = end->why;
    if (const auto* progress = std::get_if<JobProgress>(&report); progress != nullptr && !reports_.empty())
      if (auto* last = std::get_if<JobProgress>(&reports_.back()); last != nullptr && last->job == progress->job) {
        *last = std::move(std::get<JobProgress>(report));
        return;
      }
    // JobAccepted comes once per job, right before other reports of that job: its own wake-up would cost more than it
    // is worth.
    const bool wakes = !std::holds_alternative<JobAccepted>(report);
    if (!is_unread_) reports_.push_back(std::move(report));
    if (!wakes) return;
  }
  has_reports_.notify_all();
}

std::optional<Error> JobWaiter::end_of_application() const {
  const std::lock_guard lock{mutex_};
  return over_;
}

std::int32_t JobWaiter::driver_attempt() const {
  const std::lock_guard lock{mutex_};
  return driver_attempt_;
}

/// The Client limits this wait: it fails if the ResourceManager cannot be reached.
Result<Done> JobWaiter::wait_for_submission(const IsCancelled& is_cancelled) {
  std::unique_lock lock{mutex_};
  while (!has_reports_.wait_for(lock, poll_interval, [this] { return is_submitted_ || over_; })) {
    lock.unlock();
    if (is_cancelled && is_cancelled()) return cancelled_early();
    lock.lock();
  }
  if (!is_submitted_) return *over_;
  return Done{};
}

Result<Done> JobWaiter::wait_for_answer(milliseconds patience, const IsCancelled& is_cancelled) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::unique_lock lock{mutex_};
  while (!has_reports_.wait_for(lock, poll_interval, [this] { return is_answered_ || over_; })) {
    lock.unlock();
    if (is_cancelled && is_cancelled()) return cancelled_early();
    if (std::chrono::steady_clock::now() >= deadline)
      return Error{Errc::timed_out, "the ResourceManager does not respond"};
    lock.lock();
  }
  return Done{};
}

std::int64_t JobWaiter::begin(std::size_t jobs) {
  const std::lock_guard lock{mutex_};
  // A wait that an exception ended leaves reports of its jobs.
  std::erase_if(reports_, [](const actors::ClientReport& report) {
    return is_about_running_job(report) || std::holds_alternative<actors::RequestEnded>(report);
  });
  return std::exchange(next_request_, next_request_ + static_cast<std::int64_t>(jobs));
}

std::optional<actors::ClientReport> JobWaiter::next(milliseconds patience) {
  std::unique_lock lock{mutex_};
  has_reports_.wait_for(lock, patience, [this] { return is_woken_ || !reports_.empty(); });
  is_woken_ = false;
  if (reports_.empty()) return std::nullopt;
  auto report = std::move(reports_.front());
  reports_.pop_front();
  return report;
}

void JobWaiter::wake() {
  {
    const std::lock_guard lock{mutex_};
    is_woken_ = true;
  }
  has_reports_.notify_all();
}

std::optional<std::string> JobWaiter::lack_of_descriptors() {
  return descriptors_ ? descriptors_->look() : std::nullopt;
}

}  // namespace heddle::apps
