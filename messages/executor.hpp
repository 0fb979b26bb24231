// Messages to an Executor.
#pragma once

#include <string>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/driver.hpp"
#include "messages/nouns.hpp"

namespace heddle {

// -- from the Driver -----------------------------------------------------------

/// The Driver has registered the executor; its later messages have this epoch.
struct RegisteredExecutor {
  Epoch epoch;
};
HEDDLE_MESSAGE(RegisteredExecutor, epoch)

/// The Driver got a heartbeat of this epoch but does not know the executor, or has removed it. The executor kills its
/// tasks of the epoch and answers with RegisterExecutor.
struct RegisterAgain {
  Epoch epoch;
};
HEDDLE_MESSAGE(RegisterAgain, epoch)

/// Values that all tasks of a stage share. Sent once per stage and executor, with the first tasks for this executor, so
/// that a small job needs a single message. Answered like LaunchTask.
struct LoadStage {
  Epoch epoch;
  StageProgram work;
  std::vector<TaskRange> tasks;
};
HEDDLE_PACKED_MESSAGE(LoadStage, epoch, work, tasks)

/// Unload these stage attempts: no task of them follows. Sent for several stages at a time if none of their tasks runs.
struct UnloadStage {
  Epoch epoch;
  std::vector<StageKey> stages;
};
HEDDLE_PACKED_MESSAGE(UnloadStage, epoch, stages)

/// Locations of the map outputs [first_map, first_map + place_of_map.size()) of a shuffle. A message with first_map 0
/// starts a new table.
struct MapOutputs {
  Epoch epoch;
  ShuffleId shuffle;
  std::int32_t maps = 0;  // number of maps of the whole shuffle
  std::int32_t first_map = 0;
  std::vector<MapOutputLocation> places;
  std::vector<std::int32_t> place_of_map;  // index into places; -1: missing; -2: not wanted, as its map was let fail
};
HEDDLE_MESSAGE(MapOutputs, epoch, shuffle, maps, first_map, places, place_of_map)

/// New locations of some map outputs of a shuffle; the rest of the table from MapOutputs stays.
struct MapOutputsChanged {
  Epoch epoch;
  ShuffleId shuffle;
  std::vector<std::int32_t> maps;  // ascending
  std::vector<MapOutputLocation> places;
  std::vector<std::int32_t> place_of_map;  // one per entry of `maps`, as in MapOutputs
};
HEDDLE_MESSAGE(MapOutputsChanged, epoch, shuffle, maps, places, place_of_map)

/// Copy these map outputs from a decommissioned node to the node of this executor. Answered by MapOutputsMigrated.
struct MigrateMapOutputs {
  Epoch epoch;
  ShuffleId shuffle;
  std::int32_t partitions = 0;
  std::vector<std::int32_t> maps;
  MapOutputLocation from;
};
HEDDLE_MESSAGE(MigrateMapOutputs, epoch, shuffle, partitions, maps, from)

/// Remove the map outputs on this node of all shuffles with an id below `before`, except these: no job reads them. Sent
/// when a job with shuffles ends, and to each executor that registers later.
struct RemoveShuffles {
  Epoch epoch;
  ShuffleId before;
  std::vector<ShuffleId> except;
};
HEDDLE_MESSAGE(RemoveShuffles, epoch, before, except)

/// Run these task attempts in order as task slots become free. Answered by StatusUpdate messages.
struct LaunchTask {
  Epoch epoch;
  std::vector<TaskRange> tasks;
};
HEDDLE_PACKED_MESSAGE(LaunchTask, epoch, tasks)

/// Return up to `count` task attempts that have not started. Answered by TasksRetracted.
struct RetractTasks {
  Epoch epoch;
  std::int32_t count = 0;
};
HEDDLE_MESSAGE(RetractTasks, epoch, count)

/// Kill this task attempt. Its StatusUpdate has the state killed.
struct KillTask {
  Epoch epoch;
  StageKey stage;
  std::int32_t index = 0;  // partition index
  std::int32_t attempt = 0;
  std::string reason;
};
HEDDLE_MESSAGE(KillTask, epoch, stage, index, attempt, reason)

/// Kill all task attempts and exit.
struct StopExecutor {
  std::string reason;
};
HEDDLE_MESSAGE(StopExecutor, reason)

/// Retired: slot threads send StatusUpdate to the Driver. Type ids only grow, so its id stays reserved.
struct SlotReports {
  bool is_retired = true;
};
HEDDLE_MESSAGE(SlotReports, is_retired)

// -- timers ------------------------------------------------------------------------

struct ExecutorTick {
  std::uint64_t epoch = 0;
};
HEDDLE_MESSAGE(ExecutorTick, epoch)

/// The Executor's interface: one line per message above, in the same order.
using ExecutorActor =
    caf_compat::Interface<void(RegisteredExecutor), void(RegisterAgain), void(LoadStage), void(UnloadStage),
                          void(MapOutputs), void(MapOutputsChanged), void(MigrateMapOutputs), void(RemoveShuffles),
                          void(LaunchTask), void(RetractTasks), void(KillTask), void(StopExecutor), void(ExecutorTick)>;

}  // namespace heddle
