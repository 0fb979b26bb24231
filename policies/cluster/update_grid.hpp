// A periodic computation that runs only if an input changed since the last time. Skipped instants do not move the grid.
// Example: interval 500 ms from 0, computed at 500, no change until 2,300: the next instant is 2,500; 1,000, 1,500 and
// 2,000 were skipped.
#pragma once

#include <optional>
#include <utility>

#include "model/time.hpp"

namespace heddle::policies {

class UpdateGrid {
public:
  UpdateGrid() = default;
  /// The first instant is one interval after `start`. Without an interval there is none.
  UpdateGrid(Instant start, std::optional<Duration> interval)
      : interval_{interval.value_or(Duration{0})}, has_instants_{interval.has_value()}, next_{start + interval_} {}

  /// None if no input has changed.
  [[nodiscard]] std::optional<Instant> next_due() const {
    return has_instants_ && is_active_ ? std::optional{next_} : std::nullopt;
  }
  [[nodiscard]] bool is_due(Instant now) const { return has_instants_ && is_active_ && next_ <= now; }
  /// An input changed: the next instant at or after `now` is due.
  void mark_changed(Instant now) {
    if (!has_instants_ || std::exchange(is_active_, true) || next_ >= now) return;
    next_ += (now - next_ + interval_ - Duration{1}) / interval_ * interval_;
    last_skipped_ = next_ - interval_;
  }
  /// As above without the instant of the change: the first skipped instant is due at once.
  void mark_changed() { is_active_ = true; }
  /// Returns and clears the last skipped instant since the last computation; none if no instant was skipped.
  [[nodiscard]] std::optional<Instant> pop_skipped() { return std::exchange(last_skipped_, std::nullopt); }
  /// The computation ran. `stays_active`: time alone can change its result, so the next instant is due.
  void on_computed(Instant now, bool stays_active) {
    if (next_ <= now) next_ += ((now - next_) / interval_ + 1) * interval_;
    is_active_ = stays_active;
  }

private:
  Duration interval_{0};
  bool has_instants_ = false;
  bool is_active_ = true;  // an input changed since the last computation, or time alone can change its result
  Instant next_;
  std::optional<Instant> last_skipped_;
};

}  // namespace heddle::policies
