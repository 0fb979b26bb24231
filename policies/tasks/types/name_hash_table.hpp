// The iteration order of Scala 2.12's mutable.HashMap with string keys, without the strings. In Spark this order
// decides which pending lists are cleaned first and how rack lists are concatenated, so heddle reproduces it. Order:
// buckets from the last to the first; in a bucket the newest entry first, reversed at every growth of the table. Cost:
// adding and taking the first entry are constant on average. Source: scala.collection.mutable.HashTable 2.12 (index,
// improve, addEntry0, resize).
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::policies {

/// Entries are small numbers (positions) of the caller, each with the hash of its name (java::string_hash).
class NameHashTable {
public:
  [[nodiscard]] bool contains(std::int32_t entry) const {
    return static_cast<std::size_t>(entry) < present_.size() && present_[static_cast<std::size_t>(entry)] != 0;
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// Adds an entry. Precondition: it is not in the table.
  void add(std::int32_t entry, std::uint32_t hash);
  /// The first entry in iteration order. Precondition: not empty.
  [[nodiscard]] std::int32_t first();
  void remove_first();
  /// Calls `visit(entry)` in iteration order until it returns true. Returns true if a call did.
  template <class Visit>
  bool any(Visit visit) const {
    // Buckets after the last used one are empty.
    for (auto bucket = heads_.empty() ? 0 : last_used_ + 1; bucket-- > 0;)
      for (auto entry = heads_[bucket]; entry >= 0; entry = next_[static_cast<std::size_t>(entry)])
        if (visit(entry)) return true;
    return false;
  }

private:
  [[nodiscard]] std::size_t bucket_of(std::uint32_t hash) const;
  void link(std::int32_t entry);
  void grow();

  std::vector<std::int32_t> heads_;  // first entry by bucket, -1: none; the size is a power of two and never shrinks
  std::vector<std::int32_t> next_;   // by entry
  std::vector<std::uint32_t> hash_;
  std::vector<std::uint8_t> present_;
  std::size_t size_ = 0;
  std::size_t last_used_ = 0;  // all buckets after it are empty
};

}  // namespace heddle::policies
