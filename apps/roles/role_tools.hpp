// What the processes of all roles do alike.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "config/table/settings.hpp"
#include "model/launch_spec.hpp"
#include "ports/event_sink.hpp"

namespace heddle::apps {

/// Ends this process when whoever started it lets go of its parent watch, if it has one.
void exit_with_parent(const LaunchSpec& spec, std::function<void()> clear_up);

/// The sink of `name`.jsonl in the role's log directory; of nothing where there is none, or the log is off.
[[nodiscard]] std::unique_ptr<ports::EventSink> role_events(const LaunchSpec& spec, const config::Settings& settings,
                                                            const std::string& name);

/// Name of the event log of one attempt: none writes into the file of another.
[[nodiscard]] std::string attempt_log_name(const std::string& name, std::int32_t attempt);
/// Name of the event log of a Driver in the master container, by attempt of the application.
[[nodiscard]] std::string driver_log_name(std::int32_t attempt);

}  // namespace heddle::apps
