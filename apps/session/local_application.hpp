// --master local[N] within one actor system: Driver and Executor of one application, joined by plain messages; no
// network.
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
#include "work/files/file_store.hpp"
#include "work/output/output_commit.hpp"
#include "work/shuffle/shuffle_client.hpp"
#include "work/shuffle/shuffle_files.hpp"
#include "work/tasks/slot_task_runner.hpp"

namespace heddle::apps {

/// Members in the order in which they are needed; they end in the opposite one.
class LocalApplication {
public:
  /// Makes the application's folders and spawns its roles. `runner` runs the tasks and outlives this object; none: slot
  /// threads of its own.
  [[nodiscard]] static Result<std::unique_ptr<LocalApplication>> open(caf::actor_system& system,
                                                                      const SessionOptions& options,
                                                                      ports::TaskRunner* runner = nullptr);
  /// Ends both roles; blocks until no task runs any more.
  ~LocalApplication();
  LocalApplication(const LocalApplication&) = delete;
  LocalApplication& operator=(const LocalApplication&) = delete;

  [[nodiscard]] const DriverActor& driver() const { return driver_; }
  [[nodiscard]] const ExecutorActor& executor() const { return executor_; }
  /// Lists the inputs of a job; blocks while it reads folders.
  [[nodiscard]] Result<SubmitJob> prepare(JobGraph graph) const;
  [[nodiscard]] const std::string& event_log() const { return event_log_; }
  [[nodiscard]] const ApplicationId& application() const { return application_; }
  [[nodiscard]] std::string task_logs() const {
    return task_log_folder(options_.settings, state_folder_, application_);
  }

  /// For another role beside these; this object outlives it. Each gets a `salt` of its own.
  [[nodiscard]] runtime::ActorTools tools(std::uint64_t salt) const;

private:
  LocalApplication(caf::actor_system& system, const SessionOptions& options, const ApplicationId& application,
                   std::string state_folder);
  [[nodiscard]] Result<Done> make_folders();
  [[nodiscard]] Result<Done> spawn(ports::TaskRunner* runner);
  [[nodiscard]] work::SlotTaskRunnerSettings slots() const;
  /// Of its Executor.
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
  mutable work::LocalFileStore files_;  // holds nothing of its own
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
