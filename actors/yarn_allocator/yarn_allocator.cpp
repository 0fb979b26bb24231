// The YarnAllocator's message handlers. The flows request_flow.cpp and container_flow.cpp decide what follows;
// yarn_allocator_effects.cpp sends.
#include "actors/yarn_allocator/yarn_allocator.hpp"

#include <algorithm>
#include <utility>

#include "actors/yarn_allocator/container_flow.hpp"
#include "actors/yarn_allocator/request_flow.hpp"
#include "runtime/spawn_role.hpp"

namespace heddle::actors {

YarnAllocator::YarnAllocator(YarnAllocatorActor::pointer self, config::YarnAllocatorSettings settings,
                             runtime::ActorTools tools, YarnAllocatorStart start)
    : self_{self},
      tools_{std::move(tools)},
      state_{std::move(settings), tools_, std::move(start), tools_.clock->now()},
      driver_{state_.start.driver} {
  state_.peers.has_driver = static_cast<bool>(driver_);
}

YarnAllocatorActor::behavior_type YarnAllocator::make_behavior() {
  self_->set_down_handler([this](const caf::down_msg& message) { on_peer_down(message.source); });
  handle(start_allocator);
  connect_peers();
  return {
      [this](const RequestExecutors& message) { handle(request_executors, message); },
      [this](const KillExecutors& message) { handle(kill_executors, message); },
      [this](const ExecutorRegistered& message) { handle(handle_executor_registered, message); },
      [this](const StopAllocator& message) { handle(stop_allocator, message); },
      [this](const StartAllocating& message) { handle(start_allocating, message); },
      [this](const AllocateResponse& message) { handle(handle_allocate_response, message); },
      [this](const AllocationAvailable&) { handle(ask_soon); },
      [this](const ContainerStarted& message) { handle(handle_container_started, message); },
      [this](const ContainerNotStarted& message) { handle(handle_container_not_started, message); },
      [this](const ReporterTick& message) { on_reporter_tick(message); },
  };
}

template <class Flow, class... Arguments>
void YarnAllocator::handle(Flow flow, const Arguments&... arguments) {
  AllocatorTurn turn{state_, effects_, tools_.clock->now()};
  flow(turn, arguments...);
  end_message();
}

void YarnAllocator::end_message() {
  apply_effects();
  if (tools_.checks_invariants) state_.check_invariants();
}

void YarnAllocator::on_reporter_tick(const ReporterTick& message) {
  if (reporter_tick_.accept(message.epoch)) handle(run_reporter_tick);
}

void YarnAllocator::on_driver_found(bool is_found) { handle(is_found ? connect_driver : fail_driver_connection); }

void YarnAllocator::on_resource_manager_found(bool is_found) {
  handle(is_found ? connect_resource_manager : fail_resource_manager_connection);
}

void YarnAllocator::on_node_found(const std::string& address, bool is_found) {
  handle(is_found ? node_connected : node_unreachable, address);
}

void YarnAllocator::on_peer_down(const caf::actor_addr& peer) {
  AllocatorTurn turn{state_, effects_, tools_.clock->now()};
  const auto is_it = [&](const auto& row) { return row.second.address() == peer; };
  if (master_ && master_.address() == peer) {
    lose_master(turn);
  } else if (resource_manager_ && resource_manager_.address() == peer) {
    lose_resource_manager(turn);
  } else if (driver_ && driver_.address() == peer) {
    driver_ = nullptr;
    lose_driver(turn);
  } else if (const auto node = std::find_if(nodes_.begin(), nodes_.end(), is_it); node != nodes_.end()) {
    const std::string address = node->first;
    nodes_.erase(node);
    node_disconnected(turn, address);
  }
  end_message();
}

YarnAllocatorActor spawn_yarn_allocator(caf::actor_system& system, const config::YarnAllocatorSettings& settings,
                                        const runtime::ActorTools& tools, const YarnAllocatorStart& start) {
  return runtime::spawn_role<YarnAllocator>(system, settings, tools, start);
}

}  // namespace heddle::actors
