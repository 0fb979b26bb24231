// A count that one thread raises and others may look at; raising it costs what a plain number costs.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::work {

class LiveCount {
public:
  /// By the one thread that owns it.
  void add(std::int64_t more) {
    value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  [[nodiscard]] std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::int64_t> value_{0};
};

}  // namespace heddle::work
