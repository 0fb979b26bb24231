// A list of slots from which any entry is removed without a read or write of another one: a removal leaves a gap, which
// the next insertion fills. Iteration skips gaps; its order depends on the history alone. Cost: constant per insertion
// and removal; memory and iteration follow the largest number of entries since the list was empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::policies {

class GapList {
public:
  /// Returns the position, for `erase`. Precondition: `slot` is not negative.
  std::int32_t insert(std::int32_t slot) {
    ++size_;
    if (last_gap_ < 0) {
      entries_.push_back(slot);
      return static_cast<std::int32_t>(entries_.size()) - 1;
    }
    const std::int32_t position = last_gap_;
    std::int32_t& entry = entries_[static_cast<std::size_t>(position)];
    last_gap_ = -entry - 2;
    entry = slot;
    return position;
  }
  /// Precondition: `position` was returned by `insert` and is not erased.
  void erase(std::int32_t position) {
    --size_;
    if (size_ == 0) {
      entries_.clear();
      last_gap_ = -1;
      return;
    }
    entries_[static_cast<std::size_t>(position)] = -last_gap_ - 2;
    last_gap_ = position;
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::vector<std::int32_t> slots() const {
    std::vector<std::int32_t> slots;
    slots.reserve(size_);
    for (const std::int32_t entry : entries_)
      if (entry >= 0) slots.push_back(entry);
    return slots;
  }
  /// The address of an entry, for a prefetch.
  [[nodiscard]] const std::int32_t* address(std::int32_t position) const { return entries_.data() + position; }

private:
  std::vector<std::int32_t> entries_;  // a gap is -2 - the gap before it, which is -1 for none
  std::int32_t last_gap_ = -1;
  std::size_t size_ = 0;
};

}  // namespace heddle::policies
