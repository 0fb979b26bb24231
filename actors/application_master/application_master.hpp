// Registers one application attempt at the ResourceManager, starts its allocator, and reports the end of the attempt.
// Receives from and sends to: ResourceManager, the allocator in its process.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <string>

#include "actors/application_master/attempt_protocol.hpp"
#include "config/table/sections.hpp"
#include "messages/handles.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

/// Start parameters of an ApplicationMaster beside its settings.
struct ApplicationMasterStart {
  AttemptId attempt;
  std::string resource_manager_address;
  std::string address;         // of this process
  std::string driver_address;  // cluster deploy mode: address of the Driver in this process; otherwise empty
  AllocationStarterActor allocator;
  std::string token;                                   // of the application, from the launch spec of the container
  std::function<void(bool is_finished)> on_left = {};  // is_finished: the ResourceManager has recorded the end
};

class ApplicationMaster {
public:
  using Handle = ApplicationMasterActor;
  ApplicationMaster(ApplicationMasterActor::pointer self, config::NetworkSettings settings, runtime::ActorTools tools,
                    ApplicationMasterStart start);
  ApplicationMasterActor::behavior_type make_behavior();

private:
  // -- from the ResourceManager ------------------------------------------------
  void on_connected(const ApplicationMasterServiceActor& found);
  void on_unreachable();
  void on_registered_application_master(const RegisteredApplicationMaster& message);
  void on_finished_application(const FinishedApplication& message);
  void on_application_master_not_registered(const ApplicationMasterNotRegistered& message);
  // -- from the allocator ----------------------------------------------------------
  void on_end_application(const EndApplication& message);
  void on_registration_lost();
  // -- timers and lost peers ----------------------------------------------------------
  void on_application_master_tick(const ApplicationMasterTick& message);
  void on_peer_down(const caf::actor_addr& peer);
  // -- effects (application_master_effects.cpp) ------------------------------------------
  void begin();
  void apply_effects(Instant now, const AttemptEffectList& effects);
  void apply(Instant now, const RegisterAttempt& effect);
  void apply(Instant now, const StopWaiting& effect);
  void apply(Instant now, const BeginAllocating& effect);
  void apply(Instant now, const FinishAttempt& effect);
  void apply(Instant now, const LeaveProcess& effect);
  void apply(Instant now, const RecordStale& effect);
  void apply(Instant now, const RecordRegistered& effect);
  void apply(Instant now, const RecordRegistersAgain& effect);
  void write_event(Instant now, std::string_view name, const ports::EventFields& fields);
  // -- state ------------------------------------------------------------------------------
  ApplicationMasterActor::pointer self_;
  config::NetworkSettings settings_;
  runtime::ActorTools tools_;
  ApplicationMasterStart start_;
  AttemptProtocol protocol_;
  ApplicationMasterServiceActor resource_manager_;
  RegisteredApplicationMaster registered_;  // the last answer to a registration
  runtime::Timer tick_;                     // deadline of an answer of the ResourceManager
};

/// The actor quits when the ResourceManager has confirmed the end of the application or cannot be reached. Its process
/// ends with it.
[[nodiscard]] ApplicationMasterActor spawn_application_master(caf::actor_system& system,
                                                              const config::NetworkSettings& settings,
                                                              const runtime::ActorTools& tools,
                                                              const ApplicationMasterStart& start);

}  // namespace heddle::actors
