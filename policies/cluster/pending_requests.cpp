// An entry that an allocation decreases to zero is removed; an entry that was sent with count 0 stays, as in YARN.
#include "policies/cluster/pending_requests.hpp"

#include <algorithm>
#include <bit>

#include "policies/cluster/resource_calculator.hpp"

namespace heddle::policies {
namespace {

MemoryAndCores times(const MemoryAndCores& one, std::int32_t count) {
  return MemoryAndCores{one.memory_mib * count, one.cores * count};
}

}  // namespace

bool AskSizes::widen(const AskSizes& more) {
  if (fits_in(least, more.least) && fits_in(more.most, most)) return false;
  least = smaller_of_each(least, more.least);
  most = larger_of_each(most, more.most);
  return true;
}

// -- entries -------------------------------------------------------------------

std::size_t AskEntries::cell_of(ResourceNameId place) const {
  const std::size_t mask = cells_.size() - 1;
  std::size_t at = home(place);
  while (cells_[at].place >= 0 && cells_[at].place != place) at = (at + 1) & mask;
  return at;
}

std::int32_t AskEntries::position_of(ResourceNameId place) const {
  if (!cells_.empty()) return cells_[cell_of(place)].position;
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (places_[i] == place) return static_cast<std::int32_t>(i);
  return -1;
}

void AskEntries::index(ResourceNameId place, std::int32_t position) {
  if (cells_.empty()) places_[static_cast<std::size_t>(position)] = place;
  else cells_[cell_of(place)] = Cell{place, position};
}

void AskEntries::rebuild(std::size_t cells) {
  cells_.assign(cells, Cell{});
  for (std::size_t i = 0; i < entries_.size(); ++i) index(entries_[i].place, static_cast<std::int32_t>(i));
}

/// Closes the gap, so that no search ends too early.
void AskEntries::forget_cell(ResourceNameId place) {
  if (cells_.empty()) return;
  const std::size_t mask = cells_.size() - 1;
  std::size_t hole = cell_of(place);
  cells_[hole] = Cell{};
  for (std::size_t at = (hole + 1) & mask; cells_[at].place >= 0; at = (at + 1) & mask) {
    const Cell moved = cells_[at];
    cells_[at] = Cell{};
    cells_[cell_of(moved.place)] = moved;
  }
}

bool AskEntries::is_zero_count(ResourceNameId place) const {
  if (zero_count_bits_.empty()) {
    const auto* last = few_zero_counts_.data() + zero_counts_;
    return std::find<const ResourceNameId*>(few_zero_counts_.data(), last, place) != last;
  }
  const auto word = static_cast<std::size_t>(place) / 64;
  return word < zero_count_bits_.size() && (zero_count_bits_[word] >> (place % 64) & 1) != 0;
}

bool AskEntries::may_be_compact(const AskEntry& entry) const {
  return entry.count == 0 && entry.relax_locality && (zero_counts_ == 0 || entry.capability == zero_count_capability_);
}

void AskEntries::set_zero_count_bit(ResourceNameId place) {
  const auto word = static_cast<std::size_t>(place) / 64;
  if (word >= zero_count_bits_.size()) zero_count_bits_.resize(word + 1 + zero_count_bits_.size() / 2);
  zero_count_bits_[word] |= std::uint64_t{1} << (place % 64);
}

void AskEntries::add_zero_count(ResourceNameId place) {
  const std::size_t before = zero_counts_++;
  if (zero_count_bits_.empty() && before < few_max) {
    few_zero_counts_[before] = place;
    return;
  }
  if (zero_count_bits_.empty())
    for (const ResourceNameId each : few_zero_counts_) set_zero_count_bit(each);
  set_zero_count_bit(place);
}

void AskEntries::erase_zero_count(ResourceNameId place) {
  --zero_counts_;
  if (!zero_count_bits_.empty()) {
    zero_count_bits_[static_cast<std::size_t>(place) / 64] &= ~(std::uint64_t{1} << (place % 64));
    return;
  }
  *std::find(few_zero_counts_.begin(), few_zero_counts_.end(), place) = few_zero_counts_[zero_counts_];
}

/// Keeps the memory, since asks of an application come and go.
void AskEntries::clear() {
  if (!cells_.empty() || !zero_count_bits_.empty()) {
    *this = AskEntries{};
    return;
  }
  has_everywhere_ = false;
  entries_.clear();
  zero_counts_ = 0;
  zero_count_capability_ = MemoryAndCores{};
  sequence_ = 0;
  sizes_ = AskSizes{};
}

std::uint16_t AskEntries::next_sequence() {
  if (!has_everywhere_ && entries_.empty() && zero_counts_ == 0) sequence_ = 0;
  if (sequence_ < std::numeric_limits<std::uint16_t>::max()) ++sequence_;
  return sequence_;
}

void AskEntries::add(const AskEntry& entry) {
  const std::uint16_t sequence = next_sequence();
  entries_.push_back(entry);
  entries_.back().sequence = sequence;
  if (entries_.size() > indexed_from && entries_.size() * 2 > cells_.size())
    rebuild(cells_.empty() ? 4 * indexed_from : cells_.size() * 2);
  else index(entry.place, static_cast<std::int32_t>(entries_.size() - 1));
}

void AskEntries::put(const AskEntry& entry) {
  if (entry.place == any_place) {
    const std::uint16_t sequence = has_everywhere_ ? everywhere_.sequence : next_sequence();
    everywhere_ = entry;
    everywhere_.sequence = sequence;
    has_everywhere_ = true;
    return;
  }
  if (entries_.empty()) sizes_ = AskSizes{};
  if (entry.count > 0) sizes_.widen({entry.capability, entry.capability});
  const std::int32_t known = position_of(entry.place);
  const bool was_zero_count = known < 0 && is_zero_count(entry.place);
  if (was_zero_count) erase_zero_count(entry.place);
  if (may_be_compact(entry)) {
    if (known >= 0) erase_at(known);
    zero_count_capability_ = entry.capability;
    add_zero_count(entry.place);
  } else if (known >= 0) {
    AskEntry& renewed = entries_[static_cast<std::size_t>(known)];
    const std::uint16_t sequence = renewed.sequence;
    renewed = entry;
    renewed.sequence = sequence;
  } else {
    add(entry);
  }
}

AskEntry* AskEntries::find_any(ResourceNameId place) {
  if (place == any_place) return has_everywhere_ ? &everywhere_ : nullptr;
  if (const std::int32_t at = position_of(place); at >= 0) return &entries_[static_cast<std::size_t>(at)];
  if (!is_zero_count(place)) return nullptr;
  erase_zero_count(place);
  add(AskEntry{.place = place, .capability = zero_count_capability_});
  return &entries_.back();
}

void AskEntries::fetch_ahead_place(ResourceNameId place) const {
  if (cells_.empty()) fetch_ahead(entries_.data(), std::min<std::size_t>(entries_.size(), 4));
  else fetch_ahead(&cells_[home(place)]);
  if (const auto word = static_cast<std::size_t>(place) / 64; word < zero_count_bits_.size())
    fetch_ahead(&zero_count_bits_[word]);
}

void AskEntries::erase(ResourceNameId place) {
  if (place == any_place) {
    has_everywhere_ = false;
  } else if (const std::int32_t at = position_of(place); at >= 0) {
    erase_at(at);
  } else if (is_zero_count(place)) {
    erase_zero_count(place);
  }
}

void AskEntries::erase_at(std::int32_t at) {
  const ResourceNameId place = entries_[static_cast<std::size_t>(at)].place;
  forget_cell(place);
  const AskEntry last = entries_.back();
  entries_.pop_back();
  if (last.place == place) return;
  entries_[static_cast<std::size_t>(at)] = last;
  index(last.place, at);
}

std::vector<AskEntry> AskEntries::in_creation_order() const {
  std::vector<AskEntry> sorted = entries_;
  if (has_everywhere_) sorted.push_back(everywhere_);
  if (zero_count_bits_.empty())
    for (std::size_t i = 0; i < zero_counts_; ++i)
      sorted.push_back(AskEntry{.place = few_zero_counts_[i], .capability = zero_count_capability_});
  for (std::size_t word = 0; word < zero_count_bits_.size(); ++word)
    for (std::uint64_t rest = zero_count_bits_[word]; rest != 0; rest &= rest - 1)
      sorted.push_back(AskEntry{.place = static_cast<ResourceNameId>(word * 64) + std::countr_zero(rest),
                                .capability = zero_count_capability_});
  std::sort(sorted.begin(), sorted.end(), [](const AskEntry& a, const AskEntry& b) {
    return a.sequence != b.sequence ? a.sequence < b.sequence : a.place < b.place;
  });
  return sorted;
}

// -- priorities ------------------------------------------------------------------

PriorityAsks* PendingRequests::find(std::int32_t priority) {
  const auto at =
      std::lower_bound(priorities_.begin(), priorities_.end(), priority,
                       [](const PriorityAsks& asks, std::int32_t wanted) { return asks.priority < wanted; });
  return at != priorities_.end() && at->priority == priority ? &*at : nullptr;
}

const PriorityAsks* PendingRequests::find(std::int32_t priority) const {
  const auto at =
      std::lower_bound(priorities_.begin(), priorities_.end(), priority,
                       [](const PriorityAsks& asks, std::int32_t wanted) { return asks.priority < wanted; });
  return at != priorities_.end() && at->priority == priority ? &*at : nullptr;
}

PriorityAsks& PendingRequests::at(std::int32_t priority) {
  auto at = std::lower_bound(priorities_.begin(), priorities_.end(), priority,
                             [](const PriorityAsks& asks, std::int32_t wanted) { return asks.priority < wanted; });
  if (at == priorities_.end() || at->priority != priority) {
    at = priorities_.insert(at, PriorityAsks{});
    at->priority = priority;
  }
  return *at;
}

void PendingRequests::set_pending(PriorityAsks& asks, bool is_pending) {
  if (asks.is_pending == is_pending) return;
  asks.is_pending = is_pending;
  pending_priorities_ += is_pending ? 1 : -1;
}

void PendingRequests::put(PriorityAsks& asks, const AskEntry& entry) {
  if (entry.place == any_place && asks.is_pending)
    pending_ -= times(asks.entries.everywhere()->capability, asks.entries.everywhere()->count);
  asks.entries.put(entry);
  if (entry.place != any_place) return;
  set_pending(asks, entry.count > 0);
  if (asks.is_pending) pending_ += times(entry.capability, entry.count);
}

/// A count of 0 at "*" cancels all names of the priority.
void PendingRequests::forget(PriorityAsks& asks) {
  asks.entries.clear();
  set_pending(asks, false);
}

void PendingRequests::fetch_ahead_places(const std::vector<Update>& updates) const {
  for (const Update& update : updates)
    if (const PriorityAsks* asks = find(update.priority); asks != nullptr)
      asks->entries.fetch_ahead_place(update.entry.place);
}

void PendingRequests::update(const std::vector<Update>& updates) {
  for (const Update& update : updates) put(at(update.priority), update.entry);
  for (const Update& update : updates) {
    if (update.entry.place != any_place) continue;
    PriorityAsks& asks = at(update.priority);
    if (!asks.is_pending) forget(asks);
  }
}

void PendingRequests::take_one(PriorityAsks& asks, ResourceNameId place, std::vector<AskEntry>& used) {
  AskEntry* at = asks.entries.find_any(place);
  if (at == nullptr) return;
  used.push_back(*at);
  if (place == any_place) pending_ -= at->capability;
  if (--at->count != 0) return;
  asks.entries.erase(place);
  if (place == any_place) set_pending(asks, false);
}

void PendingRequests::take(PriorityAsks& asks, AskLocality locality, ResourceNameId node, ResourceNameId rack,
                           std::vector<AskEntry>& used) {
  if (locality == AskLocality::node_local) take_one(asks, node, used);
  if (locality != AskLocality::off_switch) take_one(asks, rack, used);
  take_one(asks, any_place, used);
}

void PendingRequests::put_back(std::int32_t priority, std::span<const AskEntry> used) {
  for (AskEntry entry : used) {
    PriorityAsks& asks = at(priority);
    entry.count = asks.count(entry.place) + 1;
    put(asks, entry);
    if (entry.place == any_place && !asks.is_pending) forget(asks);
  }
}

}  // namespace heddle::policies
