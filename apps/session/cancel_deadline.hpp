// Bounds the wait for the end of what was cancelled, where the Driver that should end it may be lost or not answer.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "apps/session/session.hpp"

namespace heddle::apps {

/// Why the wait for a cancelled job is over although nobody has told its end.
inline constexpr std::string_view cancelled_without_answer =
    "cancelled by the user; neither the Driver nor the ResourceManager answered";

class CancelDeadline {
public:
  explicit CancelDeadline(const JobHooks& hooks) : hooks_{hooks} {}
  /// From the first cancellation on.
  void start() {
    if (!start_) start_ = Clock::now();
  }
  /// Kills the application when it is due; true once the wait is over.
  [[nodiscard]] bool is_over() {
    if (!start_ || !hooks_.kill) return false;
    const auto waited = Clock::now() - *start_;
    if (waited >= kill_after && !is_killed_) {
      is_killed_ = true;
      hooks_.kill();
    }
    return waited >= give_up_after;
  }

private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kill_after{4};  // a Driver that lives ends a job at once
  static constexpr std::chrono::seconds give_up_after{8};

  const JobHooks& hooks_;
  std::optional<Clock::time_point> start_;
  bool is_killed_ = false;
};

}  // namespace heddle::apps
