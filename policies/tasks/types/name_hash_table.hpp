// The walk order of Scala 2.12's mutable.HashMap over string keys, without the strings: what Spark takes from such a
// walk decides which pending lists are cleaned first and how rack lists are strung together, so heddle walks in the
// same order. Order: buckets from the last to the first; inside a bucket the latest entry first, turned round by every
// growth of the table. Cost: adding is constant on average; taking the first is constant on average. Source:
// scala.collection.mutable.HashTable 2.12 (index, improve, addEntry0, resize).
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::policies {

/// Entries are small numbers given by the caller (positions), each with the hash of its name (java::string_hash).
class NameHashTable {
public:
  [[nodiscard]] bool contains(std::int32_t entry) const {
    return static_cast<std::size_t>(entry) < present_.size() && present_[static_cast<std::size_t>(entry)] != 0;
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// Adds an entry that is not in the table.
  void add(std::int32_t entry, std::uint32_t hash);
  /// The first entry of the walk. Precondition: not empty.
  [[nodiscard]] std::int32_t first();
  void remove_first();
  /// Calls `visit(entry)` in the order of the walk until it returns true; true if it did.
  template <class Visit>
  bool any(Visit visit) const {
    // No bucket behind the last used one has an entry.
    for (auto bucket = heads_.empty() ? 0 : last_used_ + 1; bucket-- > 0;)
      for (auto entry = heads_[bucket]; entry >= 0; entry = next_[static_cast<std::size_t>(entry)])
        if (visit(entry)) return true;
    return false;
  }

private:
  [[nodiscard]] std::size_t bucket_of(std::uint32_t hash) const;
  void link(std::int32_t entry);
  void grow();

  std::vector<std::int32_t> heads_;  // per bucket, -1: none; always a power of two, never smaller again
  std::vector<std::int32_t> next_;   // per entry
  std::vector<std::uint32_t> hash_;
  std::vector<std::uint8_t> present_;
  std::size_t size_ = 0;
  std::size_t last_used_ = 0;  // no bucket behind it has an entry
};

}  // namespace heddle::policies
