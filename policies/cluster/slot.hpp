// Dense numbers of nodes, applications and containers in their tables; a freed one is used again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/large_table.hpp"

namespace heddle::policies {

using Slot = std::int32_t;
inline constexpr Slot no_slot = -1;

/// A free slot of the table, or a new one, with a blank record.
template <class T>
[[nodiscard]] Slot take_slot(LargeTable<T>& all, std::vector<Slot>& free_slots) {
  if (free_slots.empty()) {
    all.emplace_back();
    return static_cast<Slot>(all.size() - 1);
  }
  const Slot slot = free_slots.back();
  free_slots.pop_back();
  all[static_cast<std::size_t>(slot)] = T{};
  return slot;
}

/// Takes out the first slot of this value, if there is one; the others keep their order.
inline void erase_value(std::vector<Slot>& list, Slot value) {
  const auto at = std::find(list.begin(), list.end(), value);
  if (at != list.end()) list.erase(at);
}

}  // namespace heddle::policies
