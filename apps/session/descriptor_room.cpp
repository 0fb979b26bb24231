#include "apps/session/descriptor_room.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace heddle::apps {
namespace {

// Measured in a client. Per started process: its exit, its parent watch, two logs and their pipes. Per node: a
// connection of an executor. Besides: event log, pollers, network, connections of master and ResourceManager, files of
// a commit.
constexpr std::size_t per_process = 6;
constexpr std::size_t per_node = 1;
constexpr std::size_t besides = 16;

std::size_t open_now() {
  std::error_code fault;
  std::size_t count = 0;
  for (std::filesystem::directory_iterator at{"/proc/self/fd", fault}, end; !fault && at != end; at.increment(fault))
    ++count;
  return count;
}

rlim_t limit() {
  rlimit files{};
  return ::getrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_cur : RLIM_INFINITY;
}

}  // namespace

Result<Done> check_descriptor_room(std::size_t nodes) {
  const auto needed = open_now() + per_process * (nodes + 1) + per_node * nodes + besides;
  if (needed <= limit()) return Done{};
  return Error{Errc::refused, fmt::format("a cluster of {} node{} needs about {} open files in this process, its limit "
                                          "is {}; raise it (ulimit -n), or use fewer nodes",
                                          nodes, nodes == 1 ? "" : "s", needed, limit())};
}

std::optional<std::string> DescriptorWatch::look() {
  constexpr auto patience = std::chrono::seconds{3};
  const int probe = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  if (probe >= 0 || errno != EMFILE) {
    if (probe >= 0) ::close(probe);
    none_since_.reset();
    return std::nullopt;
  }
  const auto now = std::chrono::steady_clock::now();
  if (!none_since_) none_since_ = now;
  if (now - *none_since_ < patience) return std::nullopt;
  return fmt::format("this process has used up its limit of {} open files; raise it (ulimit -n)", limit());
}

}  // namespace heddle::apps
