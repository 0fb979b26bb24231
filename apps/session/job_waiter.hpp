// Where actors' words about an application reach the thread that waits for its jobs.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "actors/client/client.hpp"
#include "apps/session/descriptor_room.hpp"
#include "apps/session/session.hpp"

namespace heddle::apps {

/// The cluster cannot end the application any more: its ResourceManager or all its NodeManagers are lost.
struct ClusterLost {
  Error why;
};

using ClientWord = std::variant<ApplicationAccepted, ApplicationRefused, ApplicationEnded, DriverReady, JobAccepted,
                                JobProgress, JobFinished, Notice, ClusterLost>;

/// A queue from the Client actor to one waiting thread. Of progress only the newest is kept.
class JobWaiter final : public actors::ClientListener {
public:
  using OnOver = std::function<void(const std::string&)>;

  JobWaiter() = default;
  /// For a session that nobody waits at: words are not kept, and `on_over` is told, by any thread, why the application
  /// has ended.
  void tell_end_to(OnOver on_over);

  void on_accepted(const ApplicationAccepted& word) override { answer(word); }
  void on_refused(const ApplicationRefused& word) override;
  void on_ended(const ApplicationEnded& word) override;
  void on_driver_ready(const DriverReady& word) override { add(word); }
  void on_job_accepted(const JobAccepted& word) override { add_quietly(word); }
  void on_progress(const JobProgress& word) override;
  void on_finished(const JobFinished& word) override { add(word); }
  void on_notice(const Notice& word) override { add(word); }
  void on_cluster_lost(const Error& why);

  /// Drops the words of former jobs, and numbers the `jobs` that are to be submitted now: the request of the first one.
  [[nodiscard]] std::int64_t begin(std::size_t jobs);

  /// The next word; none if there was none within `patience`, or after wake().
  [[nodiscard]] std::optional<ClientWord> next(std::chrono::milliseconds patience);
  /// From now on next() tells an end where this process has had no descriptor left for a while: no word would come.
  void watch_descriptors() { descriptors_.emplace(); }

  /// Blocks until the ResourceManager has accepted or refused the application; the word stays to be taken.
  [[nodiscard]] Result<Done> wait_for_answer(std::chrono::milliseconds patience, const IsCancelled& is_cancelled);
  /// Whether the ResourceManager has said its last word about the application, or cannot say one any more.
  [[nodiscard]] bool is_application_over() const;

private:
  void add(ClientWord word);
  /// Found at the next look: nobody waits for it, and a job may be over before the waiting thread has come back to
  /// sleep.
  void add_quietly(ClientWord word);
  void answer(ClientWord word);
  void note_end(const std::string& why);
  bool is_answered_ = false;
  mutable std::mutex mutex_;
  std::condition_variable has_words_;
  OnOver on_over_;
  bool is_unread_ = false;
  std::deque<ClientWord> words_;
  bool is_over_ = false;
  std::int64_t next_request_ = 0;
  std::optional<DescriptorWatch> descriptors_;
};

}  // namespace heddle::apps
