// Live attempts: launched or queued ahead, and not ended. Ended attempts have no row. Order: the lists of a set and of
// an executor are in launch order. Cost: every operation is constant.
#pragma once

#include <cstdint>
#include <vector>

#include "model/ids.hpp"
#include "model/locality.hpp"
#include "model/preferred_location.hpp"
#include "model/time.hpp"
#include "policies/tasks/types/task_set_key.hpp"

namespace heddle::policies {

/// Index in the table of live attempts; `no_attempt`: none.
using AttemptSlot = std::uint32_t;
inline constexpr AttemptSlot no_attempt = UINT32_MAX;

/// First and last element of a linked list of attempts.
struct AttemptList {
  AttemptSlot first = no_attempt;
  AttemptSlot last = no_attempt;
};

/// One cache line: with ten thousand running attempts, the end of each reads a row that is in no cache.
struct alignas(64) LiveAttempt {
  LaunchId id;
  Instant launched;
  std::uint32_t set = 0;
  std::int32_t index = 0;
  std::int32_t attempt = 0;
  std::int32_t executor = 0;
  HostId host;
  AttemptSlot previous_of_set = no_attempt;
  AttemptSlot next_of_set = no_attempt;
  AttemptSlot previous_on_executor = no_attempt;
  AttemptSlot next_on_executor = no_attempt;
  AttemptSlot next_of_task = no_attempt;
  LocalityLevel level = LocalityLevel::any;
  bool speculative = false;
  bool queued = false;           // queued ahead, not running
  bool launching = true;         // no status `running` yet
  bool killed_by_other = false;  // a kill was sent because another attempt succeeded
  bool known = true;             // false if its executor is lost and the reason is not known yet
};

class AttemptTable {
public:
  /// Adds a row for the next launch and numbers it. The caller sets the links.
  AttemptSlot add();
  void remove(AttemptSlot slot);
  [[nodiscard]] LiveAttempt& at(AttemptSlot slot) { return attempts_[slot]; }
  [[nodiscard]] const LiveAttempt& at(AttemptSlot slot) const { return attempts_[slot]; }
  [[nodiscard]] AttemptSlot find(LaunchId id) const;
  [[nodiscard]] std::int64_t launches() const { return next_id_; }
  [[nodiscard]] std::size_t size() const { return attempts_.size() - free_.size(); }

  void link_to_set(AttemptList& list, AttemptSlot slot);
  void unlink_from_set(AttemptList& list, AttemptSlot slot);
  void link_to_executor(AttemptList& list, AttemptSlot slot);
  void unlink_from_executor(AttemptList& list, AttemptSlot slot);

private:
  /// Slots of 4,096 consecutive launches; freed when the last of them has ended.
  struct Block {
    std::vector<AttemptSlot> slots;
    std::uint32_t live = 0;
  };
  static constexpr unsigned block_bits = 12;
  static constexpr std::int64_t block_size = std::int64_t{1} << block_bits;

  std::vector<LiveAttempt> attempts_;
  std::vector<AttemptSlot> free_;
  std::vector<Block> blocks_;
  std::int64_t next_id_ = 0;
};

}  // namespace heddle::policies
