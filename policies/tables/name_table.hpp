// Two open-addressing hash tables for deciders: names to dense numbers in order of first insertion, and 64-bit keys to
// slots. They have no iteration, so no decision depends on hash order. Cost: constant per look-up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/large_table.hpp"

namespace heddle::policies {

/// 64-bit keys (not negative) to slots (not negative). Linear probing; deletion shifts entries back, so there are no
/// tombstones.
class SlotTable {
public:
  static constexpr std::int32_t absent = -1;

  [[nodiscard]] std::int32_t find(std::int64_t key) const;
  void insert(std::int64_t key, std::int32_t slot);
  void erase(std::int64_t key);
  [[nodiscard]] std::size_t size() const { return size_; }

private:
  struct Cell {
    std::int64_t key = -1;
    std::int32_t slot = absent;
  };
  [[nodiscard]] std::size_t home(std::int64_t key) const;
  void grow();

  std::vector<Cell> cells_;
  std::size_t size_ = 0;
};

/// Names to 0, 1, 2 … in order of first insertion.
class NameTable {
public:
  static constexpr std::int32_t absent = -1;

  std::int32_t intern(std::string_view name) { return intern(name, hash_of(name)); }
  /// With a known hash.
  std::int32_t intern(std::string_view name, std::uint64_t hash);
  [[nodiscard]] static std::uint64_t hash_of(std::string_view name);
  /// Prefetches the cell, before the look-ups of several names.
  void fetch_ahead_cell(std::uint64_t hash) const {
    if (!cells_.empty()) fetch_ahead(&cells_[hash & (cells_.size() - 1)]);
  }
  [[nodiscard]] std::int32_t find(std::string_view name) const;
  [[nodiscard]] const std::string& name(std::int32_t id) const { return names_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }

private:
  /// Holds short names inline, so that a look-up costs one cache miss.
  struct alignas(32) Cell {
    static constexpr std::size_t near_max = 23;
    std::uint32_t hash = 0;  // upper half of the hash
    std::int32_t id = absent;
    std::uint8_t near_size = 0;  // 0: the name is empty or too long for `near`
    std::array<char, near_max> near{};
  };
  static_assert(sizeof(Cell) == 32);
  [[nodiscard]] bool is_of(const Cell& cell, std::string_view name, std::uint64_t hash) const;
  [[nodiscard]] std::size_t cell_of(std::string_view name, std::uint64_t hash) const;
  void put(std::size_t cell, std::string_view name, std::uint64_t hash, std::int32_t id);
  void grow();

  LargeTable<Cell> cells_;
  LargeTable<std::string> names_;
};

}  // namespace heddle::policies
