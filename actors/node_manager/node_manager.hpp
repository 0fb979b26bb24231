// Runs containers on one host: starts their processes, watches them, bounds their memory, kills whole groups, reports
// ends. Owns the table of its containers. Starts and ends processes through a launcher, and never knows what role one
// plays. Hears: ResourceManager, YarnAllocator, its launcher. Tells: ResourceManager.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <string>

#include "actors/node_manager/container_table.hpp"
#include "config/table/sections.hpp"
#include "messages/handles.hpp"
#include "ports/application_files.hpp"
#include "ports/process_launcher.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

/// What a NodeManager is apart from its settings. The ports outlive it.
struct NodeManagerStart {
  std::string resource_manager_address;
  std::string host;     // name for locality
  std::string rack;     // "/default-rack" if none
  std::string address;  // where this NodeManager is published; empty: `publish` does it and tells
  std::function<std::string(const NodeManagerActor&)> publish;
  std::string build_id;
  std::string program;                                  // started for every container
  std::int32_t slowness_percent = 100;                  // of tasks on this node
  std::int64_t log_bytes_max = std::int64_t{16} << 20;  // of each log of a container
  ExtraResources extras = {};                           // that the node offers beside memory and cores
  ports::ProcessLauncher* launcher = nullptr;
  ports::ApplicationFiles* files = nullptr;
};

class NodeManager {
public:
  using Handle = NodeManagerActor;
  NodeManager(NodeManagerActor::pointer self, config::NodeManagerSettings settings, runtime::ActorTools tools,
              NodeManagerStart start);
  NodeManagerActor::behavior_type make_behavior();

private:
  // -- from the ResourceManager ------------------------------------------------
  void on_registered_node(const RegisteredNode& message);
  void on_forget_application(const ForgetApplication& message);
  // -- from the ResourceManager and allocators ------------------------------------
  void on_start_container(const StartContainer& message);
  void on_stop_container(const StopContainer& message);
  // -- from its launcher ------------------------------------------------------------
  void on_process_ended(const ProcessEnded& message);
  // -- from its process ---------------------------------------------------------------
  void on_begin_decommission();
  // -- timers and ends of peers --------------------------------------------------------
  void on_node_manager_tick(const NodeManagerTick& message);
  void on_peer_down(const caf::actor_addr& peer);
  // -- telling: every send of this actor is in one of these ------------------------------
  void connect();
  void register_node(const ResourceManagerActor& resource_manager);
  void say_hello();
  void beat();
  void report_end(ContainerId container, std::int32_t exit_status, const std::string& text);
  /// Tells the allocator that asked for the start. The ResourceManager hears of containers by heartbeats and ends.
  template <class Answer>
  void answer_start(const Answer& answer);
  void refuse_start(ContainerId container, const std::string& text);
  void stop(Container& container, std::int32_t exit_status, const std::string& reason);
  void stop_all(const std::string& reason);
  void check_memory();
  void forget_if_empty(const ApplicationId& application);
  void arm_tick();
  // -- questions ---------------------------------------------------------------------------
  [[nodiscard]] Result<ports::LaunchContext> launch_context(const StartContainer& message,
                                                            const std::string& log_directory);
  [[nodiscard]] static std::string end_text(const Container& container, const ProcessEnded& message);
  void note(std::string_view name, const ports::EventFields& fields = {});
  // -- state ---------------------------------------------------------------------------------
  NodeManagerActor::pointer self_;
  config::NodeManagerSettings settings_;
  runtime::ActorTools tools_;
  NodeManagerStart start_;
  ResourceManagerActor resource_manager_;  // empty while it is looked for
  NodeId node_;
  Epoch epoch_;
  bool is_registering_ = false;      // an answer is due
  bool is_decommissioning_ = false;  // each heartbeat says so
  ContainerTable containers_;
  Instant next_memory_check_;
  runtime::Timer tick_;  // armed at registration, cancelled while the ResourceManager is looked for
};

/// Ends when no ResourceManager can be reached any more (heddle.node_manager.resource_manager_wait), or refuses the
/// node.
[[nodiscard]] NodeManagerActor spawn_node_manager(caf::actor_system& system,
                                                  const config::NodeManagerSettings& settings,
                                                  const runtime::ActorTools& tools, const NodeManagerStart& start);

}  // namespace heddle::actors
