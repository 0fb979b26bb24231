// Everything that a role process gets from its parent, as one struct per role. The parent passes it as bytes through an
// inherited descriptor (work/commands/spec_descriptor.hpp), not through arguments or the environment: other users can
// read those, and commands of tasks inherit the environment. ContainerLaunch, the part that a client or a YarnAllocator
// chooses, arrives over the network. It holds no program, no argument and no environment variable.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "model/container.hpp"
#include "model/ids.hpp"
#include "model/resources.hpp"
#include "model/result.hpp"

namespace heddle {

/// ResourceManager of a local cluster; it ends with its client.
struct ResourceManagerLaunch {
  std::int64_t cluster_start = 0;
  std::int32_t nodes_expected = 0;
  std::string ready_pipe;  // named pipe; the role writes its address there as one line
  bool operator==(const ResourceManagerLaunch&) const = default;
};

struct NodeManagerLaunch {
  std::string resource_manager_address;
  std::string host;
  std::string rack;
  Resource resource;
  std::int32_t slowness_percent = 100;  // run time of tasks on this node; 200: twice as long
  std::string directory;                // for files of applications
  bool operator==(const NodeManagerLaunch&) const = default;
};

/// What runs the jobs of an application: a Driver in the client's process, or a role in the master container.
enum class JobServiceKind : std::uint8_t { driver_of_client, driver, map_reduce_master };

struct ApplicationMasterLaunch {
  JobServiceKind job_service = JobServiceKind::driver_of_client;
  std::string driver_address;                // of a Driver in the client's process
  std::string owner;                         // otherwise: content of the owner file of the job's outputs
  std::map<std::string, std::string> racks;  // host to rack
  std::string staging_folder = {};           // empty: none; with `driver` it has jobs, which this process submits
  bool is_followed = false;                  // a client is about to follow the jobs in the staging folder
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

/// JobTracker of a local cluster (framework classic); it ends with its client.
struct JobTrackerLaunch {
  std::int64_t cluster_start = 0;
  std::string ready_pipe;     // named pipe; the role writes its address there as one line; empty: none
  std::string directory;      // for submissions of unfinished jobs
  std::string owner;          // content of the owner file of the outputs of jobs
  std::string address;        // of the JobTracker before it; empty: any port
  std::int32_t restarts = 0;  // JobTrackers of this cluster that were lost before
  bool operator==(const JobTrackerLaunch&) const = default;
};

struct TaskTrackerLaunch {
  std::string job_tracker_address;
  std::string host;
  std::string rack;
  std::int32_t map_slots = 0;
  std::int32_t reduce_slots = 0;
  std::int32_t slowness_percent = 100;  // run time of tasks on this node; 200: twice as long
  std::string directory;                // for files of jobs
  std::string owner;                    // content of the owner file of the outputs of jobs
  bool operator==(const TaskTrackerLaunch&) const = default;
};

/// Runs task attempts of MapReduce, one at a time. In a container it runs one.
struct TaskChildLaunch {
  std::string parent_address;  // of the TaskTracker or MapReduceMaster that started it
  std::int64_t child = 0;      // number of this child at its parent
  std::string owner;           // content of the owner file of the job's outputs
  bool operator==(const TaskChildLaunch&) const = default;
};

/// Process that cleans up after a killed client: kills its processes and removes its folder.
struct LeftoverWatchLaunch {
  std::string folder;
  std::string mark;              // process mark by which the client's processes are found
  std::int64_t patience_ms = 0;  // time that the processes get before they are killed
  bool operator==(const LeftoverWatchLaunch&) const = default;
};

/// Role that runs in a container, as the requester describes it. `settings`: format of config/files/settings_text.hpp.
struct ContainerLaunch {
  std::string settings;
  std::string log_directory;  // of the application; empty: none
  std::variant<ApplicationMasterLaunch, ExecutorLaunch, TaskChildLaunch> role;
  bool operator==(const ContainerLaunch&) const = default;
};

/// Maximum bytes of a launch spec, and of the settings in it.
constexpr std::size_t launch_spec_bytes_max = std::size_t{16} << 20;
constexpr std::size_t launch_settings_bytes_max = std::size_t{1} << 20;
/// Maximum cores of an executor; it starts one thread per core.
constexpr std::int32_t launch_cores_max = 4'096;

/// Errc::refused if a field is out of range; the NodeManager then starts no process.
[[nodiscard]] Result<Done> check_launch(const ContainerLaunch& launch);

/// Fields that the NodeManager or the TaskTracker adds: where the process runs, and for which application or job.
struct ContainerPlace {
  ContainerId container;
  AttemptId attempt;
  NodeId node;
  Epoch node_epoch;
  std::string host;
  std::int32_t slowness_percent = 100;
  std::string resource_manager_address;
  std::string shuffle_address;
  std::string directory;  // files of the application on this node
  std::string token;      // of the application
  bool operator==(const ContainerPlace&) const = default;
};

struct LaunchSpec {
  std::string settings;
  std::string log_directory;
  std::string cluster;             // id; its processes accept each other only
  std::string cluster_secret;      // which they prove to each other
  std::int32_t parent_watch = -1;  // inherited descriptor; the role exits at its end of file; -1: none
  ContainerPlace container;        // for an ApplicationMaster, an Executor or a task child
  std::variant<ResourceManagerLaunch, NodeManagerLaunch, ApplicationMasterLaunch, ExecutorLaunch, LeftoverWatchLaunch,
               JobTrackerLaunch, TaskTrackerLaunch, TaskChildLaunch>
      role;
  bool operator==(const LaunchSpec&) const = default;
};

/// Argument after `heddle-role` on the command line of the process: "executor".
[[nodiscard]] std::string_view role_name(const LaunchSpec& spec);

/// Writes and reads the byte format of launch_spec.cpp. Reading fails with Errc::corrupt for another version, a wrong
/// checksum, damaged fields, or more than launch_spec_bytes_max bytes.
[[nodiscard]] std::string write_launch_spec(LaunchSpec spec);
[[nodiscard]] Result<LaunchSpec> read_launch_spec(std::string_view bytes);
/// Reads the bytes after version and checksum. Writing the result gives the same bytes.
[[nodiscard]] Result<LaunchSpec> read_launch_fields(std::string_view bytes);

}  // namespace heddle
