// Copies map outputs from another node to this one: fetches them partition by partition as a reduce task does, verifies
// the checksum of every block, and commits complete outputs only. Removes incomplete copies.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ports/background.hpp"
#include "ports/map_output_migrator.hpp"
#include "ports/shuffle_fetch.hpp"

namespace heddle::work {

struct ShuffleMigratorSettings {
  std::string directory;           // folder of the application's map outputs on this node
  std::int64_t first_shuffle = 0;  // equal to the value of this Driver's writers
  std::string name;                // unique name of this process among the writers of the folder
  std::size_t maps_at_once = 32;   // each needs a descriptor
};

/// Copies on the calling thread. If one output cannot be fetched or written, continues with the others. Stops when the
/// descriptor `stop` becomes readable; -1: it cannot be stopped.
[[nodiscard]] ports::MapOutputMigrationResult migrate_outputs(ports::ShuffleFetch& fetch,
                                                              const ports::MapOutputMigration& move,
                                                              const ShuffleMigratorSettings& settings, int stop = -1);

/// Copies in the background, one migration after the other. The arguments must outlive this object.
class ShuffleMigrator final : public ports::MapOutputMigrator {
public:
  ShuffleMigrator(ports::ShuffleFetch& fetch, ports::Background& background, ShuffleMigratorSettings settings);
  /// Like stop().
  ~ShuffleMigrator() override;
  ShuffleMigrator(const ShuffleMigrator&) = delete;
  ShuffleMigrator& operator=(const ShuffleMigrator&) = delete;
  void migrate(ports::MapOutputMigration move, std::function<void(ports::MapOutputMigrationResult)> on_end) override;
  /// Ends the running migration and all waiting ones; each reports what it has copied. Waits at most a second until the
  /// files of an unfinished copy are removed.
  void stop();

private:
  struct State;
  ports::Background& background_;
  std::shared_ptr<State> state_;  // moves that wait may outlive this object
};

}  // namespace heddle::work
