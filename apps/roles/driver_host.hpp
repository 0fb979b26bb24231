// A Driver with its ports, in the client's process or in the master container.
#pragma once

#include <functional>
#include <string>

#include "apps/roles/background_thread.hpp"
#include "apps/roles/make_roles.hpp"
#include "apps/roles/role_runtime.hpp"
#include "work/files/file_systems.hpp"
#include "work/output/output_commit.hpp"

namespace heddle::apps {

class DriverHost {
public:
  /// Spawns and publishes the Driver in `world`, which must outlive this object. `is_cancelled`: see file_systems_of.
  /// `reporter`: see actors::DriverPorts.
  DriverHost(RoleRuntime& world, const DriverLaunch& launch, work::OutputCommitSettings commit,
             const std::function<bool()>& is_cancelled = {}, const JobReporterActor& reporter = {});
  /// Stops the Driver and finishes its background jobs.
  ~DriverHost();
  DriverHost(const DriverHost&) = delete;
  DriverHost& operator=(const DriverHost&) = delete;

  [[nodiscard]] const DriverActor& driver() const { return driver_; }
  /// Address at which the Driver listens; empty if no port could be opened.
  [[nodiscard]] const std::string& address() const { return address_; }

private:
  caf::actor_system& system_;
  work::FileSystems files_;
  work::FileOutputCommit commit_;
  BackgroundThread background_;
  DriverActor driver_;
  std::string address_;
};

}  // namespace heddle::apps
