// Functions that all role processes share.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "config/table/settings.hpp"
#include "model/launch_spec.hpp"
#include "ports/event_sink.hpp"

namespace heddle::apps {

/// Ends this process when its parent closes the parent watch, if there is one.
void exit_with_parent(const LaunchSpec& spec, std::function<void()> clear_up);

/// Opens the event sink `name`.jsonl in the role's log directory; a sink without output if there is no directory or the
/// log is off.
[[nodiscard]] std::unique_ptr<ports::EventSink> role_events(const LaunchSpec& spec, const config::Settings& settings,
                                                            const std::string& name);

/// File name of the event log of one application attempt, so that attempts do not share a file.
[[nodiscard]] std::string attempt_log_name(const std::string& name, std::int32_t attempt);
/// File name of the event log of a Driver in the master container, by application attempt.
[[nodiscard]] std::string driver_log_name(std::int32_t attempt);

}  // namespace heddle::apps
