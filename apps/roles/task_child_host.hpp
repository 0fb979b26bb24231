// Real ports of the task child of a process: one slot thread, and the commit of outputs.
#pragma once

#include <functional>
#include <string>

#include "actors/task_child/child_start.hpp"
#include "apps/roles/background_thread.hpp"
#include "apps/roles/file_systems_of.hpp"
#include "config/table/settings.hpp"
#include "model/launch_spec.hpp"
#include "ports/clock.hpp"
#include "work/files/file_systems.hpp"
#include "work/output/output_commit.hpp"
#include "work/shuffle/shuffle_client.hpp"
#include "work/tasks/slot_task_runner.hpp"

namespace heddle::apps {

/// The order of the members is their order of construction: each one uses earlier ones.
class TaskChildHost {
public:
  /// `spec`: of a task child. `clock` must outlive this object.
  TaskChildHost(const LaunchSpec& spec, const config::Settings& settings, const ports::Clock& clock);
  ~TaskChildHost() { waits_.set_listener({}); }
  TaskChildHost(const TaskChildHost&) = delete;
  TaskChildHost& operator=(const TaskChildHost&) = delete;

  /// Starts the slot thread. Call before the task child is spawned.
  [[nodiscard]] Result<Done> make_threads() { return runner_.make_threads(); }
  [[nodiscard]] actors::TaskChildPorts ports(std::function<void(const std::string& reason)> on_end);
  /// Kills the running task and its processes.
  void stop() { runner_.stop(); }

private:
  ports::CopyNotices notices_;
  FileNotices waits_;
  work::FileSystems files_;
  work::ShuffleClient fetch_;
  work::SlotTaskRunner runner_;
  work::FileOutputCommit commit_;
  BackgroundThread background_{BackgroundThread::Start::with_first_job};  // most task children have none
};

}  // namespace heddle::apps
