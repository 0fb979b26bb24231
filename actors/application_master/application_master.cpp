// Message handlers of the ApplicationMaster. attempt_protocol.cpp decides, application_master_effects.cpp sends.
#include "actors/application_master/application_master.hpp"

#include "runtime/spawn_role.hpp"

namespace heddle::actors {

ApplicationMaster::ApplicationMaster(ApplicationMasterActor::pointer self, config::NetworkSettings settings,
                                     runtime::ActorTools tools, ApplicationMasterStart start)
    : self_{self},
      settings_{std::move(settings)},
      tools_{std::move(tools)},
      start_{std::move(start)},
      protocol_{settings_.connect_retries} {}

ApplicationMasterActor::behavior_type ApplicationMaster::make_behavior() {
  self_->set_down_handler([this](const caf::down_msg& message) { on_peer_down(message.source); });
  begin();
  return {
      [this](const RegisteredApplicationMaster& message) { on_registered_application_master(message); },
      [this](const FinishedApplication& message) { on_finished_application(message); },
      [this](const ApplicationMasterNotRegistered& message) { on_application_master_not_registered(message); },
      [this](const EndApplication& message) { on_end_application(message); },
      [this](const RegistrationLost&) { on_registration_lost(); },
      [this](const ApplicationMasterTick& message) { on_application_master_tick(message); },
  };
}

void ApplicationMaster::on_connected(const ApplicationMasterServiceActor& found) {
  resource_manager_ = found;
  apply_effects(tools_.clock->now(), protocol_.on_connected());
}

void ApplicationMaster::on_unreachable() { apply_effects(tools_.clock->now(), protocol_.on_unreachable()); }

// -- from the ResourceManager ----------------------------------------------------

void ApplicationMaster::on_registered_application_master(const RegisteredApplicationMaster& message) {
  if (protocol_.phase() == MasterPhase::registering) registered_ = message;
  apply_effects(tools_.clock->now(), protocol_.on_registered());
}

void ApplicationMaster::on_finished_application(const FinishedApplication& message) {
  apply_effects(tools_.clock->now(), protocol_.on_finished(message.is_unknown));
}

void ApplicationMaster::on_application_master_not_registered(const ApplicationMasterNotRegistered&) {
  apply_effects(tools_.clock->now(), protocol_.on_attempt_unknown());
}

// -- from the allocator --------------------------------------------------------------

void ApplicationMaster::on_end_application(const EndApplication& message) {
  apply_effects(tools_.clock->now(), protocol_.on_end({message.succeeded, message.text}));
}

void ApplicationMaster::on_registration_lost() { apply_effects(tools_.clock->now(), protocol_.on_registration_lost()); }

// -- timers and lost peers --------------------------------------------------------------

void ApplicationMaster::on_application_master_tick(const ApplicationMasterTick& message) {
  if (tick_.accept(message.epoch)) apply_effects(tools_.clock->now(), protocol_.on_answer_timeout());
}

void ApplicationMaster::on_peer_down(const caf::actor_addr& peer) {
  const bool is_resource_manager = resource_manager_ && resource_manager_.address() == peer;
  const bool is_allocator = start_.allocator && start_.allocator.address() == peer;
  const Instant now = tools_.clock->now();
  if (is_resource_manager) apply_effects(now, protocol_.on_resource_manager_lost());
  else if (is_allocator) apply_effects(now, protocol_.on_allocator_lost());
}

ApplicationMasterActor spawn_application_master(caf::actor_system& system, const config::NetworkSettings& settings,
                                                const runtime::ActorTools& tools, const ApplicationMasterStart& start) {
  return runtime::spawn_role<ApplicationMaster>(system, settings, tools, start);
}

}  // namespace heddle::actors
