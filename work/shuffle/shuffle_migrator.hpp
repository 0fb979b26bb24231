// Copies map outputs from another node to this one: fetches them as a reduce task does, partition by partition, looks
// at every block's checksum, and puts each output in place only when it is whole. What was not copied to its end leaves
// nothing behind.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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
/// As soon as the descriptor `stop` is readable it takes no more; -1: it cannot be stopped.
[[nodiscard]] ports::OutputMoveEnd take_outputs(ports::ShuffleFetch& fetch, const ports::OutputMove& move,
                                                const OutputTakerSettings& settings, int stop = -1);

/// The same, one move after the other, in the background. `fetch` and `background` outlive it.
class ShuffleMigrator final : public ports::MapOutputMigrator {
public:
  ShuffleMigrator(ports::ShuffleFetch& fetch, ports::Background& background, OutputTakerSettings settings);
  /// Like stop().
  ~ShuffleMigrator() override;
  ShuffleMigrator(const ShuffleMigrator&) = delete;
  ShuffleMigrator& operator=(const ShuffleMigrator&) = delete;
  void take(ports::OutputMove move, std::function<void(ports::OutputMoveEnd)> on_end) override;
  /// Ends the move that runs, and all that wait, with what they have taken so far. Waits at most a second until the
  /// files of an unfinished copy are removed.
  void stop();

private:
  struct State;
  ports::Background& background_;
  std::shared_ptr<State> state_;  // moves that wait may outlive this object
};

}  // namespace heddle::work
