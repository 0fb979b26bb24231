// Rows of nodes, applications and containers in their tables. Free rows are reused.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/large_table.hpp"

namespace heddle::policies {

using RowIndex = std::int32_t;
inline constexpr RowIndex no_row = -1;

/// A free row of the table, or a new one, with a default record.
template <class T>
[[nodiscard]] RowIndex allocate_row(LargeTable<T>& all, std::vector<RowIndex>& free_slots) {
  if (free_slots.empty()) {
    all.emplace_back();
    return static_cast<RowIndex>(all.size() - 1);
  }
  const RowIndex row = free_slots.back();
  free_slots.pop_back();
  all[static_cast<std::size_t>(row)] = T{};
  return row;
}

/// Removes the first element with this value. The others keep their order.
inline void erase_value(std::vector<RowIndex>& list, RowIndex value) {
  const auto at = std::find(list.begin(), list.end(), value);
  if (at != list.end()) list.erase(at);
}

}  // namespace heddle::policies
