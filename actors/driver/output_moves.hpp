// Which map outputs are to leave their host, and which executor is copying them. A table: no actor, no clock.
// Order: shuffles and maps ascending, targets as they are handed in. An output is with one target at a time; a target
// has one batch.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "policies/stages/map_output_table.hpp"

namespace heddle::actors {

class OutputMoves {
public:
  /// Outputs of one shuffle from one place, for one target.
  struct Batch {
    ExecutorId target;
    ShuffleId shuffle;
    policies::OutputPlace from;
    std::vector<std::int32_t> maps;
  };

  OutputMoves(std::int32_t batches_max, std::int32_t failures_max)
      : batches_max_{batches_max}, failures_max_{failures_max} {}

  /// The output is to leave `from`. Nothing new if that is known; an output that was written anew elsewhere begins
  /// anew.
  void want(ShuffleId shuffle, std::int32_t map, policies::OutputPlace from);
  /// What waits, for targets that have nothing to do. An output goes to a target that failed with it only where no
  /// other is left.
  [[nodiscard]] std::vector<Batch> assign(std::span<const ExecutorId> targets);
  /// The target's batch is over: these were copied, and where from. The others wait again, until they have failed too
  /// often.
  [[nodiscard]] std::vector<std::pair<std::int32_t, policies::OutputPlace>> on_taken(
      ExecutorId target, ShuffleId shuffle, const std::vector<std::int32_t>& taken);
  /// Its batch waits again; that is no failure of the outputs.
  void on_target_lost(ExecutorId target);
  void forget(ShuffleId shuffle);
  /// Nothing can be had from there any more: what waits is given up, what is under way counts if it was copied and is
  /// not tried again.
  void on_sources_lost(const std::set<ExecutorId>& sources);

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] std::size_t under_way() const { return busy_.size(); }
  void check_invariants() const;

private:
  using Key = std::pair<ShuffleId, std::int32_t>;
  struct Move {
    policies::OutputPlace from;
    ExecutorId target;  // none: it waits
    std::int32_t failures = 0;
    bool is_source_lost = false;
    std::set<ExecutorId> failed_at;
  };
  /// It was under way and is not any more: it waits again if it can still be had.
  void wait_again(const Key& key);
  [[nodiscard]] bool may_take(const Move& move, ExecutorId target, std::size_t targets) const;

  static constexpr std::size_t batch_maps_max = 64;
  std::int32_t batches_max_;
  std::int32_t failures_max_;
  std::map<Key, Move> moves_;
  std::set<Key> waiting_;
  std::map<ExecutorId, std::vector<Key>> busy_;
};

}  // namespace heddle::actors
