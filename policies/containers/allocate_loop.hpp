// When an allocator sends its next AllocateRequest, and which answer it expects.
//
//   waiting --begin--> sleeping --sent--> unanswered --answer--> sleeping       any --end--> over
//      ^                                    |
//      +----------- register again ---------+
//
// While requests are pending, the interval doubles from the initial interval up to the heartbeat interval; otherwise it
// is the heartbeat interval. At most one request is unanswered; two requests are at least `spacing` apart. Cost:
// constant. After the reporter thread of Spark's ApplicationMaster. One deliberate difference, for a ResourceManager
// that does not announce grants: for `eager_time` after the requested totals have changed, the interval stays
// `eager_interval` while requests are pending.
#pragma once

#include <cstdint>
#include <optional>

#include "model/time.hpp"
#include "policies/containers/allocate_loop_settings.hpp"

namespace heddle::policies {

class AllocateLoop {
public:
  enum class Phase : std::uint8_t { waiting, sleeping, unanswered, over };

  explicit AllocateLoop(AllocateLoopSettings settings);

  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] bool is_over() const { return phase_ == Phase::over; }
  /// Response id of the last answer; 0 before the first.
  [[nodiscard]] std::int32_t response_id() const { return response_id_; }

  void begin();
  /// The answer is that the attempt is not registered. Response ids start again; begin() follows the registration.
  void register_again();
  void end() { phase_ = Phase::over; }
  /// Plans a request because there is news for the ResourceManager. Returns the time until it may be sent, 0 if that is
  /// at once. Empty: an earlier request is unanswered; the planned one follows its answer immediately.
  [[nodiscard]] std::optional<Duration> request_soon(Instant now);
  /// Send the next request right after the next answer.
  void request_again() { requests_again_ = true; }
  [[nodiscard]] bool requests_again() const { return requests_again_; }
  void on_sent(Instant now);
  /// False if this is not the expected answer.
  [[nodiscard]] bool on_answer(std::int32_t response_id);
  /// Time from an answer to the next request.
  [[nodiscard]] Duration sleep(bool has_pending);
  /// The requested totals have changed: restart with the initial interval, and be eager for a time.
  void hurry(Instant now);
  /// A request is unanswered after one heartbeat interval. Returns the number of times in a row.
  [[nodiscard]] std::int32_t on_unanswered() { return ++unanswered_; }

private:
  void shorten_sleep();

  AllocateLoopSettings settings_;
  Phase phase_ = Phase::waiting;
  bool requests_again_ = false;
  std::int32_t response_id_ = 0;
  std::int32_t unanswered_ = 0;
  Duration next_interval_;
  std::optional<Instant> sent_at_;
  std::optional<Instant> eager_until_;
};

}  // namespace heddle::policies
