// The roles of a cluster from their launch specs: the same for the process of a role, an embedding program and a test
// in virtual time. Who calls chooses the world (actor system, clock, events, connector) and the ports.
#pragma once

#include <caf/actor_system.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "actors/executor/executor.hpp"
#include "config/table/settings.hpp"
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

/// A Driver in the master container, in cluster deploy mode.
struct OwnDriver {
  DriverActor driver;
  std::string address;
};

/// With the YarnAllocator that it works with.
[[nodiscard]] ApplicationMasterActor make_application_master(RoleWorld world, const LaunchSpec& spec,
                                                             const config::Settings& settings,
                                                             const std::optional<OwnDriver>& driver);

/// `spec` is of an Executor.
[[nodiscard]] ExecutorActor make_executor(RoleWorld world, const LaunchSpec& spec, const config::Settings& settings,
                                          std::vector<DeviceAddresses> devices, const actors::ExecutorPorts& ports);

/// Where an Executor keeps map outputs: a folder of its application on its node.
[[nodiscard]] std::string shuffle_folder(const LaunchSpec& spec);

}  // namespace heddle::apps
