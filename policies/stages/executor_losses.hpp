// Executors that were lost, and executors that are being decommissioned. A lost executor has two epochs: with a shuffle
// service its death keeps its files, and a later fetch failure removes them once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "model/container.hpp"
#include "model/ids.hpp"

namespace heddle::policies {

/// An epoch is that of the map outputs (MapOutputTable::epoch) when a loss was noticed.
class ExecutorLosses {
public:
  /// Records that the executor failed. False: a failure of this epoch or a later one is known.
  bool record_failure(ExecutorId executor, std::int64_t epoch) { return record(failure_epoch_, executor, epoch); }
  /// Records that the files of the executor are lost. False: such a loss of this epoch or a later one is known.
  bool record_file_loss(ExecutorId executor, std::int64_t epoch) { return record(file_loss_epoch_, executor, epoch); }
  void record_decommission(ExecutorId executor, bool host_too) { decommissioned_[executor] = host_too; }
  /// The executor has registered again.
  void forget(ExecutorId executor) {
    failure_epoch_.erase(executor);
    file_loss_epoch_.erase(executor);
    decommissioned_.erase(executor);
  }

  /// True if a failure of this epoch or a later one is known.
  [[nodiscard]] bool has_failed_since(ExecutorId executor, std::int64_t epoch) const {
    const auto found = failure_epoch_.find(executor);
    return found != failure_epoch_.end() && epoch <= found->second;
  }
  /// None: the executor is not being decommissioned. True: its host is, too.
  [[nodiscard]] std::optional<bool> decommission_of(ExecutorId executor) const {
    const auto found = decommissioned_.find(executor);
    return found == decommissioned_.end() ? std::nullopt : std::optional{found->second};
  }

private:
  using Epochs = std::map<ExecutorId, std::int64_t>;
  static bool record(Epochs& epochs, ExecutorId executor, std::int64_t epoch) {
    const auto [position, is_new] = epochs.try_emplace(executor, epoch);
    if (!is_new && position->second >= epoch) return false;
    position->second = epoch;
    return true;
  }

  Epochs failure_epoch_;
  Epochs file_loss_epoch_;
  std::map<ExecutorId, bool> decommissioned_;  // value: the host, too
};

}  // namespace heddle::policies
