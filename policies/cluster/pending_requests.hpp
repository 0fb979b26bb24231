// Pending requests of one application: per priority and resource name (host, rack, "*") a count and a capability.
// Counts are absolute; only "*" shows whether requests are pending. Rules RT-1 … RT-5 of the YARN specification. Cost:
// constant per resource name, for any number of names per priority; the total of pending resources is updated with each
// change.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "model/large_table.hpp"
#include "model/resource_name.hpp"
#include "policies/cluster/memory_and_cores.hpp"
#include "policies/cluster/other_resources.hpp"
#include "policies/cluster/resource_events.hpp"

namespace heddle::policies {

struct AskEntry {
  ResourceNameId place = any_place;
  std::int32_t count = 0;
  bool relax_locality = true;
  std::uint16_t sequence = 0;  // creation number, set by the table; 0 once the count was 0
  OthersId others = no_others;
  MemoryAndCores capability;
};
static_assert(sizeof(AskEntry) == 32);

/// Bounds of a set of sizes, per dimension. May be wider than the sizes.
struct AskSizes {
  MemoryAndCores least{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int32_t>::max()};
  MemoryAndCores most;

  /// Widens the bounds. False if `more` is already inside.
  bool widen(const AskSizes& more);
};

/// The entries of one priority. Entries with count 0 and default flags are stored compactly: a short list of names, or
/// a bitmap. YARN keeps such entries, and applications may create many of them.
class AskEntries {
public:
  /// None also for a place whose entry counts nothing and is relaxed.
  [[nodiscard]] const AskEntry* find(ResourceNameId place) const {
    if (place == any_place) return everywhere();
    const std::int32_t at = position_of(place);
    return at < 0 ? nullptr : &entries_[static_cast<std::size_t>(at)];
  }
  /// Any entry there is.
  [[nodiscard]] AskEntry* find_any(ResourceNameId place);
  /// The entry of "*".
  [[nodiscard]] const AskEntry* everywhere() const { return has_everywhere_ ? &everywhere_ : nullptr; }
  /// A hint that an entry of this place will be looked for.
  void fetch_ahead_place(ResourceNameId place) const;
  /// Adds the entry or replaces the one of its place.
  void put(const AskEntry& entry);
  void erase(ResourceNameId place);
  void clear();
  /// Number of resource names with an entry.
  [[nodiscard]] std::size_t size() const { return entries_.size() + zero_counts_ + (has_everywhere_ ? 1U : 0U); }
  [[nodiscard]] std::vector<AskEntry> in_creation_order() const;
  /// Smallest and largest size that places other than "*" ask for; both may differ from the size of "*".
  [[nodiscard]] const AskSizes& sizes_of_places() const { return sizes_; }

private:
  struct Cell {
    ResourceNameId place = -1;
    std::int32_t position = -1;
  };
  static constexpr std::size_t indexed_from = 16;
  static constexpr std::size_t few_max = 16;
  [[nodiscard]] std::int32_t position_of(ResourceNameId place) const;
  [[nodiscard]] std::size_t home(ResourceNameId place) const {
    return (static_cast<std::uint32_t>(place) * 0x9e3779b1U >> 7) & (cells_.size() - 1);
  }
  [[nodiscard]] std::size_t cell_of(ResourceNameId place) const;
  void index(ResourceNameId place, std::int32_t position);
  void forget_cell(ResourceNameId place);
  void rebuild(std::size_t cells);
  void add(const AskEntry& entry);
  std::uint16_t next_sequence();
  void erase_at(std::int32_t position);
  [[nodiscard]] bool is_zero_count(ResourceNameId place) const;
  [[nodiscard]] bool may_be_compact(const AskEntry& entry) const;
  void add_zero_count(ResourceNameId place);
  void erase_zero_count(ResourceNameId place);
  void set_zero_count_bit(ResourceNameId place);

