#include "apps/roles/role_tools.hpp"

#include <fmt/format.h>

#include "apps/roles/session_files.hpp"
#include "runtime/event_log/event_log_writer.hpp"
#include "runtime/world/real_clock.hpp"
#include "work/commands/parent_watch.hpp"

namespace heddle::apps {

void exit_with_parent(const LaunchSpec& spec, std::function<void()> clear_up) {
  if (spec.parent_watch >= 0) work::end_with_parent(spec.parent_watch, std::move(clear_up));
}

std::unique_ptr<ports::EventSink> role_events(const LaunchSpec& spec, const config::Settings& settings,
                                              const std::string& name) {
  if (spec.log_directory.empty() || !settings.event_log().enabled) return std::make_unique<runtime::NoEvents>();
  const auto path = spec.log_directory + "/" + name + ".jsonl";
  auto descriptor = runtime::EventLogWriter::open_file(path);
  if (!descriptor) {
    fmt::print(stderr, "heddle: {}\n", descriptor.error().text);
    return std::make_unique<runtime::NoEvents>();
  }
  auto events = make_event_log(*descriptor, settings, path);
  write_settings(*events, runtime::RealClock{}.now(), settings);
  return events;
}

std::string attempt_log_name(const std::string& name, std::int32_t attempt) {
  return attempt <= 1 ? name : name + ".attempt-" + std::to_string(attempt);
}

std::string driver_log_name(std::int32_t attempt) { return attempt_log_name("events", attempt); }

}  // namespace heddle::apps
