// Open addressing with a load factor of at most 1/2.
#include "policies/tables/name_table.hpp"

#include <algorithm>
#include <utility>

#include "model/assert.hpp"

namespace heddle::policies {
namespace {

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

std::size_t SlotTable::home(std::int64_t key) const {
  return mixed(static_cast<std::uint64_t>(key)) & (cells_.size() - 1);
}

std::int32_t SlotTable::find(std::int64_t key) const {
  if (cells_.empty()) return absent;
  for (std::size_t i = home(key);; i = (i + 1) & (cells_.size() - 1)) {
    if (cells_[i].slot == absent) return absent;
    if (cells_[i].key == key) return cells_[i].slot;
  }
}

void SlotTable::insert(std::int64_t key, std::int32_t slot) {
  HEDDLE_ASSERT(slot >= 0, "negative slot");
  if ((size_ + 1) * 2 > cells_.size()) grow();
  std::size_t i = home(key);
  while (cells_[i].slot != absent && cells_[i].key != key) i = (i + 1) & (cells_.size() - 1);
  if (cells_[i].slot == absent) ++size_;
  cells_[i] = Cell{key, slot};
}

void SlotTable::erase(std::int64_t key) {
  if (cells_.empty()) return;
  const std::size_t mask = cells_.size() - 1;
  std::size_t hole = home(key);
  while (cells_[hole].slot != absent && cells_[hole].key != key) hole = (hole + 1) & mask;
  if (cells_[hole].slot == absent) return;
  for (std::size_t next = (hole + 1) & mask; cells_[next].slot != absent; next = (next + 1) & mask) {
    const std::size_t wanted = home(cells_[next].key);
    // An entry may move to the hole only if its home cell is not between the hole and its cell.
    if (((next - wanted) & mask) < ((next - hole) & mask)) continue;
    cells_[hole] = cells_[next];
    hole = next;
  }
  cells_[hole] = Cell{};
  --size_;
}

void SlotTable::grow() {
  std::vector<Cell> old = std::exchange(cells_, std::vector<Cell>(cells_.empty() ? 64 : cells_.size() * 2));
  size_ = 0;
  for (const Cell& cell : old)
    if (cell.slot != absent) insert(cell.key, cell.slot);
}

std::uint64_t NameTable::hash_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char byte : name) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  return mixed(hash);
}

bool NameTable::is_of(const Cell& cell, std::string_view name, std::uint64_t hash) const {
  if (cell.hash != static_cast<std::uint32_t>(hash >> 32)) return false;
  if (cell.near_size == 0) return names_[static_cast<std::size_t>(cell.id)] == name;
  return std::string_view{cell.near.data(), cell.near_size} == name;
}

std::size_t NameTable::cell_of(std::string_view name, std::uint64_t hash) const {
  std::size_t i = hash & (cells_.size() - 1);
  while (cells_[i].id != absent && !is_of(cells_[i], name, hash)) i = (i + 1) & (cells_.size() - 1);
  return i;
}

void NameTable::put(std::size_t cell, std::string_view name, std::uint64_t hash, std::int32_t id) {
  Cell& put = cells_[cell];
  put.hash = static_cast<std::uint32_t>(hash >> 32);
  put.id = id;
  if (name.size() > Cell::near_max) return;
  put.near_size = static_cast<std::uint8_t>(name.size());
  std::copy(name.begin(), name.end(), put.near.begin());
}

std::int32_t NameTable::find(std::string_view name) const {
  return cells_.empty() ? absent : cells_[cell_of(name, hash_of(name))].id;
}

std::int32_t NameTable::intern(std::string_view name, std::uint64_t hash) {
  if ((names_.size() + 1) * 4 > cells_.size() * 3) grow();
  const std::size_t cell = cell_of(name, hash);
  if (cells_[cell].id == absent) {
    put(cell, name, hash, static_cast<std::int32_t>(names_.size()));
    names_.emplace_back(name);
  }
  return cells_[cell].id;
}

void NameTable::grow() {
  cells_.assign(cells_.empty() ? 64 : cells_.size() * 2, Cell{});
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::uint64_t hash = hash_of(names_[i]);
    put(cell_of(names_[i], hash), names_[i], hash, static_cast<std::int32_t>(i));
  }
}

}  // namespace heddle::policies
