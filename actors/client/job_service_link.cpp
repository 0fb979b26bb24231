#include "actors/client/job_service_link.hpp"

#include "model/assert.hpp"

namespace heddle::actors {
namespace {

constexpr Duration pause_before_retry = std::chrono::milliseconds{500};

bool is_legal(LinkPhase from, LinkPhase to) {
  switch (to) {
    case LinkPhase::connecting: return true;
    case LinkPhase::waiting:
    case LinkPhase::connected: return from == LinkPhase::connecting;
    case LinkPhase::absent: return from == LinkPhase::connected;
  }
  return false;
}

}  // namespace

void JobServiceLink::enter(LinkPhase next) {
  HEDDLE_ASSERT(!is_own_ && is_legal(phase_, next), "illegal transition between phases of a job service link");
  phase_ = next;
}

std::optional<Instant> JobServiceLink::next_due() const {
  return phase_ == LinkPhase::waiting ? std::optional{retry_due_} : std::nullopt;
}

bool JobServiceLink::on_driver_ready(std::int32_t attempt, const std::string& address) {
  if (is_own_ || attempt <= attempt_) return false;
  attempt_ = attempt;
  address_ = address;
  enter(LinkPhase::connecting);
  return true;
}

bool JobServiceLink::on_reached(std::int32_t attempt) {
  if (attempt != attempt_ || phase_ != LinkPhase::connecting) return false;
  enter(LinkPhase::connected);
  return true;
}

void JobServiceLink::on_unreachable(Instant now, std::int32_t attempt) {
  if (attempt != attempt_ || phase_ != LinkPhase::connecting) return;
  enter(LinkPhase::waiting);
  retry_due_ = now + pause_before_retry;
}

bool JobServiceLink::on_lost() {
  if (is_own_ || phase_ != LinkPhase::connected) return false;
  enter(LinkPhase::absent);
  return true;
}

bool JobServiceLink::on_tick(Instant now) {
  if (phase_ != LinkPhase::waiting || now < retry_due_) return false;
  enter(LinkPhase::connecting);
  return true;
}

}  // namespace heddle::actors
