// Free rows are reused last in, first out, while their records are still in the cache.
#include "policies/cluster/container_table.hpp"

namespace heddle::policies {

/// As allocate_row; also prefetches the row of the next container.
RowIndex ContainerTable::take() {
  static constexpr LedgerContainer blank;
  if (free_.empty()) {
    containers_.push_back(blank);
    return static_cast<RowIndex>(containers_.size() - 1);
  }
  const RowIndex row = free_.back();
  free_.pop_back();
  fetch_ahead_next();
  at(row) = blank;
  return row;
}

RowIndex ContainerTable::create() {
  const RowIndex row = take();
  slots_.insert(next_, row);
  at(row).id = ContainerId{(epoch_ << 40) | next_++};
  return row;
}

void ContainerTable::erase(RowIndex row) {
  slots_.erase(number_of(at(row).id));
  free_.push_back(row);
}

}  // namespace heddle::policies
