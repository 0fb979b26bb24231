//   connecting --handle--> registering --RegisteredApplicationMaster--> running --EndApplication--> finishing
//   --FinishedApplication--> leaves finishing --ApplicationMasterNotRegistered--> registers, says its end again, stays
//   in this phase. From any phase: the ResourceManager is lost, or does not answer often enough: leaves.
#include "actors/application_master/application_master.hpp"

#include <fmt/format.h>

#include "model/assert.hpp"
#include "runtime/spawn_role.hpp"

namespace heddle::actors {

ApplicationMaster::ApplicationMaster(ApplicationMasterActor::pointer self, config::NetworkSettings settings,
                                     runtime::ActorTools tools, ApplicationMasterStart start)
    : self_{self}, settings_{std::move(settings)}, tools_{std::move(tools)}, start_{std::move(start)} {}

ApplicationMasterActor::behavior_type ApplicationMaster::make_behavior() {
  self_->set_down_handler([this](const caf::down_msg& message) { on_peer_down(message.source); });
  if (start_.allocator) self_->monitor(start_.allocator);
  connect();
  return {
      [this](const RegisteredApplicationMaster& message) { on_registered_application_master(message); },
      [this](const FinishedApplication& message) { on_finished_application(message); },
      [this](const ApplicationMasterNotRegistered& message) { on_application_master_not_registered(message); },
      [this](const EndApplication& message) { on_end_application(message); },
      [this](const ApplicationMasterTick& message) { on_application_master_tick(message); },
  };
}

void ApplicationMaster::note(std::string_view name, const ports::EventFields& fields) {
  if (tools_.events != nullptr) tools_.events->write(tools_.clock->now(), name, fields);
}

void ApplicationMaster::enter(MasterPhase next) {
  HEDDLE_ASSERT(next > phase_, "a master only goes forward");
  phase_ = next;
  unanswered_ = 0;
}

// -- from the ResourceManager ----------------------------------------------------

void ApplicationMaster::on_registered_application_master(const RegisteredApplicationMaster& message) {
  if (phase_ == MasterPhase::finishing) return finish();
  if (phase_ != MasterPhase::registering) return note("stale_registered_application_master");
  tick_.cancel();
  enter(MasterPhase::running);
  std::string counted;
  for (const ResourceKind kind : message.counted)
    counted += (counted.empty() ? "" : " ") + std::string{to_string(kind)};
  note("master_registered", ports::EventFields{}.add("attempt", start_.attempt).add("counted", counted));
  if (end_) return finish();
  self_->send(start_.allocator, StartAllocating{message.maximum, message.token, message.maximum_extras});
}

void ApplicationMaster::on_finished_application(const FinishedApplication&) { leave("application_finished"); }

void ApplicationMaster::on_application_master_not_registered(const ApplicationMasterNotRegistered&) {
  if (phase_ != MasterPhase::finishing) return note("stale_application_master_not_registered");
  note("registers_again", ports::EventFields{}.add("attempt", start_.attempt));
  register_attempt();
}

// -- from the allocator --------------------------------------------------------------

void ApplicationMaster::on_end_application(const EndApplication& message) {
  if (end_) return note("stale_end_application");
  end_ = message;
  if (phase_ == MasterPhase::running) finish();
}

// -- timers and ends of peers -----------------------------------------------------------

void ApplicationMaster::on_application_master_tick(const ApplicationMasterTick& message) {
  if (!tick_.accept(message.generation)) return;
  if (++unanswered_ > settings_.connect_retries) return leave("resource_manager_silent");
  if (phase_ == MasterPhase::registering) register_attempt();
  else if (phase_ == MasterPhase::finishing) finish();
}

void ApplicationMaster::on_peer_down(const caf::actor_addr& peer) {
  if (resource_manager_ && resource_manager_.address() == peer) return leave("resource_manager_lost");
  // Without it nobody would ever say the application's end; the next attempt has another.
  if (start_.allocator && start_.allocator.address() == peer && !end_) leave("master_without_allocator");
}

// -- telling ------------------------------------------------------------------------------

void ApplicationMaster::connect() {
  const Duration patience = settings_.connect_timeout;
  self_
      ->request(tools_.connector, patience + settings_.ask_timeout,
                ConnectPeer{start_.resource_manager_address, to_milliseconds(patience)})
      .then(
          [this](const caf::strong_actor_ptr& found) {
            resource_manager_ = caf::actor_cast<ResourceManagerActor>(found);
            self_->monitor(resource_manager_);
            enter(MasterPhase::registering);
            register_attempt();
          },
          [this](const caf::error&) { leave("resource_manager_unreachable"); });
}

void ApplicationMaster::register_attempt() {
  self_->send(resource_manager_,
              RegisterApplicationMaster{start_.attempt, start_.address, start_.driver_address, start_.token});
  tick_.arm<ApplicationMasterTick>(self_, settings_.ask_timeout);
}

void ApplicationMaster::finish() {
  if (phase_ != MasterPhase::finishing) enter(MasterPhase::finishing);
  self_->send(resource_manager_, FinishApplication{start_.attempt, end_->succeeded, end_->text});
  tick_.arm<ApplicationMasterTick>(self_, settings_.ask_timeout);
}

void ApplicationMaster::leave(std::string_view why) {
  note(why, ports::EventFields{}.add("attempt", start_.attempt));
  tick_.cancel();
  self_->quit();
}

ApplicationMasterActor spawn_application_master(caf::actor_system& system, const config::NetworkSettings& settings,
                                                const runtime::ActorTools& tools, const ApplicationMasterStart& start) {
  return runtime::spawn_role<ApplicationMaster>(system, settings, tools, start);
}

}  // namespace heddle::actors
