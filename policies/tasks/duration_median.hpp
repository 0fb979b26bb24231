// Upper median of a growing list of durations: the value at index floor(n / 2) of the n sorted values. Cost:
// logarithmic per value; the median is constant. Source: Spark 3.5.3 PercentileHeap (spec TSM-15).
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace heddle::policies {

class DurationMedian {
public:
  void add(std::int64_t value) {
    if (upper_.empty() || value >= upper_.top()) upper_.push(value);
    else lower_.push(value);
    const std::size_t below = size() / 2;  // size of lower_
    if (lower_.size() > below) {
      upper_.push(lower_.top());
      lower_.pop();
    } else if (lower_.size() < below) {
      lower_.push(upper_.top());
      upper_.pop();
    }
  }
  [[nodiscard]] std::size_t size() const { return lower_.size() + upper_.size(); }
  /// Precondition: size() > 0.
  [[nodiscard]] std::int64_t median() const { return upper_.top(); }

private:
  std::priority_queue<std::int64_t> lower_;
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> upper_;
};

}  // namespace heddle::policies
