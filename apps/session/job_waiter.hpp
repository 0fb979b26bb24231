// Queue of reports from the Client actor to the thread that waits for its jobs.
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

/// Queue with one waiting thread. Keeps only the newest progress report.
class JobWaiter final : public actors::ClientListener {
public:
  /// Drops all reports, for a session without a waiting thread.
  void drop_reports();
  void on_report(actors::ClientReport report) override;

  /// Drops reports of earlier jobs and reserves request numbers for `jobs` new ones; returns the first number.
  [[nodiscard]] std::int64_t begin(std::size_t jobs);

  /// Waits for the next report; none after `patience` or wake().
  [[nodiscard]] std::optional<actors::ClientReport> next(std::chrono::milliseconds patience);
  /// Ends the current wait of next(), or the following one. Can be called from any thread.
  void wake();
  /// Starts to monitor free descriptors.
  void watch_descriptors() { descriptors_.emplace(); }
  /// Returns an error text if this process has had no free descriptor for a while, so that no message can arrive.
  /// Called while waiting.
  [[nodiscard]] std::optional<std::string> lack_of_descriptors();
  /// Returns true if the last check found no free descriptor.
  [[nodiscard]] bool is_short_of_descriptors() const { return descriptors_ && descriptors_->is_lacking(); }

  /// Waits until the application is submitted or its submission has failed.
  [[nodiscard]] Result<Done> wait_for_submission(const IsCancelled& is_cancelled);
  /// Waits until the ResourceManager has accepted or refused the application; keeps the report in the queue.
  [[nodiscard]] Result<Done> wait_for_answer(std::chrono::milliseconds patience, const IsCancelled& is_cancelled);
  /// Returns true if the ResourceManager has reported the end of the application, or cannot any more.
  [[nodiscard]] bool is_application_over() const { return end_of_application().has_value(); }
  /// Why it has ended.
  [[nodiscard]] std::optional<Error> end_of_application() const;
  /// Application attempt of the newest Driver that the ResourceManager reported; 0: none.
  [[nodiscard]] std::int32_t driver_attempt() const;

private:
  mutable std::mutex mutex_;
  std::condition_variable has_reports_;
  std::deque<actors::ClientReport> reports_;
  bool is_unread_ = false;
  bool is_woken_ = false;
  bool is_submitted_ = false;
  bool is_answered_ = false;
  std::optional<Error> over_;
  std::int32_t driver_attempt_ = 0;
  std::int64_t next_request_ = 0;
  std::optional<DescriptorWatch> descriptors_;
};

}  // namespace heddle::apps
