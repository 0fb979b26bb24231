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

#include "config/files/role_environment.hpp"
#include "work/commands/leash.hpp"
#include "work/commands/process_tree.hpp"
#include "work/commands/spawn.hpp"
#include "work/files/file_handle.hpp"

namespace heddle::apps {
namespace {

constexpr const char* folder_variable = "HEDDLE_WATCHED_FOLDER";
constexpr const char* mark_variable = "HEDDLE_WATCHED_MARK";
constexpr const char* patience_variable = "HEDDLE_WATCHED_PATIENCE_MS";
std::atomic<bool> is_allowed{false};

void wait_for_end_of(int leash) {
  char dropped = 0;
  while (true) {
    const ssize_t got = ::read(leash, &dropped, 1);
    if (got == 0 || (got < 0 && errno != EINTR)) return;
  }
}

}  // namespace

void allow_leftover_watches() { is_allowed = true; }

std::unique_ptr<LeftoverWatch> LeftoverWatch::start(const std::string& folder, std::chrono::milliseconds patience) {
  if (!is_allowed) return nullptr;
  auto leash = work::make_leash();
  if (!leash) return nullptr;
  const work::FileHandle read_end{leash->read, "a leash"};
  work::FileHandle write_end{leash->write, "a leash"};
  // Streams of ours would seem to go on for whoever reads them.
  const work::FileHandle nowhere{::open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null"};
  if (nowhere.descriptor() < 0) return nullptr;
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::vector<std::string> arguments{program.empty() ? "/proc/self/exe" : program.string(), "heddle-role",
                                           "watch"};
  const work::EnvironmentBlock environment{{{"HEDDLE_LEASH_FD", std::to_string(work::inherited_descriptor)},
                                            {folder_variable, folder},
                                            {mark_variable, work::mark_of_this_process()},
                                            {patience_variable, std::to_string(patience.count())}}};
  work::SpawnRequest request;
  request.arguments = &arguments;
  request.environment = &environment;
  request.no_input = true;
  request.standard_output = nowhere.descriptor();
  request.standard_error = nowhere.descriptor();
  request.inherited = read_end.descriptor();
  request.closes_others = true;
  request.working_directory = "/";
  const auto started = work::spawn_process(request);
  if (!started) return nullptr;
  return std::unique_ptr<LeftoverWatch>{new LeftoverWatch{*started, std::move(write_end)}};
}

LeftoverWatch::~LeftoverWatch() { work::kill_child(pid_); }

int play_leftover_watch() {
  const auto folder = config::role_variable(folder_variable);
  const auto mark = config::role_variable(mark_variable);
  const auto leash = config::role_number("HEDDLE_LEASH_FD", -1);
  if (folder.empty() || mark.empty() || leash < 0) return 70;
  wait_for_end_of(static_cast<int>(leash));
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::milliseconds{config::role_number(patience_variable, 0)};
  while (std::chrono::steady_clock::now() < until && !work::find_marked(mark).empty()) ::poll(nullptr, 0, 20);
  work::kill_marked(mark);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return 0;
}

}  // namespace heddle::apps
