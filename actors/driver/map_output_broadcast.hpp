// Computes the messages that give each executor the map outputs of the shuffles that it reads: first the whole table,
// then only changes. Plain classes: no actor, no clock. Cost: one pass over the table after a change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <variant>
#include <vector>

#include "messages/executor.hpp"
#include "policies/stages/map_output_table.hpp"

namespace heddle::actors {

/// Changes of one shuffle's map outputs, in their order.
class MapOutputChanges {
public:
  /// Position of a reader in the changes. A new cursor gets the whole table.
  struct Cursor {
    std::int64_t table = -1;
    std::size_t changes = 0;
  };
  /// The whole table, or the maps that changed since the cursor: ascending, each once.
  struct Delta {
    bool is_whole = false;
    std::vector<std::int32_t> maps;
  };

  /// The map output table may have changed since the last comparison.
  void mark_changed() { is_changed_ = true; }
  /// Returns what the reader lacks and moves its cursor to the current table.
  [[nodiscard]] Delta delta_since(Cursor& cursor, const policies::MapOutputTable& outputs, ShuffleId shuffle,
                                  std::int32_t maps);

private:
  void compare(const policies::MapOutputTable& outputs, ShuffleId shuffle, std::int32_t maps);

  bool is_changed_ = true;
  std::int64_t table_ = 0;  // increases when changes_ is cleared: older cursors get the whole table
  std::vector<policies::MapStatusLocation> places_;
  std::vector<std::int32_t> changes_;  // maps in the order of their changes
};

/// Changes of all shuffles, and the cursor of each executor.
class MapOutputBroadcast {
public:
  using Message = std::variant<MapOutputs, MapOutputsChanged>;
  /// Location from which an executor's map outputs are served; null if the executor is unknown.
  using LocationOf = std::function<const MapOutputLocation*(ExecutorId)>;

  void mark_changed(ShuffleId shuffle) { changes_[shuffle].mark_changed(); }
  void mark_all_changed();
  /// The map has no output and is read as empty.
  void skip(ShuffleId shuffle, std::int32_t map) { skipped_[shuffle].insert(map); }
  /// Messages that bring the reader up to date, with at most 65,536 maps each.
  [[nodiscard]] std::vector<Message> update(ExecutorId reader, Epoch epoch, const ShuffleInput& shuffle,
                                            const policies::MapOutputTable& outputs, const LocationOf& location_of);
  /// The executor has been sent this shuffle's table.
  [[nodiscard]] bool has_received(ExecutorId reader, ShuffleId shuffle) const;
  void forget_shuffle(ShuffleId shuffle);
  void forget_reader(ExecutorId reader) { cursors_.erase(reader); }
  /// Forgets all cursors: every reader gets whole tables again.
  void restart();

private:
  std::map<ShuffleId, MapOutputChanges> changes_;
  std::map<ExecutorId, std::map<ShuffleId, MapOutputChanges::Cursor>> cursors_;
  std::map<ShuffleId, std::set<std::int32_t>> skipped_;  // maps
};

}  // namespace heddle::actors
