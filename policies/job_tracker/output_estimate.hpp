// Estimates the output bytes of all maps of a classic job from those that have ended. Pure. After Hadoop 1.2's
// ResourceEstimator.
#pragma once

#include <cmath>
#include <cstdint>

#include "model/java_number.hpp"

namespace heddle::policies {

class OutputEstimate {
public:
  /// Gives no estimate before this many maps have reported their output.
  /// `input`: bytes of all maps.
  void begin_after(std::int32_t maps, std::int64_t input) {
    after_ = maps;
    all_input_ = input;
  }
  void add(std::int64_t input, std::int64_t output) {
    ++maps_;
    input_ += input;
    output_ += output;
  }
  [[nodiscard]] std::int64_t of_all() const {
    if (maps_ < after_) return 0;
    const double estimate =
        (static_cast<double>(all_input_) * static_cast<double>(output_) * 2.0) / static_cast<double>(input_);
    return java::to_long(std::floor(estimate + 0.5));
  }

private:
  std::int32_t after_ = 0;
  std::int64_t all_input_ = 0;
  std::int32_t maps_ = 0;
  std::int64_t input_ = 0;
  std::int64_t output_ = 0;
};

}  // namespace heddle::policies
