// A Driver with the ports that it works through: in the client's process, or in the master container.
#pragma once

#include <string>

#include "apps/roles/background_thread.hpp"
#include "apps/roles/make_roles.hpp"
#include "apps/roles/role_runtime.hpp"
#include "work/files/file_store.hpp"
#include "work/output/output_commit.hpp"

namespace heddle::apps {

class DriverHost {
public:
  /// Spawns and publishes the Driver in `world`, which outlives this object.
  DriverHost(RoleRuntime& world, const DriverLaunch& launch, work::OutputCommitSettings commit);
  /// Ends the Driver; what it has handed to the background is finished.
  ~DriverHost();
  DriverHost(const DriverHost&) = delete;
  DriverHost& operator=(const DriverHost&) = delete;

  [[nodiscard]] const DriverActor& driver() const { return driver_; }
  /// Where it listens; empty if no port could be had.
  [[nodiscard]] const std::string& address() const { return address_; }

private:
  caf::actor_system& system_;
  work::LocalFileStore files_;
  work::FileOutputCommit commit_;
  BackgroundThread background_;
  DriverActor driver_;
  std::string address_;
};

}  // namespace heddle::apps
