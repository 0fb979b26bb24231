// Hosts that are being decommissioned, and the migration of their map outputs to other executors.
// A plain table: no actor, no clock. Order: shuffles and maps ascending, targets as passed in. An output has at most
// one target at a time; a target has at most one batch.
//
//   waiting --assign--> being copied --copied--> removed here, known at the target
//      ^--target lost, or failed--'   '--failed too often, or source lost--> removed here: computed again when needed
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "model/time.hpp"
#include "policies/stages/map_output_table.hpp"

namespace heddle::actors {

class ShuffleMigration {
public:
  /// Map outputs of one shuffle from one location, for one target.
  struct Batch {
    ExecutorId target;
    ShuffleId shuffle;
    policies::MapStatusLocation from;
    std::vector<std::int32_t> maps;
  };

  ShuffleMigration(std::int32_t batches_max, std::int32_t failures_max)
      : batches_max_{batches_max}, failures_max_{failures_max} {}

  // -- hosts -------------------------------------------------------------------------------
  /// False if the host is being decommissioned already. `kill_due`: when its executors are killed; empty: never.
  bool add_host(HostId host, std::optional<Instant> kill_due) { return hosts_.try_emplace(host, kill_due).second; }
  void remove_host(HostId host) { hosts_.erase(host); }
  [[nodiscard]] bool is_leaving(HostId host) const { return hosts_.contains(host); }
  /// Hosts whose executors must be killed now; each host is returned once.
  [[nodiscard]] std::vector<HostId> pop_hosts_due(Instant now);
  [[nodiscard]] std::optional<Instant> next_due() const;

  // -- map outputs ---------------------------------------------------------------------------
  /// Queues the output. No effect if it is queued already from the same source; another source replaces the old entry.
  void add(ShuffleId shuffle, std::int32_t map, policies::MapStatusLocation from);
  /// New batches for targets without a batch. An output is assigned again to a target that failed to copy it only if
  /// all other targets failed too.
  [[nodiscard]] std::vector<Batch> assign(std::span<const ExecutorId> targets);
  /// Ends the target's batch. Returns the copied maps with their sources. The other outputs are queued again, unless
  /// they have failed too often.
  [[nodiscard]] std::vector<std::pair<std::int32_t, policies::MapStatusLocation>> end_batch(
      ExecutorId target, ShuffleId shuffle, const std::vector<std::int32_t>& copied);
  /// The target is lost: queues its batch again. This does not count as a failure of the outputs.
  void remove_target(ExecutorId target);
  void forget(ShuffleId shuffle);
  /// The executors are lost: removes their waiting outputs. A copy in progress may still succeed; if it fails, it is
  /// not retried.
  void remove_sources(const std::set<ExecutorId>& sources);

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] std::size_t being_copied() const { return busy_.size(); }
  void check_invariants() const;

private:
  using Key = std::pair<ShuffleId, std::int32_t>;
  struct Move {
    policies::MapStatusLocation from;
    ExecutorId target;  // empty: waiting
    std::int32_t failures = 0;
    bool is_source_lost = false;
    std::set<ExecutorId> failed_at;
  };
  /// Puts an output of an ended batch back into the queue, if its source still exists.
  void requeue(const Key& key);
  [[nodiscard]] bool can_assign(const Move& move, ExecutorId target, std::size_t targets) const;

  static constexpr std::size_t batch_maps_max = 64;
  std::int32_t batches_max_;                        // at the same time
  std::int32_t failures_max_;                       // per output
  std::map<HostId, std::optional<Instant>> hosts_;  // when the executors of a host are killed
  std::map<Key, Move> moves_;
  std::set<Key> waiting_;
  std::map<ExecutorId, std::vector<Key>> busy_;
};

}  // namespace heddle::actors