  AskEntry everywhere_;  // of "*", which every offer reads
  bool has_everywhere_ = false;
  std::array<ResourceNameId, indexed_from>
      places_{};  // of the entries while they are few, side by side: most offers find theirs here
  std::array<ResourceNameId, few_max> few_zero_counts_{};  // in no order; unused once they are too many
  std::vector<AskEntry> entries_;                          // of the other places, in no order
  std::vector<Cell> cells_;                                // empty while there are few
  std::vector<std::uint64_t> zero_count_bits_;             // a bit per place, once they are many
  std::size_t zero_counts_ = 0;
  std::uint16_t sequence_ = 0;            // of the newest entry since the table was empty; stops at its largest value
  MemoryAndCores zero_count_capability_;  // of all entries with count zero
  AskSizes sizes_;  // of the entries that counted something since the last time that there were none
};

/// All asks of one priority.
struct PriorityAsks {
  std::int32_t priority = 0;
  bool is_pending = false;  // true if the count at "*" is above 0
  AskEntries entries;
  // Delay scheduling: counters of the fair and capacity rules per priority. They remain when the entries are removed.
  std::int32_t opportunities = 0;
  std::int32_t re_reservations = 0;
  bool has_allowed_level = false;
  AskLocality allowed_level = AskLocality::node_local;
  std::int64_t level_since_ms = 0;  // for fair rules with delays by time

  [[nodiscard]] const AskEntry* find(ResourceNameId place) const {
    return place == any_place ? entries.everywhere() : entries.find(place);
  }
  [[nodiscard]] std::int32_t count(ResourceNameId place) const {
    const AskEntry* entry = find(place);
    return entry == nullptr ? 0 : entry->count;
  }
  /// An absent entry counts as relaxed.
  [[nodiscard]] bool may_relax(ResourceNameId place) const {
    const AskEntry* entry = find(place);
    return entry == nullptr || entry->relax_locality;
  }
};

class PendingRequests {
public:
  struct Update {
    std::int32_t priority = 0;
    AskEntry entry;
  };

  /// Applies the asks of one call. The last ask for a name and priority counts.
  void update(const std::vector<Update>& updates);
  /// Takes one container from the counts of a priority; `node` and `rack` are the places of the node. Appends the
  /// entries that it decreased to `used`.
  void take(PriorityAsks& asks, AskLocality locality, ResourceNameId node, ResourceNameId rack,
            std::vector<AskEntry>& used);
  /// Hints that the application's asks will be looked at, and that these will be updated.
  void fetch_ahead_priorities() const { fetch_ahead(priorities_.data(), priorities_.empty() ? 0 : 1); }
  void fetch_ahead_places(const std::vector<Update>& updates) const;
  /// Adds the entries that an allocation decreased.
  void put_back(std::int32_t priority, std::span<const AskEntry> used);

  [[nodiscard]] std::vector<PriorityAsks>& priorities() { return priorities_; }
  [[nodiscard]] const std::vector<PriorityAsks>& priorities() const { return priorities_; }
  [[nodiscard]] PriorityAsks* find(std::int32_t priority);
  [[nodiscard]] const PriorityAsks* find(std::int32_t priority) const;
  /// Sum of capability times count at "*" over pending priorities.
  [[nodiscard]] const MemoryAndCores& pending() const { return pending_; }
  [[nodiscard]] std::int32_t pending_priorities() const { return pending_priorities_; }

private:
  PriorityAsks& at(std::int32_t priority);
  void put(PriorityAsks& asks, const AskEntry& entry);
  void forget(PriorityAsks& asks);
  void set_pending(PriorityAsks& asks, bool is_pending);
  void take_one(PriorityAsks& asks, ResourceNameId place, std::vector<AskEntry>& used);

  std::vector<PriorityAsks> priorities_;  // ascending
  MemoryAndCores pending_;
  std::int32_t pending_priorities_ = 0;
};

}  // namespace heddle::policies
