// All messages, monitors and the timer of the ApplicationMaster.
#include "actors/application_master/application_master.hpp"
#include "runtime/net/connect_peer.hpp"

namespace heddle::actors {

void ApplicationMaster::begin() {
  if (start_.allocator) self_->monitor(start_.allocator);
  runtime::connect_peer<ApplicationMasterServiceActor>(self_, tools_.connector, start_.resource_manager_address,
                                                       settings_.connect_timeout,
                                                       [this](const ApplicationMasterServiceActor& found) {
                                                         if (found) on_connected(found);
                                                         else on_unreachable();
                                                       });
}

void ApplicationMaster::apply_effects(Instant now, const AttemptEffectList& effects) {
  for (const AttemptEffect& effect : effects) std::visit([&](const auto& each) { apply(now, each); }, effect);
}

void ApplicationMaster::apply(Instant, const RegisterAttempt&) {
  self_->send(resource_manager_,
              RegisterApplicationMaster{start_.attempt, start_.address, start_.driver_address, start_.token});
  tick_.arm<ApplicationMasterTick>(self_, settings_.ask_timeout);
}

void ApplicationMaster::apply(Instant, const StopWaiting&) { tick_.cancel(); }

void ApplicationMaster::apply(Instant, const BeginAllocating&) {
  self_->send(start_.allocator,
              StartAllocating{registered_.maximum, registered_.token, registered_.counted, registered_.limits_others});
}

void ApplicationMaster::apply(Instant, const FinishAttempt& finish) {
  self_->send(resource_manager_, FinishApplication{start_.attempt, finish.end.succeeded, finish.end.text});
  tick_.arm<ApplicationMasterTick>(self_, settings_.ask_timeout);
}

void ApplicationMaster::apply(Instant now, const LeaveProcess& leave) {
  write_event(now, leave.why, ports::EventFields{}.add("attempt", start_.attempt));
  tick_.cancel();
  if (start_.on_left) start_.on_left(leave.why == application_finished);
  self_->quit();
}

void ApplicationMaster::apply(Instant now, const RecordStale& stale) { write_event(now, stale.name, {}); }

void ApplicationMaster::apply(Instant now, const RecordRegistered&) {
  std::string counted;
  for (const ResourceKind kind : registered_.counted)
    counted += (counted.empty() ? "" : " ") + std::string{to_string(kind)};
  write_event(now, "master_registered", ports::EventFields{}.add("attempt", start_.attempt).add("counted", counted));
}

void ApplicationMaster::apply(Instant now, const RecordRegistersAgain&) {
  write_event(now, "registers_again", ports::EventFields{}.add("attempt", start_.attempt));
}

void ApplicationMaster::write_event(Instant now, std::string_view name, const ports::EventFields& fields) {
  if (tools_.events != nullptr) tools_.events->write(now, name, fields);
}

}  // namespace heddle::actors
