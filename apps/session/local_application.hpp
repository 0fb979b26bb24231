// Driver and Executor of --master local[N] in one actor system, without network.
#pragma once

#include <caf/actor_system.hpp>
#include <memory>
#include <string>

#include "apps/roles/background_thread.hpp"
#include "apps/roles/leftover_watch.hpp"
#include "apps/roles/session_files.hpp"
#include "apps/session/resource_validation.hpp"
#include "apps/session/session.hpp"
#include "messages/handles.hpp"
#include "model/launch_spec.hpp"
#include "ports/task_runner.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/world/real_clock.hpp"
#include "work/files/file_systems.hpp"
#include "work/output/output_commit.hpp"
#include "work/shuffle/shuffle_client.hpp"
#include "work/shuffle/shuffle_files.hpp"
#include "work/tasks/slot_task_runner.hpp"

namespace heddle::apps {

/// The order of the members is their order of construction; destruction is in reverse.
class LocalApplication {
public:
  /// Creates the application's folders and spawns its roles. `runner` runs the tasks and must outlive this object;
  /// null: uses slot threads of its own.
  [[nodiscard]] static Result<std::unique_ptr<LocalApplication>> open(caf::actor_system& system,
                                                                      const SessionOptions& options,
                                                                      ports::TaskRunner* runner = nullptr);
  ~LocalApplication();
  LocalApplication(const LocalApplication&) = delete;
  LocalApplication& operator=(const LocalApplication&) = delete;

  /// Waits until no task runs. The destructor does it too.
  void end_roles();

  [[nodiscard]] const DriverActor& driver() const { return driver_; }
  [[nodiscard]] const ExecutorActor& executor() const { return executor_; }
  /// The complete path of an output.
  [[nodiscard]] std::string output_path(const std::string& written) const;
  /// Prepares a job; blocks while it lists the inputs.
  [[nodiscard]] Result<SubmitJob> prepare(JobGraph graph) const;
  [[nodiscard]] const std::string& event_log() const { return event_log_; }
  [[nodiscard]] const ApplicationId& application() const { return application_; }
  [[nodiscard]] std::string task_logs() const {
    return task_log_folder(options_.settings, state_folder_, application_);
  }

  /// Tools for another role of the application; this object must outlive it. Each role needs a different `salt`.
  [[nodiscard]] runtime::ActorTools tools(std::uint64_t salt) const;

private:
  LocalApplication(caf::actor_system& system, const SessionOptions& options, const ApplicationId& application,
                   std::string state_folder);
  [[nodiscard]] Result<Done> make_folders();
  [[nodiscard]] Result<Done> spawn(ports::TaskRunner* runner);
  [[nodiscard]] work::SlotTaskRunnerSettings slots() const;
  /// Launch spec of the Executor.
  [[nodiscard]] LaunchSpec executor_spec() const;

  caf::actor_system& system_;
  SessionOptions options_;
  TaskSizeRules size_rules_;
  ApplicationId application_;
  std::unique_ptr<LeftoverWatch> watch_;
  std::unique_ptr<WorkingFolder> folder_;
  std::string state_folder_;
  std::string event_log_;
  std::vector<DeviceAddresses> devices_;
  std::unique_ptr<ports::EventSink> events_;
  runtime::RealClock clock_;
  mutable work::FileSystems files_;
  work::FileOutputCommit commit_;
  BackgroundThread background_;
  work::ShuffleClient fetch_;
  std::unique_ptr<work::ShuffleFiles> shuffle_files_;
  std::unique_ptr<work::SlotTaskRunner> own_runner_;
  ports::TaskRunner* runner_ = nullptr;
  DriverActor driver_;
  ExecutorActor executor_;
};

}  // namespace heddle::apps
