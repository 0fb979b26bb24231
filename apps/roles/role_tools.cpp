#include "apps/roles/role_tools.hpp"

#include <fmt/format.h>

#include "apps/roles/session_files.hpp"
#include "config/files/role_environment.hpp"
#include "runtime/event_log/event_log_writer.hpp"
#include "runtime/world/real_clock.hpp"
#include "work/commands/leash.hpp"

namespace heddle::apps {

void obey_leash(std::function<void()> clear_up) {
  const auto descriptor = config::role_number("HEDDLE_LEASH_FD", -1);
  if (descriptor >= 0) work::end_with_leash(static_cast<int>(descriptor), std::move(clear_up));
}

std::unique_ptr<ports::EventSink> role_events(const config::Settings& settings, const std::string& name) {
  const auto folder = config::role_variable("HEDDLE_LOG_DIRECTORY");
  if (folder.empty() || !settings.event_log().enabled) return std::make_unique<runtime::NoEvents>();
  const auto path = folder + "/" + name + ".jsonl";
  auto descriptor = runtime::EventLogWriter::open_file(path);
  if (!descriptor) {
    fmt::print(stderr, "heddle: {}\n", descriptor.error().text);
    return std::make_unique<runtime::NoEvents>();
  }
  auto events = make_event_log(*descriptor, static_cast<std::size_t>(settings.event_log().queue_bytes), path);
  write_settings(*events, runtime::RealClock{}.now(), settings);
  return events;
}

std::string attempt_log_name(const std::string& name, std::int32_t attempt) {
  return attempt <= 1 ? name : name + ".attempt-" + std::to_string(attempt);
}

std::string driver_log_name(std::int32_t attempt) { return attempt_log_name("events", attempt); }

}  // namespace heddle::apps
