// Timers of actors: a delayed message to self that can be armed again and cancelled.
#pragma once

#include <cstdint>

#include "model/time.hpp"

namespace heddle::runtime {

/// A timer of one actor. CAF cannot cancel a delayed message, so each message carries a epoch; arm() and cancel()
/// make earlier messages stale.
class Timer {
public:
  /// Sends Message{epoch} to `self` after `delay`. Cancels an earlier message.
  template <class Message, class Self>
  void arm(Self* self, Duration delay) {
    ++epoch_;
    is_armed_ = true;
    self->delayed_send(self, delay, Message{epoch_});
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
  std::uint64_t epoch_ = 0;
  bool is_armed_ = false;
};

}  // namespace heddle::runtime
