// All that the process of a role is told by its starter, typed by role. It travels as bytes through a descriptor that
// the process inherits (work/commands/spec_descriptor.hpp), never through arguments or the environment: both can be
// read by others on the machine, and every command of a task would inherit the environment. The part that an
// allocator or a client names for a container (ContainerLaunch) comes over the network: it names no program, no
// argument and no environment variable.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "model/container.hpp"
#include "model/extra_resource.hpp"
#include "model/ids.hpp"
#include "model/resources.hpp"
#include "model/result.hpp"

namespace heddle {

/// Of a cluster that lives as long as its client.
struct ResourceManagerLaunch {
  std::int64_t cluster_start = 0;
  std::int32_t nodes_expected = 0;
  std::string ready_pipe;  // named pipe that gets the role's address as one line
  bool operator==(const ResourceManagerLaunch&) const = default;
};

struct NodeManagerLaunch {
  std::string resource_manager_address;
  std::string host;
  std::string rack;
  Resource resource;
  ExtraResources extras;
  std::int32_t slowness_percent = 100;  // of tasks on this node
  std::string directory;                // for the files of applications
  bool operator==(const NodeManagerLaunch&) const = default;
};

struct ApplicationMasterLaunch {
  bool holds_driver = false;                 // cluster deploy mode
  std::string driver_address;                // client deploy mode
  std::string owner;                         // of the job's outputs, in cluster deploy mode
  std::map<std::string, std::string> racks;  // by host
  bool operator==(const ApplicationMasterLaunch&) const = default;
};

struct ExecutorLaunch {
  ExecutorId executor;
  std::int32_t cores = 1;
  ProfileId profile;
  std::string driver_address;
  std::int64_t first_shuffle = 0;
  bool operator==(const ExecutorLaunch&) const = default;
};

/// Removes the files of a client that was killed.
struct LeftoverWatchLaunch {
  std::string folder;
  std::string mark;  // of the client's processes
  std::int64_t patience_ms = 0;
  bool operator==(const LeftoverWatchLaunch&) const = default;
};

/// What runs in a container, as named by who asks for it. Settings as config/files/settings_text.hpp writes them.
struct ContainerLaunch {
  std::string settings;
  std::string log_directory;  // of the application; empty: none
  std::variant<ApplicationMasterLaunch, ExecutorLaunch> role;
  bool operator==(const ContainerLaunch&) const = default;
};

/// Most bytes of a launch spec, and of the settings within one.
constexpr std::size_t launch_spec_bytes_max = std::size_t{16} << 20;
constexpr std::size_t launch_settings_bytes_max = std::size_t{1} << 20;
/// Most cores of an executor: it makes a thread for each.
constexpr std::int32_t launch_cores_max = 4'096;

/// Fails with a sentence for a launch that no process is to be started with.
[[nodiscard]] Result<Done> check_launch(const ContainerLaunch& launch);

/// What the NodeManager adds for a container: where it runs, and for whom.
struct ContainerPlace {
  ContainerId container;
  AttemptId attempt;
  NodeId node;
  Epoch node_epoch;
  std::string host;
  std::int32_t slowness_percent = 100;
  std::string resource_manager_address;
  std::string shuffle_address;
  std::string directory;  // of the application's files on the node
  std::string token;      // of the application
  bool operator==(const ContainerPlace&) const = default;
};

struct LaunchSpec {
  std::string settings;
  std::string log_directory;
  std::int32_t leash = -1;   // inherited descriptor: its end is the end of the role; -1: none
  ContainerPlace container;  // of an ApplicationMaster or an Executor
  std::variant<ResourceManagerLaunch, NodeManagerLaunch, ApplicationMasterLaunch, ExecutorLaunch, LeftoverWatchLaunch>
      role;
  bool operator==(const LaunchSpec&) const = default;
};

/// What follows `heddle-role` in the arguments of the process: "executor".
[[nodiscard]] std::string_view role_name(const LaunchSpec& spec);

/// As bytes with a version, a length and a checksum, and back. Reading fails with a sentence on another version, on
/// damage, and beyond launch_spec_bytes_max.
[[nodiscard]] std::string write_launch_spec(LaunchSpec spec);
[[nodiscard]] Result<LaunchSpec> read_launch_spec(std::string_view bytes);
/// Of the bytes behind version and checksum. What it reads is written as the same bytes again.
[[nodiscard]] Result<LaunchSpec> read_launch_fields(std::string_view bytes);

}  // namespace heddle
