// Takes map outputs over from another node, off the actors' threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/stage_work.hpp"

namespace heddle::ports {

/// Outputs of one shuffle that stand at one place, to be copied to the own node.
struct OutputMove {
  ShuffleId shuffle;
  std::int32_t partitions = 0;
  std::vector<std::int32_t> maps;
  MapOutputLocation from;
};

/// Which of them stand at the own node now, whole and verified, and a sentence about the others.
struct OutputMoveEnd {
  std::vector<std::int32_t> taken;
  std::string text;
};

class OutputMover {
public:
  virtual ~OutputMover() = default;
  /// Answers at once; `on_end` is called once, from a thread of its own.
  virtual void take(OutputMove move, std::function<void(OutputMoveEnd)> on_end) = 0;
};

}  // namespace heddle::ports
