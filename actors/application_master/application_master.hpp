// Speaks for one attempt of an application to the ResourceManager: registers it, lets its allocator begin, reports its
// end. Hears: ResourceManager, YarnAllocator (or whoever ends the application). Tells the same.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <optional>
#include <string>

#include "config/table/sections.hpp"
#include "messages/handles.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

/// What an ApplicationMaster is apart from its settings.
struct ApplicationMasterStart {
  AttemptId attempt;
  std::string resource_manager_address;
  std::string address;         // of this process
  std::string driver_address;  // cluster mode: where the Driver of this process listens; otherwise empty
  YarnAllocatorActor allocator;
  std::string token;  // of the application, as its container was given it
};

enum class MasterPhase : std::uint8_t { connecting, registering, running, finishing };

class ApplicationMaster {
public:
  using Handle = ApplicationMasterActor;
  ApplicationMaster(ApplicationMasterActor::pointer self, config::NetworkSettings settings, runtime::ActorTools tools,
                    ApplicationMasterStart start);
  ApplicationMasterActor::behavior_type make_behavior();

private:
  // -- from the ResourceManager ------------------------------------------------
  void on_registered_application_master(const RegisteredApplicationMaster& message);
  void on_finished_application(const FinishedApplication& message);
  void on_application_master_not_registered(const ApplicationMasterNotRegistered& message);
  // -- from the allocator ----------------------------------------------------------
  void on_end_application(const EndApplication& message);
  // -- timers and ends of peers -------------------------------------------------------
  void on_application_master_tick(const ApplicationMasterTick& message);
  void on_peer_down(const caf::actor_addr& peer);
  // -- telling: every send of this actor is in one of these -----------------------------
  void connect();
  void register_attempt();
  void finish();
  void leave(std::string_view why);
  void note(std::string_view name, const ports::EventFields& fields = {});
  void enter(MasterPhase next);
  // -- state ------------------------------------------------------------------------------
  ApplicationMasterActor::pointer self_;
  config::NetworkSettings settings_;
  runtime::ActorTools tools_;
  ApplicationMasterStart start_;
  MasterPhase phase_ = MasterPhase::connecting;
  ResourceManagerActor resource_manager_;
  std::optional<EndApplication> end_;
  std::int32_t unanswered_ = 0;
  runtime::Timer tick_;  // armed while an answer is due, cancelled by it
};

/// Ends when the ResourceManager knows the application's end, or cannot be reached. Its process ends with it.
[[nodiscard]] ApplicationMasterActor spawn_application_master(caf::actor_system& system,
                                                              const config::NetworkSettings& settings,
                                                              const runtime::ActorTools& tools,
                                                              const ApplicationMasterStart& start);

}  // namespace heddle::actors
