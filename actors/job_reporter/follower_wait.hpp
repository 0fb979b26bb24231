// How long an application whose jobs have ended waits for the clients that follow them.
//
// A client that is expected learns the address of the Driver from the ResourceManager, within a second of the
// registration. So a client that has not come `arrival` after the start cannot reach this process, or has been killed.
// A client that follows confirms the ends of its jobs; one that is frozen is not waited for longer than `confirmation`.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "model/time.hpp"

namespace heddle::actors {

class FollowerWait {
public:
  static constexpr Duration arrival = std::chrono::seconds{5};
  static constexpr Duration confirmation = std::chrono::seconds{10};

  FollowerWait(bool is_expected, Instant start) : is_expected_{is_expected}, start_{start} {}

  void on_followed() { has_come_ = true; }
  /// A client has got the ends of all its jobs.
  void on_confirmed() { has_confirmed_ = true; }
  void on_reported(Instant now) {
    if (!reported_) reported_ = now;
  }
  /// True if the application may end. `followers`: number of clients that follow the jobs now.
  [[nodiscard]] bool is_over(Instant now, std::size_t followers) const {
    const auto due = next_due(followers);
    return reported_ && (!due || now >= *due);
  }
  /// False if an expected client may still have to learn how the jobs ended.
  [[nodiscard]] bool is_confirmed() const { return has_confirmed_ || !is_expected_; }
  /// When the wait ends by time alone; empty before the jobs have ended, or if no client is waited for.
  [[nodiscard]] std::optional<Instant> next_due(std::size_t followers) const {
    if (!reported_) return std::nullopt;
    if (followers > 0) return *reported_ + confirmation;
    if (is_expected_ && !has_come_) return start_ + arrival;
    return std::nullopt;
  }

private:
  bool is_expected_;
  Instant start_;
  bool has_come_ = false;
  bool has_confirmed_ = false;
  std::optional<Instant> reported_;
};

}  // namespace heddle::actors
