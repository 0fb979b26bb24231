// Tables of map output locations on their way from the Executor to the tasks that fetch.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "ports/task_runner.hpp"

namespace heddle::work {

/// Any thread may call any function.
class LocationTables {
public:
  using Table = std::shared_ptr<const ports::ShuffleLocations>;

  void set(Table table);
  /// Ends the waits for this shuffle.
  void erase(ShuffleId shuffle);
  /// The last table of a shuffle; null: none was set.
  [[nodiscard]] Table latest(ShuffleId shuffle);
  using Deadline = std::chrono::steady_clock::time_point;
  /// Waits until the last table of the shuffle is another one than `known`, which is not null, or until the deadline,
  /// and returns it; null if the shuffle was erased, or once `is_killed` is true: whoever sets it then calls wake().
  [[nodiscard]] Table wait_for_other(ShuffleId shuffle, const Table& known, const std::atomic<bool>& is_killed,
                                     std::optional<Deadline> deadline = std::nullopt);
  void wake();

private:
  [[nodiscard]] Table find(ShuffleId shuffle) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<ShuffleId, Table> tables_;
};

}  // namespace heddle::work
