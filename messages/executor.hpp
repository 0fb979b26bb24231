// What an Executor understands.
#pragma once

#include <string>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/driver.hpp"
#include "messages/nouns.hpp"

namespace heddle {

// -- from the Driver -----------------------------------------------------------

/// The Driver knows the executor; all it says from now on carries this epoch.
struct RegisteredExecutor {
  Epoch epoch;
};
HEDDLE_MESSAGE(RegisteredExecutor, epoch)

/// The Driver has given this executor up, or never knew it, and hears it beat in this epoch. Answered by
/// RegisterExecutor; what ran for the epoch is over.
struct RegisterAgain {
  Epoch epoch;
};
HEDDLE_MESSAGE(RegisterAgain, epoch)

/// What all tasks of a stage share, said once, with the first of them that this executor is to run: one word, as most
/// jobs of few tasks need no other. Answered as LaunchTask is.
struct InstallStage {
  Epoch epoch;
  StageWork work;
  std::vector<TaskRange> tasks;
};
HEDDLE_MESSAGE(InstallStage, epoch, work, tasks)

/// No task of these stage attempts will come any more. Where nothing of them is left, it is said of several at a time.
struct ForgetStage {
  Epoch epoch;
  std::vector<StageKey> stages;
};
HEDDLE_MESSAGE(ForgetStage, epoch, stages)

/// Where the map outputs [first_map, first_map + place_of_map.size()) of a shuffle are. The part that begins with map 0
/// begins the table anew.
struct MapOutputs {
  Epoch epoch;
  ShuffleId shuffle;
  std::int32_t maps = 0;  // of the whole shuffle
  std::int32_t first_map = 0;
  std::vector<MapOutputLocation> places;
  std::vector<std::int32_t> place_of_map;  // index into places, -1: missing
};
HEDDLE_MESSAGE(MapOutputs, epoch, shuffle, maps, first_map, places, place_of_map)

/// Where some map outputs are now, of a shuffle whose table was told before. The rest of it stays as it was.
struct MapOutputsChanged {
  Epoch epoch;
  ShuffleId shuffle;
  std::vector<std::int32_t> maps;  // ascending
  std::vector<MapOutputLocation> places;
  std::vector<std::int32_t> place_of_map;  // for each of `maps`: index into places, -1: missing
};
HEDDLE_MESSAGE(MapOutputsChanged, epoch, shuffle, maps, places, place_of_map)

/// Copy these map outputs to the own node, from one that will go. Answered by OutputsTaken.
struct TakeOutputs {
  Epoch epoch;
  ShuffleId shuffle;
  std::int32_t partitions = 0;
  std::vector<std::int32_t> maps;
  MapOutputLocation from;
};
HEDDLE_MESSAGE(TakeOutputs, epoch, shuffle, partitions, maps, from)

/// No job will read the shuffles numbered below `before`, except these: remove what the own node has of them. Sent when
/// a job with shuffles ends, and to each executor that registers later.
struct RemoveShuffles {
  Epoch epoch;
  ShuffleId before;
  std::vector<ShuffleId> except;
};
HEDDLE_MESSAGE(RemoveShuffles, epoch, before, except)

/// Run these task attempts, in order, as slots allow. Answered by StatusUpdates.
struct LaunchTask {
  Epoch epoch;
  std::vector<TaskRange> tasks;
};
HEDDLE_MESSAGE(LaunchTask, epoch, tasks)

/// Give back up to `count` attempts that have not begun. Answered by TasksRetracted.
struct RetractTasks {
  Epoch epoch;
  std::int32_t count = 0;
};
HEDDLE_MESSAGE(RetractTasks, epoch, count)

/// End this attempt; it reports itself killed.
struct KillTask {
  Epoch epoch;
  StageKey stage;
  std::int32_t index = 0;
  std::int32_t attempt = 0;
  std::string reason;
};
HEDDLE_MESSAGE(KillTask, epoch, stage, index, attempt, reason)

/// Kill what runs and leave.
struct StopExecutor {
  std::string reason;
};
HEDDLE_MESSAGE(StopExecutor, reason)

/// Retired: slots speak to the Driver themselves. Its number stays taken.
struct SlotReports {
  bool is_retired = true;
};
HEDDLE_MESSAGE(SlotReports, is_retired)

// -- timers ------------------------------------------------------------------------

struct ExecutorTick {
  std::uint64_t generation = 0;
};
HEDDLE_MESSAGE(ExecutorTick, generation)

/// The Executor's interface: one line per message above, in the same order.
using ExecutorActor =
    caf_compat::Interface<void(RegisteredExecutor), void(RegisterAgain), void(InstallStage), void(ForgetStage),
                          void(MapOutputs), void(MapOutputsChanged), void(TakeOutputs), void(RemoveShuffles),
                          void(LaunchTask), void(RetractTasks), void(KillTask), void(StopExecutor), void(ExecutorTick)>;

}  // namespace heddle
