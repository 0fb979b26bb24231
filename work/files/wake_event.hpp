// A poll descriptor that one thread makes readable to wake another thread from poll().
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

  /// Creates the descriptor at the first call. `purpose`: first words of the error text, such as "cannot watch a
  /// command".
  [[nodiscard]] Result<Done> open(const char* purpose) {
    if (descriptor_ < 0) descriptor_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor_ >= 0) return Done{};
    return Error{Errc::io, std::string{purpose} + ": " + std::strerror(errno)};
  }
  /// -1 before open.
  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// Makes the descriptor readable until clear(). Can be called from any thread; no effect before open().
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
