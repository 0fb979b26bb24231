// Runs one MapReduce job: requests containers, starts a task child in each, decides which attempts run, commit and
// count, and commits the output. A thin actor over plain parts: a handler reads the clock once, calls a flow, lets the
// state machines settle and applies the effects in order. The state machines and the allocator are in
// policies/map_reduce.
// Receives from: client, ApplicationMaster, ResourceManager, NodeManager, task child, its background work. Sends to:
// the same.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <map>
#include <optional>
#include <string>

#include "actors/map_reduce_master/master_state.hpp"
#include "messages/handles.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

class MapReduceMaster {
public:
  using Handle = MapReduceMasterActor;
  MapReduceMaster(MapReduceMasterActor::pointer self, MapReduceMasterStart start, runtime::ActorTools tools,
                  MapReduceMasterPorts ports);
  MapReduceMasterActor::behavior_type make_behavior();
  void on_role_failed(const std::string& why);

private:
  // -- messages, timer, lost peers (map_reduce_master.cpp) ---------------------------------------------
  void on_map_reduce_master_tick(const MapReduceMasterTick& message);
  void on_resource_manager_found(bool is_found);
  void on_node_found(const std::string& address, bool is_found);
  void on_peer_down(const caf::actor_addr& peer);
  /// Reads the clock, calls flow(turn, arguments…) and ends the message.
  template <class Flow, class... Arguments>
  void handle(Flow flow, const Arguments&... arguments);
  /// Lets the state machines settle and applies the effects.
  void end_message(MasterTurn& turn);

  // -- messages, monitors, timer, background work (map_reduce_master_effects.cpp) -----------------------
  [[nodiscard]] bool has_sender() const;
  void begin();
  void arm_tick(Instant now);
  void apply_effects();
  void apply(const AdoptJobClient& effect);
  void apply(AnswerSubmitter& effect);
  void apply(ReportToJobClient& effect);
  void apply(RequestContainers& effect);
  void apply(const ConnectNode& effect);
  void apply(SendToContainerHost& effect);
  void apply(const AdoptApplicationMaster& effect);
  void apply(const RegisterAgainAtCluster& effect);
  void apply(const LeaveMaster& effect);
  void apply(const LeaveJobToNextMaster& effect);
  void apply(const AdoptChild& effect);
  void apply(const ForgetTaskChild& effect);
  void apply(SendToTaskChild& effect);
  void apply(const DismissChild& effect);
  void apply(const ReadMasterPackage& effect);
  void apply(const SetUpOutputs& effect);
  void apply(CommitWinners& effect);
  void apply(const RemoveOutputs& effect);
  void apply(const RemoveAttemptOutput& effect);
  void apply(const OpenHistory& effect);
  void apply(AppendHistory& effect);
  void apply(const SyncHistory& effect);
  void apply(const CloseHistory& effect);

  // -- state ---------------------------------------------------------------------------------------------
  MapReduceMasterActor::pointer self_;
  runtime::ActorTools tools_;
  MasterState state_;
  MasterEffects effects_;
  ClientActor client_;  // empty: the job has none
  ApplicationMasterServiceActor resource_manager_;
  ApplicationMasterActor master_;
  std::map<std::string, ContainerManagementActor> nodes_;  // connected NodeManagers, by address
  std::map<ContainerId, TaskChildActor> children_;
  runtime::DeadlineTimer tick_;
};

}  // namespace heddle::actors
