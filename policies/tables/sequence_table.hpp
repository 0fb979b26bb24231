// Slots of things that are numbered in the order of their creation, such as containers: numbers to slots, by pages of
// numbers. A page is used again when nothing of it is left. Cost: constant per look-up, without hashing; memory follows
// the most pages that held something at one time.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/assert.hpp"
#include "model/large_table.hpp"

namespace heddle::policies {

class SequenceTable {
public:
  static constexpr std::int32_t absent = -1;

  /// The slot of any number, or -1.
  [[nodiscard]] std::int32_t find(std::int64_t number) const {
    const std::int64_t page = (number >> page_bits) - first_page_;
    if (page < 0 || page >= static_cast<std::int64_t>(pages_.size())) return absent;
    const Page& where = pages_[static_cast<std::size_t>(page)];
    return where.slots == absent ? absent : slot_of(where, number);
  }
  /// Precondition: `number` is not in the table, and its page is not before that of a number that was ever inserted.
  void insert(std::int64_t number, std::int32_t slot) {
    const std::int64_t page = (number >> page_bits) - first_page_;
    HEDDLE_ASSERT(page >= 0 && slot >= 0, "number or slot out of range");
    if (page >= static_cast<std::int64_t>(pages_.size())) pages_.resize(static_cast<std::size_t>(page) + 1);
    Page& where = pages_[static_cast<std::size_t>(page)];
    if (where.slots == absent) where.slots = take_slots();
    slot_of(where, number) = slot;
    ++where.live;
  }
  void erase(std::int64_t number) {
    if (find(number) == absent) return;
    Page& where = pages_[static_cast<std::size_t>((number >> page_bits) - first_page_)];
    slot_of(where, number) = absent;
    if (--where.live > 0) return;
    free_.push_back(std::exchange(where.slots, absent));
    drop_first_pages();
  }

private:
  static constexpr int page_bits = 10;
  static constexpr std::int64_t page_mask = (1 << page_bits) - 1;
  using Slots = std::array<std::int32_t, page_mask + 1>;
  struct Page {
    std::int32_t slots = absent;  // position in `slots_`, or absent: nothing is left of the page
    std::int32_t live = 0;
  };

  [[nodiscard]] std::int32_t& slot_of(const Page& page, std::int64_t number) {
    return slots_[static_cast<std::size_t>(page.slots)][static_cast<std::size_t>(number & page_mask)];
  }
  [[nodiscard]] std::int32_t slot_of(const Page& page, std::int64_t number) const {
    return slots_[static_cast<std::size_t>(page.slots)][static_cast<std::size_t>(number & page_mask)];
  }
  [[nodiscard]] std::int32_t take_slots() {
    if (free_.empty()) {
      free_.push_back(static_cast<std::int32_t>(slots_.size()));
      slots_.emplace_back().fill(absent);
    }
    const std::int32_t taken = free_.back();
    free_.pop_back();
    return taken;
  }

  /// Removes the free pages at the front when they are half of all pages. The last page stays: the next number may be
  /// of it.
  void drop_first_pages() {
    while (empty_pages_ + 1 < pages_.size() && pages_[empty_pages_].slots == absent) ++empty_pages_;
    if (empty_pages_ * 2 < pages_.size()) return;
    pages_.erase(pages_.begin(), pages_.begin() + static_cast<std::ptrdiff_t>(empty_pages_));
    first_page_ += static_cast<std::int64_t>(empty_pages_);
    empty_pages_ = 0;
  }

  std::vector<Page> pages_;
  LargeTable<Slots> slots_;         // of the pages that hold something, and free ones
  std::vector<std::int32_t> free_;  // positions in `slots_`, which hold nothing
  std::int64_t first_page_ = 0;
  std::size_t empty_pages_ = 0;  // at the front
};

}  // namespace heddle::policies
