// Counter with one writer thread and any number of readers; an increment costs as much as that of a plain integer.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::work {

class SingleWriterCounter {
public:
  /// Only on the writer thread.
  void add(std::int64_t more) {
    value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  [[nodiscard]] std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::int64_t> value_{0};
};

}  // namespace heddle::work
