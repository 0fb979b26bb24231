// Start parameters and ports of a task child.
#pragma once

#include <caf/actor_system.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "messages/handles.hpp"
#include "model/time.hpp"
#include "ports/background.hpp"
#include "ports/copy_rules.hpp"
#include "ports/output_commit.hpp"
#include "ports/task_runner.hpp"
#include "runtime/actor_tools.hpp"

namespace heddle::actors {

struct TaskChildStart {
  std::string parent_address;
  std::int64_t child = 0;           // number of this child at its parent
  std::string secret;               // token of the application
  MapOutputLocation map_outputs{};  // where maps of this child write
  Duration connect_timeout = std::chrono::seconds{30};
  Duration progress_interval = std::chrono::seconds{3};
};

/// All ports must outlive the task child. It calls `on_end` with the reason when it leaves; apps/roles then ends the
/// process.
struct TaskChildPorts {
  ports::TaskRunner* runner = nullptr;  // one slot is enough
  ports::OutputCommit* commit = nullptr;
  ports::Background* background = nullptr;
  ports::CopyNotices* notices = nullptr;  // of the rules of `runner`
  std::function<void(const std::string& reason)> on_end;
};

/// The actor ends if the parent cannot be reached, is lost, or commands it.
[[nodiscard]] TaskChildActor spawn_task_child(caf::actor_system& system, const TaskChildStart& start,
                                              const runtime::ActorTools& tools, const TaskChildPorts& ports);

}  // namespace heddle::actors
