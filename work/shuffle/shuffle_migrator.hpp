// Copies map outputs from another node to this one: fetches them as a reduce task does, partition by partition, looks
// at every block's checksum, and puts each output in place only when it is whole. What was not copied to its end leaves
// nothing behind.
#pragma once

#include <cstdint>
#include <string>

#include "ports/background.hpp"
#include "ports/map_output_migrator.hpp"
#include "ports/shuffle_fetch.hpp"

namespace heddle::work {

struct OutputTakerSettings {
  std::string directory;           // of the application's map outputs on this node
  std::int64_t first_shuffle = 0;  // as the writers of the same Driver
  std::string name;                // of this process among those that write there
  std::size_t maps_at_once = 32;   // each holds a descriptor
};

/// Copies now, on the caller's thread. An output that cannot be had, or not be written, keeps no other from being
/// taken.
[[nodiscard]] ports::OutputMoveEnd take_outputs(ports::ShuffleFetch& fetch, const ports::OutputMove& move,
                                                const OutputTakerSettings& settings);

/// The same, one move after the other, in the background. What is handed in outlives it.
class ShuffleMigrator final : public ports::MapOutputMigrator {
public:
  ShuffleMigrator(ports::ShuffleFetch& fetch, ports::Background& background, OutputTakerSettings settings)
      : fetch_{fetch}, background_{background}, settings_{std::move(settings)} {}
  void take(ports::OutputMove move, std::function<void(ports::OutputMoveEnd)> on_end) override;

private:
  ports::ShuffleFetch& fetch_;
  ports::Background& background_;
  OutputTakerSettings settings_;
};

}  // namespace heddle::work
