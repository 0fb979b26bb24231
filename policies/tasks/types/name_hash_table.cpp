#include "policies/tasks/types/name_hash_table.hpp"

#include <bit>

namespace heddle::policies {
namespace {

constexpr std::size_t first_size = 16;
constexpr std::uint32_t seed = 4;  // bits of first_size - 1; Scala keeps it when the table grows

std::uint32_t byte_swapped(std::uint32_t x) {
  return (x >> 24) | ((x >> 8) & 0xff00U) | ((x << 8) & 0xff0000U) | (x << 24);
}

}  // namespace

std::size_t NameHashTable::bucket_of(std::uint32_t hash) const {
  const std::uint32_t mixed = byte_swapped(hash * 0x9e3775cdU) * 0x9e3775cdU;
  const std::uint32_t improved = std::rotr(mixed, static_cast<int>(seed));
  const auto ones = static_cast<std::uint32_t>(heads_.size() - 1);
  return (improved >> std::countl_zero(ones)) & ones;
}

void NameHashTable::link(std::int32_t entry) {
  const std::size_t bucket = bucket_of(hash_[static_cast<std::size_t>(entry)]);
  next_[static_cast<std::size_t>(entry)] = heads_[bucket];
  heads_[bucket] = entry;
  if (bucket > last_used_) last_used_ = bucket;
}

void NameHashTable::add(std::int32_t entry, std::uint32_t hash) {
  if (heads_.empty()) heads_.assign(first_size, -1);
  const auto position = static_cast<std::size_t>(entry);
  if (position >= next_.size()) {
    next_.resize(position + 1, -1);
    hash_.resize(position + 1, 0);
    present_.resize(position + 1, 0);
  }
  hash_[position] = hash;
  present_[position] = 1;
  link(entry);
  if (++size_ > heads_.size() * 750 / 1000) grow();
}

void NameHashTable::grow() {
  std::vector<std::int32_t> old(heads_.size() * 2, -1);
  old.swap(heads_);
  last_used_ = 0;
  for (auto bucket = old.size(); bucket-- > 0;) {
    for (auto entry = old[bucket]; entry >= 0;) {
      const auto following = next_[static_cast<std::size_t>(entry)];
      link(entry);
      entry = following;
    }
  }
}

std::int32_t NameHashTable::first() {
  while (heads_[last_used_] < 0) --last_used_;
  return heads_[last_used_];
}

void NameHashTable::remove_first() {
  const auto entry = static_cast<std::size_t>(first());
  heads_[last_used_] = next_[entry];
  present_[entry] = 0;
  --size_;
}

}  // namespace heddle::policies
