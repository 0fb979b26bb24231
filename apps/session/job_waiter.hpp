// Where actors' words about an application reach the thread that waits for its jobs.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <variant>

#include "actors/client/client.hpp"

namespace heddle::apps {

using ClientWord =
    std::variant<ApplicationAccepted, ApplicationRefused, ApplicationEnded, DriverReady, JobAccepted, JobProgress, JobFinished, Notice>;

/// A queue from the Client actor to one waiting thread. Of progress only the newest is kept.
class JobWaiter final : public actors::ClientListener {
public:
  void on_accepted(const ApplicationAccepted& word) override { answer(word); }
  void on_refused(const ApplicationRefused& word) override { answer(word); }
  void on_ended(const ApplicationEnded& word) override { add(word); }
  void on_driver_ready(const DriverReady& word) override { add(word); }
  void on_job_accepted(const JobAccepted& word) override { add(word); }
  void on_progress(const JobProgress& word) override;
  void on_finished(const JobFinished& word) override { add(word); }
  void on_notice(const Notice& word) override { add(word); }

  /// The next word; none if there was none within `patience`, or after wake().
  [[nodiscard]] std::optional<ClientWord> next(std::chrono::milliseconds patience);

  /// True once the ResourceManager has accepted or refused the application; the word stays to be taken.
  [[nodiscard]] bool wait_for_answer(std::chrono::milliseconds patience);

private:
  void add(ClientWord word);
  void answer(ClientWord word);
  bool is_answered_ = false;
  std::mutex mutex_;
  std::condition_variable has_words_;
  std::deque<ClientWord> words_;
};

}  // namespace heddle::apps
