// The roles of a cluster from their launch specs: the same for the process of a role, an embedding program and a test
// in virtual time. Who calls chooses the world (actor system, clock, events, connector) and the ports.
#pragma once

#include <caf/actor_system.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/client/client.hpp"
#include "actors/driver/driver.hpp"
#include "actors/executor/executor.hpp"
#include "config/table/settings.hpp"
#include "messages/client_role.hpp"
#include "messages/handles.hpp"
#include "model/launch_spec.hpp"
#include "ports/application_files.hpp"
#include "ports/process_launcher.hpp"
#include "ports/user_groups.hpp"
#include "runtime/actor_tools.hpp"

namespace heddle::apps {

/// Where a role is spawned; outlives it.
struct RoleWorld {
  caf::actor_system& system;
  runtime::ActorTools tools;
};

struct ResourceManagerPorts {
  ports::UserGroups* groups = nullptr;      // outlives the role; none: no user has groups
  std::function<std::string()> make_token;  // empty: from the world's stream of random numbers
};

/// `settings` outlive the role. Fails with a sentence where its queues cannot be read.
[[nodiscard]] Result<ResourceManagerActor> make_resource_manager(RoleWorld world, const ResourceManagerLaunch& launch,
                                                                 const config::Settings& settings,
                                                                 const ResourceManagerPorts& ports);

struct NodeManagerPorts {
  ports::ProcessLauncher* launcher = nullptr;
  ports::ApplicationFiles* files = nullptr;
  std::function<std::string(const NodeManagerActor&)> publish;  // answers the address
  std::string program;                                          // started for every container
};

[[nodiscard]] NodeManagerActor make_node_manager(RoleWorld world, const NodeManagerLaunch& launch,
                                                 const config::Settings& settings, const NodeManagerPorts& ports);

/// A Driver of the same process, and where others reach it.
struct OwnDriver {
  DriverActor driver;
  std::string address;
};

/// With the YarnAllocator that it works with.
[[nodiscard]] ApplicationMasterActor make_application_master(RoleWorld world, const LaunchSpec& spec,
                                                             const config::Settings& settings,
                                                             const std::optional<OwnDriver>& driver);

/// `spec` is of an Executor. `driver` lives in this process; none: it is connected to at the address of the spec.
[[nodiscard]] ExecutorActor make_executor(RoleWorld world, const LaunchSpec& spec, const config::Settings& settings,
                                          std::vector<DeviceAddresses> devices, const actors::ExecutorPorts& ports,
                                          const DriverActor& driver = {});

/// A Driver is no process of its own: it lives in that of its client, or of its master.
struct DriverLaunch {
  ApplicationId application;
  std::int32_t attempt = 1;                  // of the application
  std::map<std::string, std::string> racks;  // by host
  /// local[N]: one Executor that is there from the start; so many attempts of a task, unless a setting names them.
  std::optional<std::int32_t> local_tries;
};

[[nodiscard]] DriverActor make_driver(RoleWorld world, const DriverLaunch& launch, const config::Settings& settings,
                                      const actors::DriverPorts& ports);

/// One application from the side of its user.
struct ClientLaunch {
  std::string resource_manager_address;  // empty: local[N], there is no application to submit
  ApplicationId application;
  std::string name;
  std::string user;
  std::string log_directory;
  std::map<std::string, std::string> racks;  // by host
  std::optional<OwnDriver> driver;           // in the client's process; none: in the master container
  std::string owner;                         // of the outputs, where the Driver is in the master container
  bool is_driver_shared = false;             // others give jobs to `driver`
};

[[nodiscard]] ClientRoleActor make_client(RoleWorld world, const ClientLaunch& launch, const config::Settings& settings,
                                          const actors::ClientPorts& ports);

/// Where an Executor keeps map outputs: a folder of its application on its node.
[[nodiscard]] std::string shuffle_folder(const LaunchSpec& spec);

}  // namespace heddle::apps
