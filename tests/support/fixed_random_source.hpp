// Replaces the random source of the system, getrandom(), in the program that includes this header.
#pragma once

#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "model/assert.hpp"

namespace heddle::tests {

/// While it lives, each call of getrandom() takes the next of `values`.
class FixedRandomSource {
public:
  explicit FixedRandomSource(std::vector<std::uint64_t> values) {
    values_ = std::move(values);
    next_ = 0;
    is_fixed_ = true;
  }
  ~FixedRandomSource() { is_fixed_ = false; }
  FixedRandomSource(const FixedRandomSource&) = delete;
  FixedRandomSource& operator=(const FixedRandomSource&) = delete;

  static ssize_t read(void* to, std::size_t size, unsigned flags) {
    if (!is_fixed_) return ::syscall(SYS_getrandom, to, size, flags);
    HEDDLE_ASSERT(size == sizeof values_[0] && next_ < values_.size(), "no value for this call");
    std::memcpy(to, &values_[next_++], size);
    return static_cast<ssize_t>(size);
  }

private:
  static inline std::vector<std::uint64_t> values_;
  static inline std::size_t next_ = 0;
  static inline bool is_fixed_ = false;
};

}  // namespace heddle::tests

extern "C" inline __attribute__((used)) ssize_t getrandom(void* to, std::size_t size, unsigned flags) {
  return heddle::tests::FixedRandomSource::read(to, size, flags);
}
