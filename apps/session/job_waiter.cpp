#include "apps/session/job_waiter.hpp"

#include <utility>

namespace heddle::apps {

void JobWaiter::answer(ClientWord word) {
  {
    const std::lock_guard lock{mutex_};
    is_answered_ = true;
  }
  add(std::move(word));
}

Result<Done> JobWaiter::wait_for_answer(std::chrono::milliseconds patience, const IsCancelled& is_cancelled) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::unique_lock lock{mutex_};
  while (!has_words_.wait_for(lock, std::chrono::milliseconds{50}, [this] { return is_answered_; })) {
    if (is_cancelled && is_cancelled()) return Error{Errc::cancelled, std::string{cancelled_while_opening}};
    if (std::chrono::steady_clock::now() >= deadline)
      return Error{Errc::timed_out, "the ResourceManager does not answer"};
  }
  return Done{};
}

void JobWaiter::on_progress(const JobProgress& word) {
  {
    const std::lock_guard lock{mutex_};
    auto* last = words_.empty() ? nullptr : std::get_if<JobProgress>(&words_.back());
    if (last != nullptr && last->job == word.job) {
      *last = word;
      return;
    }
  }
  add_quietly(word);
}

void JobWaiter::add_quietly(ClientWord word) {
  const std::lock_guard lock{mutex_};
  if (!is_unread_) words_.push_back(std::move(word));
}

void JobWaiter::add(ClientWord word) {
  {
    const std::lock_guard lock{mutex_};
    if (is_unread_) return;
    words_.push_back(std::move(word));
  }
  has_words_.notify_one();
}

void JobWaiter::note_end(const std::string& why) {
  const std::lock_guard lock{mutex_};
  is_over_ = true;
  if (on_over_) on_over_(why);
}

void JobWaiter::tell_end_to(OnOver on_over) {
  const std::lock_guard lock{mutex_};
  on_over_ = std::move(on_over);
  is_unread_ = true;
}

void JobWaiter::on_refused(const ApplicationRefused& word) {
  note_end(word.text);
  answer(word);
}

void JobWaiter::on_ended(const ApplicationEnded& word) {
  note_end(word.text.empty() ? "the application ended before its jobs" : word.text);
  add(word);
}

void JobWaiter::on_cluster_lost(const Error& why) {
  note_end(why.text);
  add(ClusterLost{why});
}

bool JobWaiter::is_application_over() const {
  const std::lock_guard lock{mutex_};
  return is_over_;
}

std::int64_t JobWaiter::begin(std::size_t jobs) {
  const std::lock_guard lock{mutex_};
  // A wait that was left by an exception, or by a lost application, leaves words of its jobs behind.
  std::erase_if(words_, [](const ClientWord& word) {
    return std::holds_alternative<JobAccepted>(word) || std::holds_alternative<JobProgress>(word) ||
           std::holds_alternative<JobFinished>(word);
  });
  return std::exchange(next_request_, next_request_ + static_cast<std::int64_t>(jobs));
}

std::optional<ClientWord> JobWaiter::next(std::chrono::milliseconds patience) {
  std::unique_lock lock{mutex_};
  if (!has_words_.wait_for(lock, patience, [this] { return !words_.empty(); })) {
    if (!descriptors_) return std::nullopt;
    if (auto text = descriptors_->look()) return ApplicationEnded{{}, false, std::move(*text)};
    return std::nullopt;
  }
  auto word = std::move(words_.front());
  words_.pop_front();
  return word;
}

}  // namespace heddle::apps
