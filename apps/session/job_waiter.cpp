#include "apps/session/job_waiter.hpp"

namespace heddle::apps {

void JobWaiter::on_progress(const JobProgress& word) {
  {
    const std::lock_guard lock{mutex_};
    if (!words_.empty() && std::holds_alternative<JobProgress>(words_.back())) {
      words_.back() = word;
      return;
    }
    words_.emplace_back(word);
  }
  has_words_.notify_one();
}

void JobWaiter::add(ClientWord word) {
  {
    const std::lock_guard lock{mutex_};
    words_.push_back(std::move(word));
  }
  has_words_.notify_one();
}

std::optional<ClientWord> JobWaiter::next(std::chrono::milliseconds patience) {
  std::unique_lock lock{mutex_};
  if (!has_words_.wait_for(lock, patience, [this] { return !words_.empty(); })) return std::nullopt;
  auto word = std::move(words_.front());
  words_.pop_front();
  return word;
}

}  // namespace heddle::apps
