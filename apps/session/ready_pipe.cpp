#include "apps/session/ready_pipe.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace heddle::apps {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

}  // namespace

ReadyPipe::ReadyPipe(std::string path, std::string role, int descriptor)
    : path_{std::move(path)}, role_{std::move(role)}, descriptor_{descriptor} {}

ReadyPipe::ReadyPipe(ReadyPipe&& other) noexcept
    : path_{std::move(other.path_)}, role_{std::move(other.role_)}, descriptor_{std::exchange(other.descriptor_, -1)} {}

ReadyPipe::~ReadyPipe() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<ReadyPipe> ReadyPipe::make(const std::string& path, const std::string& role) {
  if (::mkfifo(path.c_str(), 0600) != 0)
    return Error{Errc::io, fmt::format("cannot create the pipe {}: {}", path, std::strerror(errno))};
  // Opened for writing too, so that read does not return end of file before the process has written.
  const int descriptor = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return Error{Errc::io, fmt::format("cannot open the pipe {}: {}", path, std::strerror(errno))};
  return ReadyPipe{path, role, descriptor};
}

Result<std::string> ReadyPipe::read_line(milliseconds patience, const IsCancelled& is_cancelled) {
  constexpr milliseconds cancel_interval{50};  // poll interval for a cancellation
  const auto deadline = Clock::now() + patience;
  std::string line;
  while (true) {
    if (is_cancelled && is_cancelled()) return Error{Errc::cancelled, std::string{cancelled_while_opening}};
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    pollfd poll{descriptor_, POLLIN, 0};
    const int ready = ::poll(&poll, 1, static_cast<int>(std::clamp(left, milliseconds{0}, cancel_interval).count()));
    if (ready == 0 && left <= milliseconds{0})
      return Error{Errc::timed_out, fmt::format("the {} did not start in time; see its log", role_)};
    if (ready <= 0) continue;
    char bytes[4096];
    const auto count = ::read(descriptor_, bytes, sizeof bytes);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return Error{Errc::io, fmt::format("cannot read the pipe {}", path_)};
    line.append(bytes, static_cast<std::size_t>(count));
    const auto end = line.find('\n');
    if (end == 0) return Error{Errc::unreachable, fmt::format("the {} {}", role_, line.substr(1))};
    if (end != std::string::npos) return line.substr(0, end);
  }
}

/// Format: an empty line, then the text. Ignored if the address was read before.
void ReadyPipe::report_early_exit(const std::string& path, const std::string& end) {
  const int pipe = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (pipe < 0) return;
  const auto line = "\n" + end;
  [[maybe_unused]] const auto written = ::write(pipe, line.data(), line.size());
  ::close(pipe);
}

}  // namespace heddle::apps
