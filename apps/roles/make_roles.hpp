// Creates the roles of a cluster from their launch specs, for role processes, embedding programs, and tests in virtual
// time. The caller provides the world (actor system, clock, events, connector) and the ports.
#pragma once

#include <caf/actor_system.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/client/client.hpp"
#include "actors/driver/driver_settings.hpp"
#include "actors/executor/executor.hpp"
#include "apps/roles/session_files.hpp"
#include "config/table/settings.hpp"
#include "messages/client_role.hpp"
#include "messages/handles.hpp"
#include "model/launch_spec.hpp"
#include "ports/application_files.hpp"
#include "ports/process_launcher.hpp"
#include "ports/user_groups.hpp"
#include "runtime/actor_tools.hpp"

namespace heddle::apps {

/// The world of a role; must outlive it.
struct RoleWorld {
  caf::actor_system& system;
  runtime::ActorTools tools;
};

struct ResourceManagerPorts {
  ports::UserGroups* groups = nullptr;                     // must outlive the role; null: users have no groups
  std::function<std::string()> make_token = random_token;  // empty: uses the random stream of the world
};

/// Creates the ResourceManager. `settings` must outlive it. Fails if its queue file cannot be read.
[[nodiscard]] Result<ResourceManagerActor> make_resource_manager(RoleWorld world, const ResourceManagerLaunch& launch,
                                                                 const config::Settings& settings,
                                                                 const ResourceManagerPorts& ports);

struct NodeManagerPorts {
  ports::ProcessLauncher* launcher = nullptr;
  ports::ApplicationFiles* files = nullptr;
  std::function<std::string(const NodeManagerActor&)> publish;  // publishes the actor and returns its address
  std::string program;                                          // started for every container
  ports::TransportKey transport_key = {};                       // of the cluster, for its containers
};

[[nodiscard]] NodeManagerActor make_node_manager(RoleWorld world, const NodeManagerLaunch& launch,
                                                 const config::Settings& settings, const NodeManagerPorts& ports);

/// A Driver in this process, and its address for other processes.
struct OwnDriver {
  DriverActor driver;
  std::string address;
};

/// A MapReduceMaster in this process, and its address for other processes.
struct OwnMapReduceMaster {
  MapReduceMasterActor master;
  std::string address;
};

/// Creates the ApplicationMaster of a MapReduceMaster.
[[nodiscard]] ApplicationMasterActor make_application_master(RoleWorld world, const LaunchSpec& spec,
                                                             const config::Settings& settings,
                                                             const OwnMapReduceMaster& of_job);

/// Called when an ApplicationMaster leaves; `is_finished`: the ResourceManager has recorded the end of the application.
using OnMasterLeft = std::function<void(bool is_finished)>;

/// Creates the ApplicationMaster with its YarnAllocator.
[[nodiscard]] ApplicationMasterActor make_application_master(RoleWorld world, const LaunchSpec& spec,
                                                             const config::Settings& settings,
                                                             const std::optional<OwnDriver>& driver,
                                                             const OnMasterLeft& on_left = {});

/// Creates an Executor. `driver`: a Driver in this process; without one, the Executor connects to the address in
/// `spec`.
[[nodiscard]] ExecutorActor make_executor(RoleWorld world, const LaunchSpec& spec, const config::Settings& settings,
                                          std::vector<DeviceAddresses> devices, const actors::ExecutorPorts& ports,
                                          const DriverActor& driver = {});

/// Parameters of a Driver, which runs in the process of its client or in the master container.
struct DriverLaunch {
  ApplicationId application;
  std::int32_t attempt = 1;                  // application attempt
  std::map<std::string, std::string> racks;  // by host
  /// Set for local[N], which has one Executor from the start: default of the maximum number of task failures.
  std::optional<std::int32_t> local_tries;
  bool executors_serve_outputs = false;  // see actors::MapOutputSettings
};

/// Settings of a Driver: those of the user, and what follows from its launch.
[[nodiscard]] actors::DriverSettings driver_settings(const DriverLaunch& launch, const config::Settings& settings);

[[nodiscard]] DriverActor make_driver(RoleWorld world, const DriverLaunch& launch, const config::Settings& settings,
                                      const actors::DriverPorts& ports);

/// Parameters of a Client: one application.
struct ClientLaunch {
  std::string resource_manager_address;  // empty: local[N] or a JobTracker, without submission of an application
  ApplicationId application;
  std::string name;
  std::string user;
  std::string log_directory;
  std::map<std::string, std::string> racks;  // by host
  std::optional<OwnDriver> driver;           // in the client's process; none: in the master container
  std::string owner;                         // owner text of outputs if the Driver runs in the master container
  bool is_driver_shared = false;             // other clients send jobs to `driver`
  std::string job_tracker_address = {};      // framework classic; otherwise empty
  bool has_map_reduce_master = false;        // framework yarn
  std::string staging_folder = {};           // on YARN; without `driver` with the jobs, which the Client only follows
  bool is_followed = false;                  // with a staging folder: see ApplicationMasterLaunch
};

[[nodiscard]] ClientRoleActor make_client(RoleWorld world, const ClientLaunch& launch, const config::Settings& settings,
                                          const actors::ClientPorts& ports);

/// Folder of map outputs: one per application and node.
[[nodiscard]] std::string shuffle_folder(const LaunchSpec& spec);

}  // namespace heddle::apps
