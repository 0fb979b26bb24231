// Where the reports of a Client reach the thread that waits for its jobs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "actors/client/client_reports.hpp"
#include "apps/session/descriptor_room.hpp"
#include "apps/session/session.hpp"

namespace heddle::apps {

/// A queue from the Client actor to one waiting thread. Of progress only the newest is kept.
class JobWaiter final : public actors::ClientListener {
public:
  /// For a session that nobody waits at: reports are not kept.
  void keep_nothing();
  void on_report(actors::ClientReport report) override;

  /// Drops the reports of former jobs, and numbers the `jobs` that are to be submitted now: the request of the first
  /// one.
  [[nodiscard]] std::int64_t begin(std::size_t jobs);

  /// The next report; none if there was none within `patience`.
  [[nodiscard]] std::optional<actors::ClientReport> next(std::chrono::milliseconds patience);
  /// From now on it is looked for descriptors.
  void watch_descriptors() { descriptors_.emplace(); }
  /// A sentence where this process has had no descriptor left for a while: no message would come. Called while it
  /// waits.
  [[nodiscard]] std::optional<std::string> lack_of_descriptors();

  /// Blocks until the application is submitted, or cannot be.
  [[nodiscard]] Result<Done> wait_for_submission(const IsCancelled& is_cancelled);
  /// Blocks until the ResourceManager has accepted or refused the application; the report stays to be taken.
  [[nodiscard]] Result<Done> wait_for_answer(std::chrono::milliseconds patience, const IsCancelled& is_cancelled);
  /// Whether the ResourceManager has told the end of the application, or cannot any more.
  [[nodiscard]] bool is_application_over() const;
  /// Of the newest Driver that the ResourceManager named; 0: none.
  [[nodiscard]] std::int32_t driver_attempt() const;

private:
  mutable std::mutex mutex_;
  std::condition_variable has_reports_;
  std::deque<actors::ClientReport> reports_;
  bool is_unread_ = false;
  bool is_submitted_ = false;
  bool is_answered_ = false;
  std::optional<Error> over_;
  std::int32_t driver_attempt_ = 0;
  std::int64_t next_request_ = 0;
  std::optional<DescriptorWatch> descriptors_;
};

}  // namespace heddle::apps
