#include "policies/containers/allocate_loop.hpp"

#include <algorithm>

#include "model/assert.hpp"
#include "policies/containers/response_id.hpp"

namespace heddle::policies {

AllocateLoop::AllocateLoop(AllocateLoopSettings settings) : settings_{settings} { shorten_sleep(); }

void AllocateLoop::begin() {
  HEDDLE_ASSERT(phase_ == Phase::waiting, "the loop begins once per registration");
  phase_ = Phase::sleeping;
}

void AllocateLoop::register_again() {
  HEDDLE_ASSERT(phase_ == Phase::unanswered,
                "only the answer to an AllocateRequest says that the attempt is not registered");
  phase_ = Phase::waiting;
  requests_again_ = false;
  response_id_ = 0;
  unanswered_ = 0;
}

std::optional<Duration> AllocateLoop::request_soon(Instant now) {
  if (phase_ == Phase::unanswered) requests_again_ = true;
  if (phase_ != Phase::sleeping) return std::nullopt;
  if (!sent_at_) return Duration{0};
  return std::max(settings_.spacing - (now - *sent_at_), Duration{0});
}

void AllocateLoop::on_sent(Instant now) {
  HEDDLE_ASSERT(phase_ == Phase::sleeping, "at most one AllocateRequest is unanswered");
  phase_ = Phase::unanswered;
  requests_again_ = false;
  sent_at_ = now;
}

bool AllocateLoop::on_answer(std::int32_t response_id) {
  if (phase_ != Phase::unanswered || response_id != next_response_id(response_id_)) return false;
  phase_ = Phase::sleeping;
  response_id_ = response_id;
  unanswered_ = 0;
  return true;
}

Duration AllocateLoop::sleep(bool has_pending) {
  Duration sleep = settings_.heartbeat_interval;
  const bool is_eager = has_pending && sent_at_ && eager_until_ && *sent_at_ < *eager_until_;
  if (is_eager) {
    sleep = std::min(settings_.eager_interval, sleep);
  } else if (has_pending) {
    sleep = std::min(settings_.heartbeat_interval, next_interval_);
    next_interval_ = 2 * sleep;
  } else {
    shorten_sleep();
  }
  return std::max(sleep, settings_.spacing);
}

void AllocateLoop::hurry(Instant now) {
  shorten_sleep();
  if (settings_.eager_time > Duration{0}) eager_until_ = now + settings_.eager_time;
}

void AllocateLoop::shorten_sleep() {
  next_interval_ = std::min(settings_.initial_interval, settings_.heartbeat_interval);
}

}  // namespace heddle::policies
