// The attempts that are live: launched (or queued ahead) and not ended. What has ended leaves no record here.
// Order: the lists of a set and of an executor are in launch order. Cost: every operation is constant.
#pragma once

#include <cstdint>
#include <vector>

#include "model/ids.hpp"
#include "model/locality.hpp"
#include "model/time.hpp"
#include "policies/tasks/types/task_scheduler_events.hpp"

namespace heddle::policies {

/// A place in the table of live attempts; `no_attempt`: none.
using AttemptSlot = std::uint32_t;
inline constexpr AttemptSlot no_attempt = UINT32_MAX;

/// Both ends of a list of attempts.
struct AttemptList {
  AttemptSlot first = no_attempt;
  AttemptSlot last = no_attempt;
};

/// A line of the cache: of ten thousand that run, each that ends is met once.
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
  bool queued = false;           // assigned ahead, not running
  bool launching = true;         // no `running` was reported yet
  bool killed_by_other = false;  // told to die because another attempt succeeded
  bool known = true;             // false: its executor is gone for a reason that is still asked for
};

class AttemptTable {
public:
  /// Makes room for the next launch and numbers it. Links are the caller's.
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
  /// Slots of 4,096 consecutive launches; let go as soon as the last of them has ended.
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
