#include "actors/application_master/attempt_protocol.hpp"

#include <utility>

#include "model/assert.hpp"

namespace heddle::actors {
namespace {

AttemptEffect leave(std::string_view why) { return LeaveProcess{why}; }
AttemptEffect write_event(std::string_view name) { return RecordStale{name}; }

}  // namespace

void AttemptProtocol::enter(MasterPhase next) {
  const bool registers_again = phase_ == MasterPhase::running && next == MasterPhase::registering;
  HEDDLE_ASSERT(next > phase_ || registers_again, "phases of an ApplicationMaster only go forward");
  phase_ = next;
  timeouts_ = 0;
}

AttemptEffect AttemptProtocol::finish() {
  if (phase_ != MasterPhase::finishing) enter(MasterPhase::finishing);
  return FinishAttempt{*end_};
}

AttemptEffectList AttemptProtocol::on_connected() {
  enter(MasterPhase::registering);
  return {RegisterAttempt{}};
}

AttemptEffectList AttemptProtocol::on_unreachable() const { return {leave("resource_manager_unreachable")}; }

AttemptEffectList AttemptProtocol::on_registered() {
  if (phase_ == MasterPhase::finishing) return {finish()};
  if (phase_ != MasterPhase::registering) return {write_event("stale_registered_application_master")};
  enter(MasterPhase::running);
  AttemptEffectList effects{StopWaiting{}, RecordRegistered{}};
  if (end_) effects.push_back(finish());
  else effects.push_back(BeginAllocating{});
  return effects;
}

AttemptEffectList AttemptProtocol::on_attempt_unknown() {
  if (phase_ != MasterPhase::finishing) return {write_event("stale_application_master_not_registered")};
  return {RecordRegistersAgain{}, RegisterAttempt{}};
}

AttemptEffectList AttemptProtocol::on_finished(bool is_unknown) const {
  if (is_unknown) return {leave("attempt_unknown")};
  return {leave("application_finished")};
}

AttemptEffectList AttemptProtocol::on_end(AttemptEnd end) {
  if (end_) return {write_event("stale_end_application")};
  end_ = std::move(end);
  if (phase_ != MasterPhase::running) return {};
  return {finish()};
}

AttemptEffectList AttemptProtocol::on_registration_lost() {
  if (phase_ != MasterPhase::running) return {write_event("stale_registration_lost")};
  enter(MasterPhase::registering);
  return {RecordRegistersAgain{}, RegisterAttempt{}};
}

AttemptEffectList AttemptProtocol::on_answer_timeout() {
  if (++timeouts_ > retries_max_) return {leave("resource_manager_silent")};
  if (phase_ == MasterPhase::registering) return {RegisterAttempt{}};
  if (phase_ == MasterPhase::finishing) return {finish()};
  return {};
}

AttemptEffectList AttemptProtocol::on_resource_manager_lost() const { return {leave("resource_manager_lost")}; }

AttemptEffectList AttemptProtocol::on_allocator_lost() const {
  if (end_) return {};
  return {leave("master_without_allocator")};
}

}  // namespace heddle::actors
