#include "apps/roles/role_tools.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "apps/roles/session_files.hpp"
#include "runtime/event_log/event_log_writer.hpp"
#include "runtime/world/real_clock.hpp"
#include "work/commands/parent_watch.hpp"

namespace heddle::apps {

void exit_with_parent(const LaunchSpec& spec, std::function<void()> clear_up) {
  if (spec.parent_watch >= 0) work::end_with_parent(spec.parent_watch, std::move(clear_up));
}

bool is_in_container_of_hadoop(const LaunchSpec& spec) {
  return spec.container.container != ContainerId{} && spec.container.shuffle_address.empty();
}

std::unique_ptr<ports::EventSink> role_events(const LaunchSpec& spec, const config::Settings& settings,
                                              const std::string& name) {
  if (spec.log_directory.empty() || !settings.event_log().enabled) return std::make_unique<runtime::NoEvents>();
  const auto path = spec.log_directory + "/" + name + ".jsonl";
  // The NodeManager of Hadoop collects the log as a member of the file's group.
  auto descriptor = runtime::EventLogWriter::open_file(path, is_in_container_of_hadoop(spec) ? 0640 : 0600);
  if (!descriptor) {
    fmt::print(stderr, "heddle: {}\n", descriptor.error().text);
    return std::make_unique<runtime::NoEvents>();
  }
  auto events = make_event_log(*descriptor, settings, path);
  write_settings(*events, runtime::RealClock{}.now(), settings);
  return events;
}

int fail_role(const std::string& text) {
  fmt::print(stderr, "heddle: {}\n", text);
  return 70;
}

bool announce(const std::string& address, const std::string& ready_pipe) {
  const int pipe = ::open(ready_pipe.c_str(), O_WRONLY | O_CLOEXEC);
  if (pipe < 0) return false;
  const auto line = address + "\n";
  const bool is_written = ::write(pipe, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  ::close(pipe);
  return is_written;
}

void end_with_role(RoleRuntime& world, const caf::actor& role, const std::function<void()>& clear_up) {
  ExitLatch end;
  world.end_with(role, end, 0);
  const int code = end.wait();
  clear_up();
  ::_exit(code);
}

std::string own_program() {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return program.empty() ? "/proc/self/exe" : program.string();
}

std::string attempt_log_name(const std::string& name, std::int32_t attempt) {
  return attempt <= 1 ? name : name + ".attempt-" + std::to_string(attempt);
}

std::string driver_log_name(std::int32_t attempt) { return attempt_log_name("events", attempt); }

}  // namespace heddle::apps
