// Gets containers for one application and starts executors in them; says once of each executor that is gone why it is.
// Owns the container allocator and the table of grants and NodeManagers. The Driver's ExecutorSource on a cluster.
// Hears: Driver, ApplicationMaster, ResourceManager. Tells: the same, and NodeManager.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/yarn_allocator/allocate_loop.hpp"
#include "actors/yarn_allocator/grant_table.hpp"
#include "config/table/sections.hpp"
#include "messages/handles.hpp"
#include "model/rack_table.hpp"
#include "policies/containers/container_allocator.hpp"
#include "policies/containers/container_limit.hpp"
#include "policies/executors/executor_memory.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/event_log/recorded.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

/// How long a peer's process may take to answer at its address.
constexpr Duration connect_patience = std::chrono::seconds{10};

/// What a YarnAllocator is apart from its settings.
struct YarnAllocatorStart {
  AttemptId attempt;
  std::string resource_manager_address;
  std::string driver_address;  // handed to every executor
  DriverActor driver;          // cluster mode: the Driver of this process; empty: connect to driver_address
  Resource executor;           // of the container of an executor of the default profile
  std::int32_t executor_cores = 1;
  policies::ExecutorMemory memory_rules;  // what containers of other profiles need beside their executor's memory
  std::int32_t executors_max = 0;         // most that are ever wanted; bounds the failures
  std::int32_t initial_executors = 0;
  bool driver_ends_application = true;  // client mode: without its Driver the application is over
  Duration spacing{0};                  // least time between two AllocateRequests; a real YARN wants some
  RackTable racks;
  ExtraResources executor_extras;  // beside `executor`
  ExtraResources device_extras;    // the same of other profiles: the devices of every executor
  std::string settings;            // of every executor: its launch, beside what the allocator adds
  std::string log_directory;
  std::int64_t first_shuffle = 0;                      // that this Driver makes
  Duration exclusion_timeout = std::chrono::hours{1};  // of a node where executors failed
  std::int32_t failed_executors_per_node = 2;          // one more excludes the node
};

class YarnAllocator {
public:
  using Handle = YarnAllocatorActor;
  YarnAllocator(YarnAllocatorActor::pointer self, config::YarnAllocatorSettings settings, runtime::ActorTools tools,
                YarnAllocatorStart start);
  YarnAllocatorActor::behavior_type make_behavior();

private:
  // -- from the Driver -------------------------------------------------------
  void on_request_executors(const RequestExecutors& message);
  void on_kill_executors(const KillExecutors& message);
  void on_executor_registered(const ExecutorRegistered& message);
  void on_stop_allocator(const StopAllocator& message);
  // -- from the ApplicationMaster ------------------------------------------------
  void on_start_allocating(const StartAllocating& message);
  // -- from the ResourceManager -----------------------------------------------------
  void on_allocate_response(const AllocateResponse& message);
  void on_allocate_soon(const AllocateSoon& message);
  // -- from node managers -------------------------------------------------------------
  void on_container_started(const ContainerStarted& message);
  void on_container_not_started(const ContainerNotStarted& message);
  // -- timers and ends of peers --------------------------------------------------------
  void on_reporter_tick(const ReporterTick& message);
  void on_peer_down(const caf::actor_addr& peer);
  // -- telling: every send of this actor is in one of these ------------------------------
  void connect_driver();
  void connect_resource_manager();
  void begin_if_ready();
  /// False if its containers are larger than any here: the application was ended.
  bool learn_profile(const ExecutorsOfProfile& wish);
  void ask_soon();
  void ask();
  void arm_beat();
  void apply_effects(const policies::ContainerEffects& effects);
  void launch(const policies::LaunchExecutor& launch);
  void connect_node(const std::string& address);
  void start_container(const policies::LaunchExecutor& launch, const GrantedContainer& granted,
                       const NodeManagerActor& node);
  void mark_started(Grant& grant);
  void start_failed(Grant& grant);
  /// The connection to this NodeManager broke: what was to be stopped there is stopped by the ResourceManager.
  void stop_over_resource_manager(const std::string& address);
  /// Containers whose executor has not registered in time end as failed starts.
  void stop_slow_starts();
  void tell_removed(ExecutorId executor, std::int32_t status, bool is_blamed, const Grant& grant);
  /// True if the application was ended: too many executors failed, or no node is left.
  bool end_if_hopeless(Instant now);
  void give_up(const std::string& text);
  void end_application(bool succeeded, const std::string& text);
  void note(std::string_view name, const ports::EventFields& fields = {});
  /// False if an answer says nothing that the one before did not say; it is remembered.
  [[nodiscard]] bool has_news(const AllocateResponse& message);
  // -- parts of an answer, in this order -------------------------------------------------------
  void handle_grants(const AllocateResponse& message);
  void handle_ends(Instant now, const AllocateResponse& message);
  [[nodiscard]] std::int64_t failures_max() const;
  [[nodiscard]] policies::ContainerLimit limit() const;
  // -- state ---------------------------------------------------------------------------------
  YarnAllocatorActor::pointer self_;
  config::YarnAllocatorSettings settings_;
  runtime::ActorTools tools_;
  YarnAllocatorStart start_;
  runtime::Recorded<policies::ContainerAllocator> allocator_;
  std::map<ProfileId, std::int32_t> cores_of_profile_;  // of one executor
  GrantTable grants_;
  DriverActor driver_;
  ResourceManagerActor resource_manager_;
  ApplicationMasterActor master_;
  std::optional<EndApplication> end_;          // said before the master was known
  std::optional<StartAllocating> registered_;  // none: the application is not registered yet
  std::string last_end_text_;                  // of the last executor that failed by its own fault
  AllocateLoop loop_;                          // begins when the Driver knows the allocator
  std::set<NodeId> lost_nodes_;
  std::vector<ContainerId> stops_;  // of containers whose NodeManager cannot be told: the ResourceManager is, next time
  struct Cluster {
    std::int32_t nodes = 0;
    std::vector<std::string> decommissioning_hosts;
  };
  std::optional<Cluster> cluster_;  // as of the last answer
  runtime::Timer beat_;             // armed after each answer and each ask, cancelled at the end of the application
};

/// Ends with its application.
[[nodiscard]] YarnAllocatorActor spawn_yarn_allocator(caf::actor_system& system,
                                                      const config::YarnAllocatorSettings& settings,
                                                      const runtime::ActorTools& tools,
                                                      const YarnAllocatorStart& start);

}  // namespace heddle::actors
