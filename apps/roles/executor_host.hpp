// Real ports of the Executor of a process: slot threads, fetch and migration of map outputs, removal of shuffle files.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "actors/executor/executor.hpp"
#include "apps/roles/background_thread.hpp"
#include "apps/roles/file_systems_of.hpp"
#include "config/table/settings.hpp"
#include "model/launch_spec.hpp"
#include "ports/clock.hpp"
#include "work/files/file_systems.hpp"
#include "work/shuffle/shuffle_client.hpp"
#include "work/shuffle/shuffle_files.hpp"
#include "work/shuffle/shuffle_migrator.hpp"
#include "work/shuffle/shuffle_server.hpp"
#include "work/tasks/slot_task_runner.hpp"

namespace heddle::apps {

/// The order of the members is their order of construction: each one uses earlier ones.
class ExecutorHost {
public:
  /// `spec`: of an Executor. `clock` must outlive this object.
  ExecutorHost(const LaunchSpec& spec, const config::Settings& settings, const ports::Clock& clock);
  ~ExecutorHost() { waits_.set_listener({}); }
  ExecutorHost(const ExecutorHost&) = delete;
  ExecutorHost& operator=(const ExecutorHost&) = delete;

  /// Starts the slot threads. Call before the Executor is spawned.
  [[nodiscard]] Result<Done> make_threads() { return runner_.make_threads(); }
  [[nodiscard]] actors::ExecutorPorts ports(std::function<void(const std::string& reason, bool has_failed)> on_end);
  /// Serves the map outputs of this node, which other executors of the application wrote too, on a port of the node's
  /// host. For nodes whose NodeManager does not. Returns its address.
  [[nodiscard]] Result<std::string> serve_outputs();
  /// Kills all tasks and their processes, and stops the copies of map outputs.
  void stop() {
    runner_.stop();
    migrator_.stop();
  }

private:
  LaunchSpec spec_;
  FileNotices waits_;
  work::FileSystems files_;
  work::ShuffleClient fetch_;
  work::SlotTaskRunner runner_;
  BackgroundThread background_;
  work::ShuffleMigrator migrator_;
  work::ShuffleFiles shuffle_files_;
  std::unique_ptr<work::ShuffleServer> server_;
};

}  // namespace heddle::apps
