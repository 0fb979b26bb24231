// Removes the map outputs of finished jobs from a node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ports/background.hpp"
#include "ports/shuffle_files.hpp"

namespace heddle::work {

/// Removes shuffles below `before` that are not in `except`, on the calling thread. Keeps shuffles below
/// `first_shuffle`, which belong to other Drivers of the application.
void remove_shuffles(const std::string& directory, std::int64_t first_shuffle, ShuffleId before,
                     const std::vector<ShuffleId>& except);

/// Removes in the background, because many files take long. The arguments must outlive this object.
class ShuffleFiles final : public ports::ShuffleFiles {
public:
  ShuffleFiles(ports::Background& background, std::string directory, std::int64_t first_shuffle)
      : background_{background}, directory_{std::move(directory)}, first_shuffle_{first_shuffle} {}
  void remove(ShuffleId before, std::vector<ShuffleId> except) override;

private:
  ports::Background& background_;
  std::string directory_;  // folder of the application's map outputs on this node
  std::int64_t first_shuffle_;
};

}  // namespace heddle::work
