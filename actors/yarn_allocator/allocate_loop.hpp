// When the next AllocateRequest is sent.
//
//   waiting --begin--> sleeping --sent--> asking --answer--> sleeping       any --end--> over
//
// While requests are pending the sleep doubles from the initial interval up to the heartbeat; otherwise it is the
// heartbeat. One request is under way at a time; two are at least `spacing` apart.
#pragma once

#include <cstdint>
#include <optional>

#include "model/time.hpp"

namespace heddle::actors {

struct AllocateLoopSettings {
  Duration heartbeat_interval{0};
  Duration initial_interval{0};
  Duration spacing{0};
};

class AllocateLoop {
public:
  enum class Phase : std::uint8_t { waiting, sleeping, asking, over };

  explicit AllocateLoop(AllocateLoopSettings settings);

  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] bool is_over() const { return phase_ == Phase::over; }
  /// Of the last answer; 0 before the first.
  [[nodiscard]] std::int32_t response_id() const { return response_id_; }

  void begin();
  void end() { phase_ = Phase::over; }
  /// There is news for the ResourceManager. The time until the request may be sent, 0 for at once; none: not now, the
  /// answer that is due comes first.
  [[nodiscard]] std::optional<Duration> request_soon(Instant now);
  /// The next request follows the next answer at once.
  void request_again() { requests_again_ = true; }
  [[nodiscard]] bool requests_again() const { return requests_again_; }
  void on_sent(Instant now);
  /// False for an answer that is not the one that is due.
  [[nodiscard]] bool on_answer(std::int32_t response_id);
  /// How long it sleeps after an answer.
  [[nodiscard]] Duration sleep(bool has_pending);
  /// The wishes have changed: sleeps begin with the initial interval again.
  void shorten_sleep();
  /// The beat came before the answer. How often that has happened in a row.
  [[nodiscard]] std::int32_t on_unanswered() { return ++unanswered_; }

private:
  AllocateLoopSettings settings_;
  Phase phase_ = Phase::waiting;
  bool requests_again_ = false;
  std::int32_t response_id_ = 0;
  std::int32_t unanswered_ = 0;
  Duration next_interval_;
  std::optional<Instant> sent_at_;
};

}  // namespace heddle::actors
