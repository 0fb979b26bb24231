#include "apps/roles/leftover_watch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <utility>
#include <vector>

#include "work/commands/parent_watch.hpp"
#include "work/commands/process_tree.hpp"
#include "work/commands/spawn.hpp"
#include "work/commands/spec_descriptor.hpp"
#include "work/files/file_handle.hpp"

namespace heddle::apps {
namespace {

std::atomic<bool> is_allowed{false};

void wait_for_end_of(int parent_watch) {
  char dropped = 0;
  while (true) {
    const ssize_t got = ::read(parent_watch, &dropped, 1);
    if (got == 0 || (got < 0 && errno != EINTR)) return;
  }
}

}  // namespace

void allow_leftover_watches() { is_allowed = true; }

std::unique_ptr<LeftoverWatch> LeftoverWatch::start(const std::string& folder, std::chrono::milliseconds patience) {
  if (!is_allowed) return nullptr;
  auto parent_watch = work::make_parent_watch();
  if (!parent_watch) return nullptr;
  const work::FileHandle read_end{parent_watch->read, "a parent watch"};
  work::FileHandle write_end{parent_watch->write, "a parent watch"};
  // With inherited streams, readers of this process's output would not see its end.
  const work::FileHandle nowhere{::open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null"};
  if (nowhere.descriptor() < 0) return nullptr;
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  LaunchSpec spec;
  spec.parent_watch = work::inherited_descriptor;
  spec.role = LeftoverWatchLaunch{folder, work::mark_of_this_process(), patience.count()};
  const auto handed = work::make_spec_descriptor(spec);
  if (!handed) return nullptr;
  const auto arguments = work::role_arguments(program.empty() ? "/proc/self/exe" : program.string(), spec);
  const work::EnvironmentBlock environment{{}};
  work::SpawnRequest request;
  request.arguments = &arguments;
  request.environment = &environment;
  request.no_input = true;
  request.standard_output = nowhere.descriptor();
  request.standard_error = nowhere.descriptor();
  request.inherited = read_end.descriptor();
  request.spec = handed->descriptor();
  request.closes_others = true;
  request.working_directory = "/";
  const auto started = work::spawn_process(request);
  if (!started) return nullptr;
  return std::unique_ptr<LeftoverWatch>{new LeftoverWatch{*started, std::move(write_end)}};
}

LeftoverWatch::~LeftoverWatch() { work::kill_child(pid_); }

int play_leftover_watch(const LaunchSpec& spec, const LeftoverWatchLaunch& launch) {
  const auto& [folder, mark, patience_ms] = launch;
  if (folder.empty() || mark.empty() || spec.parent_watch < 0) return 70;
  wait_for_end_of(spec.parent_watch);
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds{patience_ms};
  while (std::chrono::steady_clock::now() < until && !work::find_marked(mark).empty()) ::poll(nullptr, 0, 20);
  work::kill_marked(mark);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return 0;
}

}  // namespace heddle::apps
