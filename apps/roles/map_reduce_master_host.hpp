// A MapReduceMaster with its ports, in the master container.
#pragma once

#include <string>

#include "apps/roles/background_thread.hpp"
#include "apps/roles/make_map_reduce_master.hpp"
#include "apps/roles/role_runtime.hpp"
#include "work/files/file_systems.hpp"
#include "work/history/job_history_files.hpp"
#include "work/output/output_commit.hpp"

namespace heddle::apps {

class MapReduceMasterHost {
public:
  /// Spawns and publishes the MapReduceMaster in `world`, which must outlive this object.
  MapReduceMasterHost(RoleRuntime& world, const LaunchSpec& spec, work::OutputCommitSettings commit);
  MapReduceMasterHost(const MapReduceMasterHost&) = delete;
  MapReduceMasterHost& operator=(const MapReduceMasterHost&) = delete;

  [[nodiscard]] OwnMapReduceMaster own() const { return {master_, address_}; }

private:
  work::FileSystems files_;
  work::FileOutputCommit commit_;
  work::JobHistoryFiles history_;
  BackgroundThread background_;
  std::string address_;  // at which the MapReduceMaster listens; empty if no port could be opened
  MapReduceMasterActor master_;
};

}  // namespace heddle::apps
