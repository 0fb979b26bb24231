#include "policies/tasks/types/attempt_table.hpp"

#include "model/assert.hpp"

namespace heddle::policies {

AttemptSlot AttemptTable::add() {
  AttemptSlot slot = 0;
  if (free_.empty()) {
    slot = static_cast<AttemptSlot>(attempts_.size());
    attempts_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
    attempts_[slot] = LiveAttempt{};
  }
  const std::int64_t id = next_id_++;
  const auto block_number = static_cast<std::size_t>(id >> block_bits);
  if (block_number >= blocks_.size()) blocks_.emplace_back();
  Block& block = blocks_[block_number];
  if (block.slots.empty()) block.slots.reserve(static_cast<std::size_t>(block_size));
  block.slots.push_back(slot);
  ++block.live;
  attempts_[slot].id = LaunchId{id};
  return slot;
}

void AttemptTable::remove(AttemptSlot slot) {
  const std::int64_t id = attempts_[slot].id.value;
  Block& block = blocks_[static_cast<std::size_t>(id >> block_bits)];
  block.slots[static_cast<std::size_t>(id & (block_size - 1))] = no_attempt;
  if (--block.live == 0 && block.slots.size() == static_cast<std::size_t>(block_size))
    std::vector<AttemptSlot>{}.swap(block.slots);
  attempts_[slot].id = LaunchId{};
  free_.push_back(slot);
}

AttemptSlot AttemptTable::find(LaunchId id) const {
  if (id.value < 0 || id.value >= next_id_) return no_attempt;
  const Block& block = blocks_[static_cast<std::size_t>(id.value >> block_bits)];
  return block.slots.empty() ? no_attempt : block.slots[static_cast<std::size_t>(id.value & (block_size - 1))];
}

void AttemptTable::link_to_set(AttemptList& list, AttemptSlot slot) {
  LiveAttempt& attempt = attempts_[slot];
  attempt.previous_of_set = list.last;
  attempt.next_of_set = no_attempt;
  (list.last == no_attempt ? list.first : attempts_[list.last].next_of_set) = slot;
  list.last = slot;
}

void AttemptTable::unlink_from_set(AttemptList& list, AttemptSlot slot) {
  const LiveAttempt& attempt = attempts_[slot];
  (attempt.previous_of_set == no_attempt ? list.first : attempts_[attempt.previous_of_set].next_of_set) =
      attempt.next_of_set;
  (attempt.next_of_set == no_attempt ? list.last : attempts_[attempt.next_of_set].previous_of_set) =
      attempt.previous_of_set;
}

void AttemptTable::link_to_executor(AttemptList& list, AttemptSlot slot) {
  LiveAttempt& attempt = attempts_[slot];
  attempt.previous_on_executor = list.last;
  attempt.next_on_executor = no_attempt;
  (list.last == no_attempt ? list.first : attempts_[list.last].next_on_executor) = slot;
  list.last = slot;
}

void AttemptTable::unlink_from_executor(AttemptList& list, AttemptSlot slot) {
  const LiveAttempt& attempt = attempts_[slot];
  (attempt.previous_on_executor == no_attempt ? list.first : attempts_[attempt.previous_on_executor].next_on_executor) =
      attempt.next_on_executor;
  (attempt.next_on_executor == no_attempt ? list.last : attempts_[attempt.next_on_executor].previous_on_executor) =
      attempt.previous_on_executor;
}

}  // namespace heddle::policies
