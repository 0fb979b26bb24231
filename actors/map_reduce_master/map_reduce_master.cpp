// The MapReduceMaster's message handlers. The flows job_flow.cpp, request_flow.cpp and child_flow.cpp decide what
// follows; map_reduce_master_effects.cpp sends.
#include "actors/map_reduce_master/map_reduce_master.hpp"

#include <algorithm>
#include <utility>

#include "actors/map_reduce_master/child_flow.hpp"
#include "actors/map_reduce_master/history_flow.hpp"
#include "actors/map_reduce_master/job_flow.hpp"
#include "actors/map_reduce_master/request_flow.hpp"
#include "actors/map_reduce_master/speculation_flow.hpp"
#include "runtime/spawn_role.hpp"

namespace heddle::actors {

MapReduceMaster::MapReduceMaster(MapReduceMasterActor::pointer self, MapReduceMasterStart start,
                                 runtime::ActorTools tools, MapReduceMasterPorts ports)
    : self_{self}, tools_{std::move(tools)}, state_{std::move(start), std::move(ports), tools_.events} {}

MapReduceMasterActor::behavior_type MapReduceMaster::make_behavior() {
  self_->set_down_handler([this](const caf::down_msg& message) { on_peer_down(message.source); });
  begin();
  return {
      [this](const SubmitJob& message) { handle(submit_to_master, message, has_sender()); },
      [this](const CancelJob& message) { handle(cancel_master_job, message); },
      [this](const StartAllocating& message) { handle(start_allocating, message); },
      [this](const AllocateResponse& message) { handle(handle_allocate_response, message); },
      [this](const AllocationAvailable&) { handle(ask_soon); },
      [this](const ContainerStarted& message) { handle(handle_container_started, message); },
      [this](const ContainerNotStarted& message) { handle(handle_container_not_started, message); },
      [this](const GetTask& message) { handle(give_task, message); },
      [this](const AttemptProgress& message) { handle(handle_progress, message); },
      [this](const CommitPending& message) { handle(handle_commit_pending, message); },
      [this](const AttemptDone& message) { handle(handle_done, message); },
      [this](const AttemptFailed& message) { handle(handle_failed, message); },
      [this](const GetMapCompletions& message) { handle(handle_get_map_completions, message); },
      [this](const FetchFailed& message) { handle(handle_fetch_failed, message); },
      [this](const PackageRead& message) { handle(use_package, message); },
      [this](const OutputPrepared& message) { handle(handle_outputs_prepared, message); },
      [this](const JobCommitted& message) { handle(handle_outputs_committed, message); },
      [this](const AttemptOutputRemoved& message) { handle(handle_attempt_output_removed, message); },
      [this](const HistoryOpened& message) { handle(handle_history_opened, message); },
      [this](const HistoryEnded& message) { handle(handle_history_ended, message); },
      [this](const MapReduceMasterTick& message) { on_map_reduce_master_tick(message); },
  };
}

template <class Flow, class... Arguments>
void MapReduceMaster::handle(Flow flow, const Arguments&... arguments) {
  MasterTurn turn{state_, effects_, tools_.clock->now()};
  flow(turn, arguments...);
  end_message(turn);
}

void MapReduceMaster::end_message(MasterTurn& turn) {
  settle_machines(turn);
  flush_history(turn);
  if (tools_.checks_invariants) state_.check_invariants();
  apply_effects();
  arm_tick(turn.now);
}

void MapReduceMaster::on_map_reduce_master_tick(const MapReduceMasterTick& message) {
  if (!tick_.accept(message.epoch)) return;
  handle([](MasterTurn& turn) {
    run_child_deadlines(turn);
    run_job_deadlines(turn);
    run_speculation_deadline(turn);
    run_allocate_deadline(turn);
  });
}

void MapReduceMaster::on_resource_manager_found(bool is_found) {
  handle(is_found ? connect_resource_manager : fail_resource_manager_connection);
}

void MapReduceMaster::on_node_found(const std::string& address, bool is_found) {
  handle(is_found ? node_connected : node_unreachable, address);
}

void MapReduceMaster::on_peer_down(const caf::actor_addr& peer) {
  MasterTurn turn{state_, effects_, tools_.clock->now()};
  const auto is_it = [&](const auto& row) { return row.second.address() == peer; };
  if (master_ && master_.address() == peer) {
    lose_master(turn);
  } else if (resource_manager_ && resource_manager_.address() == peer) {
    lose_resource_manager(turn);
  } else if (const auto node = std::find_if(nodes_.begin(), nodes_.end(), is_it); node != nodes_.end()) {
    const std::string address = node->first;
    nodes_.erase(node);
    node_disconnected(turn, address);
  }
  end_message(turn);
}

MapReduceMasterActor spawn_map_reduce_master(caf::actor_system& system, const MapReduceMasterStart& start,
                                             const runtime::ActorTools& tools, const MapReduceMasterPorts& ports) {
  return runtime::spawn_role<MapReduceMaster>(system, start, tools, ports);
}

}  // namespace heddle::actors
