// Starved applications in the order of preemption, least starvation first. Order: a binary heap whose comparison
// answers "smaller" if a starvation fits in the other, otherwise "larger". Equal and incomparable starvations have the
// order that Hadoop's heap operations produce. Starvations may change while they are in the heap; positions do not. An
// application that is removed meanwhile is still returned, with its last starvation. Cost: O(log n) per application
// added or removed, O(n) to check for one.
#pragma once

#include <algorithm>
#include <vector>

#include "policies/cluster/resource_ledger.hpp"

namespace heddle::policies {

class StarvedQueue {
public:
  struct Starvation {
    MemoryAndCores fair_share;
    MemoryAndCores minimum_share;

    [[nodiscard]] MemoryAndCores total() const { return fair_share + minimum_share; }
  };
  struct Entry {
    RowIndex row = no_row;  // no_row if the application was removed
    ApplicationId application;
    Starvation last;  // of a removed application
  };

  [[nodiscard]] bool empty() const { return heap_.empty(); }

  /// `starvation_of(row)` is called for applications that exist.
  template <class StarvationOf>
  void push(RowIndex row, ApplicationId application, const StarvationOf& starvation_of) {
    const auto waits = [&](const Entry& each) { return each.row == row; };
    if (std::any_of(heap_.begin(), heap_.end(), waits)) return;
    heap_.push_back({row, application, {}});
    const Entry added = heap_.back();
    std::size_t at = heap_.size() - 1;
    while (at > 0) {
      const std::size_t parent = (at - 1) / 2;
      if (!comes_before(added, heap_[parent], starvation_of)) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = added;
  }

  template <class StarvationOf>
  Entry pop(const StarvationOf& starvation_of) {
    const Entry first = heap_.front();
    const Entry last = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    std::size_t at = 0;
    while (at < size / 2) {
      std::size_t child = 2 * at + 1;
      if (child + 1 < size && !comes_before(heap_[child], heap_[child + 1], starvation_of)) ++child;
      if (comes_before(last, heap_[child], starvation_of)) break;
      heap_[at] = heap_[child];
      at = child;
    }
    if (size > 0) heap_[at] = last;
    return first;
  }

  void forget(RowIndex row, const Starvation& last) {
    for (Entry& each : heap_)
      if (each.row == row) each = {no_row, each.application, last};
  }

private:
  template <class StarvationOf>
  static bool comes_before(const Entry& a, const Entry& b, const StarvationOf& starvation_of) {
    const auto total = [&](const Entry& each) {
      return each.row == no_row ? each.last.total() : starvation_of(each.row).total();
    };
    return fits_in(total(a), total(b));
  }

  std::vector<Entry> heap_;
};

}  // namespace heddle::policies
