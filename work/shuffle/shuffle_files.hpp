// Removes the map outputs of ended jobs from a node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ports/background.hpp"
#include "ports/shuffle_files.hpp"

namespace heddle::work {

/// Removes now. Shuffles of other Drivers of the application, numbered below `first_shuffle`, stay.
void remove_shuffles(const std::string& directory, std::int64_t first_shuffle, ShuffleId before,
                     const std::vector<ShuffleId>& except);

/// The same in the background: many files take long. What is handed in outlives it.
class ShuffleFiles final : public ports::ShuffleFiles {
public:
  ShuffleFiles(ports::Background& background, std::string directory, std::int64_t first_shuffle)
      : background_{background}, directory_{std::move(directory)}, first_shuffle_{first_shuffle} {}
  void remove(ShuffleId before, std::vector<ShuffleId> except) override;

private:
  ports::Background& background_;
  std::string directory_;  // of the application's map outputs on this node
  std::int64_t first_shuffle_;
};

}  // namespace heddle::work
