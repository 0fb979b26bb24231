// Start parameters of a MapReduceMaster, and the ports through which it reaches files and background threads.
#pragma once

#include <caf/actor_system.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "messages/handles.hpp"
#include "messages/map_reduce_master.hpp"
#include "model/ids.hpp"
#include "model/rack_table.hpp"
#include "model/resources.hpp"
#include "model/time.hpp"
#include "policies/containers/allocate_loop_settings.hpp"
#include "policies/map_reduce/map_reduce_master_settings.hpp"
#include "ports/background.hpp"
#include "ports/job_history.hpp"
#include "ports/output_commit.hpp"
#include "runtime/actor_tools.hpp"

namespace heddle::actors {

/// Facts for the job history, and where it is written.
struct MasterHistoryStart {
  std::string folder;  // empty: no history is written
  ports::JobHistoryFormat format = ports::JobHistoryFormat::avro_binary;
  std::string user;
  std::string queue;
  std::vector<std::pair<std::string, std::string>> settings;  // for the settings file beside the history
  ContainerId container;                                      // of this MapReduceMaster
  std::string host;
  std::int64_t clock_offset_ms = 0;  // wall clock in ms since 1970, minus that of an Instant
};

struct MapReduceMasterStart {
  AttemptId attempt;
  std::string resource_manager_address;
  std::string address;  // of this process; task children connect to it
  RackTable racks;
  Resource map{1024, 1};  // container of a map
  Resource reduce{1024, 1};
  policies::MapReduceMachineSettings machines;     // counts and hosts come from the job
  policies::SpeculatorSettings speculator;         // likewise; which kinds are speculated says `machines`
  policies::MapReduceAllocatorSettings allocator;  // likewise
  policies::AllocateLoopSettings loop{std::chrono::seconds{1}, std::chrono::milliseconds{200}, Duration{0}};
  std::int32_t unanswered_max = 5;                     // AllocateRequests in a row; then the application attempt ends
  Duration task_timeout = std::chrono::seconds{600};   // without a sign of life of a running attempt (TA-1)
  Duration stuck_timeout = std::chrono::seconds{600};  // from the start of an attempt until its first report (TA-1)
  Duration exit_timeout = std::chrono::seconds{60};    // for a task child to exit after its attempt has ended
  Duration commit_window = std::chrono::seconds{10};   // after an answer of the ResourceManager (TK-3)
  Duration progress_interval = std::chrono::milliseconds{500};
  std::string child_settings;  // settings text of each task child
  std::string log_directory;
  std::string owner;  // content of the owner file of the outputs
  MasterHistoryStart history;
};

/// All pointers must outlive the MapReduceMaster.
struct MapReduceMasterPorts {
  ports::OutputCommit* commit = nullptr;
  ports::Background* background = nullptr;
  ports::JobHistory* history = nullptr;  // used on the background thread only; null: no history is written
  /// Reads the package of a job from the file that SubmitJob names. Runs on the background thread. Its error has the
  /// path.
  std::function<Result<JobPackage>(const std::string& path)> read_package{};
  /// Opens a port and returns the address; used if the start parameters have none.
  std::function<std::string(const MapReduceMasterActor&)> publish{};
};

/// The actor ends with its application.
[[nodiscard]] MapReduceMasterActor spawn_map_reduce_master(caf::actor_system& system, const MapReduceMasterStart& start,
                                                           const runtime::ActorTools& tools,
                                                           const MapReduceMasterPorts& ports);

}  // namespace heddle::actors
