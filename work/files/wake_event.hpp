// A descriptor that one thread makes readable and another polls, beside its sockets and pipes.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "model/result.hpp"

namespace heddle::work {

class WakeEvent {
public:
  WakeEvent() = default;
  ~WakeEvent() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  WakeEvent(const WakeEvent&) = delete;
  WakeEvent& operator=(const WakeEvent&) = delete;

  /// Makes the descriptor if there is none yet. `purpose` begins the text of an error: "cannot watch a command".
  [[nodiscard]] Result<Done> open(const char* purpose) {
    if (descriptor_ < 0) descriptor_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor_ >= 0) return Done{};
    return Error{Errc::io, std::string{purpose} + ": " + std::strerror(errno)};
  }
  /// -1 before open.
  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// Readable from now on, until clear. From any thread; without effect before open.
  void set() const {
    const std::uint64_t one = 1;
    if (descriptor_ >= 0) [[maybe_unused]]
      const auto put = ::write(descriptor_, &one, sizeof one);
  }
  void clear() const {
    std::uint64_t count = 0;
    if (descriptor_ >= 0) [[maybe_unused]]
      const auto got = ::read(descriptor_, &count, sizeof count);
  }

private:
  int descriptor_ = -1;
};

}  // namespace heddle::work
