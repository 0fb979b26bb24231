// Functions that all role processes share.
#pragma once

#include <caf/fwd.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "apps/roles/role_runtime.hpp"
#include "config/table/settings.hpp"
#include "model/launch_spec.hpp"
#include "ports/event_sink.hpp"

namespace heddle::apps {

/// Time for the containers of a node that ends, or the children of a TaskTracker, to close their logs. Leaves time to
/// kill the rest: a parent watch gives the node 1.5 s.
constexpr std::int64_t container_leave_ms = 1000;

/// Ends this process when its parent closes the parent watch, if there is one.
void exit_with_parent(const LaunchSpec& spec, std::function<void()> clear_up);

/// A NodeManager of Hadoop, which serves no map outputs, has started the process.
[[nodiscard]] bool is_in_container_of_hadoop(const LaunchSpec& spec);

/// Opens the event sink `name`.jsonl in the role's log directory; a sink without output if there is no directory or the
/// log is off.
[[nodiscard]] std::unique_ptr<ports::EventSink> role_events(const LaunchSpec& spec, const config::Settings& settings,
                                                            const std::string& name);

/// Prints why a role cannot start; returns the exit code.
[[nodiscard]] int fail_role(const std::string& text);

/// Writes the address of this role as one line into the pipe that its starter reads.
[[nodiscard]] bool announce(const std::string& address, const std::string& ready_pipe);

/// Waits for the end of the role, cleans up, and ends this process.
[[noreturn]] void end_with_role(RoleRuntime& world, const caf::actor& role, const std::function<void()>& clear_up);

/// Path of the program of this process, for further role processes.
[[nodiscard]] std::string own_program();

/// File name of the event log of one application attempt, so that attempts do not share a file.
[[nodiscard]] std::string attempt_log_name(const std::string& name, std::int32_t attempt);
/// File name of the event log of a Driver in the master container, by application attempt.
[[nodiscard]] std::string driver_log_name(std::int32_t attempt);

}  // namespace heddle::apps
