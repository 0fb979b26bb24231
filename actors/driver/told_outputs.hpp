// What executors were told of one shuffle's map outputs, so that later words carry only what has changed since.
// Cost: a comparison with the table when it was touched and somebody is to be told, nothing otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policies/stages/map_output_table.hpp"

namespace heddle::actors {

class ToldOutputs {
public:
  /// How far somebody was told; as it is made: nothing yet.
  struct Mark {
    std::int64_t table = -1;
    std::size_t changes = 0;
  };
  /// What leads from a mark to now: the whole table, or these maps, ascending, each once.
  struct News {
    bool is_whole = false;
    std::vector<std::int32_t> maps;
  };

  /// The table may be another than before.
  void touch() { is_touched_ = true; }
  /// Moves the mark to now.
  [[nodiscard]] News take_news(Mark& mark, const policies::MapOutputTable& outputs, ShuffleId shuffle,
                               std::int32_t maps);

private:
  void compare(const policies::MapOutputTable& outputs, ShuffleId shuffle, std::int32_t maps);

  bool is_touched_ = true;
  std::int64_t table_ = 0;  // rises when earlier changes are not kept any more
  std::vector<policies::OutputPlace> places_;
  std::vector<std::int32_t> changes_;  // maps in the order of their changes
};

}  // namespace heddle::actors
