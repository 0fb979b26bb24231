// Timers of actors: a delayed message to self that can be armed again and cancelled.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "model/time.hpp"

namespace heddle::runtime {

/// Distance of the instants of shared_instant() for a delay of 800 ms or more.
inline constexpr Duration shared_timer_grid = std::chrono::milliseconds{100};

/// When a timer fires that decides nothing by its exact instant: `now + delay`, rounded down to a grid that all timers
/// of the process share, so that they share wake-ups. The grid is shared_timer_grid, halved until it is at most 1/8 of
/// the delay. A period that is a multiple of the grid stays exact: at 2.503 s, a delay of 1 s ends at 3.5 s; armed
/// again at 3.501 s, it ends at 4.5 s. Never later than `now + delay`.
template <class TimePoint>
[[nodiscard]] constexpr TimePoint shared_instant(TimePoint now, Duration delay) {
  Duration grid = shared_timer_grid;
  while (grid > delay / 8) grid /= 2;
  const TimePoint due = now + delay;
  return grid > Duration{0} ? due - due.time_since_epoch() % grid : due;
}

/// Sends a message to `self` once, after `delay`. It cannot be cancelled: for a wait that always ends in work.
template <class Self, class Message>
void send_later(Self* self, Duration delay, Message message) {
  self->delayed_send(self, delay, std::move(message));
}

/// A timer of one actor. CAF cannot cancel a delayed message, so each message carries an epoch; arm() and cancel()
/// make earlier messages stale.
class Timer {
public:
  /// Sends Message{epoch} to `self` after `delay`. Cancels an earlier message.
  template <class Message, class Self>
  void arm(Self* self, Duration delay) {
    begin();
    self->delayed_send(self, delay, Message{epoch_});
  }
  /// As arm(), but at shared_instant(): for heartbeats and house-keeping.
  template <class Message, class Self>
  void arm_shared(Self* self, Duration delay) {
    begin();
    self->scheduled_send(self, shared_instant(self->system().clock().now(), delay), Message{epoch_});
  }
  void cancel() {
    ++epoch_;
    is_armed_ = false;
  }
  /// True once for the message that was armed last. A handler calls it first and returns if it is false.
  [[nodiscard]] bool accept(std::uint64_t epoch) {
    const bool is_current = is_armed_ && epoch == epoch_;
    if (is_current) is_armed_ = false;
    return is_current;
  }
  [[nodiscard]] bool is_armed() const { return is_armed_; }

private:
  void begin() {
    ++epoch_;
    is_armed_ = true;
  }

  std::uint64_t epoch_ = 0;
  bool is_armed_ = false;
};

/// A timer of one actor for the next of several deadlines.
class DeadlineTimer {
public:
  /// Sends Message{epoch} to `self` at `due`; cancels the message if there is no deadline. Keeps a message for an
  /// earlier instant, because its handler arms the next one: a deadline that moves later sends no second message.
  template <class Message, class Self>
  void arm(Self* self, Instant now, std::optional<Instant> due) {
    if (!due) return timer_.cancel();
    if (is_armed_until(*due)) return;
    armed_for_ = *due;
    timer_.arm<Message>(self, std::max(*due - now, Duration{0}));
  }
  /// As Timer::accept.
  [[nodiscard]] bool accept(std::uint64_t epoch) { return timer_.accept(epoch); }
  /// A message will arrive at `due` or earlier.
  [[nodiscard]] bool is_armed_until(Instant due) const { return timer_.is_armed() && armed_for_ <= due; }

private:
  Timer timer_;
  Instant armed_for_{};  // valid while timer_ is armed
};

}  // namespace heddle::runtime
