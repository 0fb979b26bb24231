// The job history of a MapReduceMaster: opened before the job starts, written on the background thread, closed before
// the end of the job is reported; and the tasks that it keeps of earlier application attempts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/map_reduce_master/master_state.hpp"

namespace heddle::actors {

// -- messages ----------------------------------------------------------------------------------------------
void handle_history_opened(MasterTurn& turn, const HistoryOpened& message);
void handle_history_ended(MasterTurn& turn, const HistoryEnded& message);

// -- for the other flows -----------------------------------------------------------------------------------
/// Opens the history. False: that of earlier application attempts is being read; the job starts when it is.
[[nodiscard]] bool open_history(MasterTurn& turn);
void record_history(MasterTurn& turn, const policies::WriteHistory& effect);
/// Keeps what a running attempt has counted, for the event of an end without success.
void keep_reported_counters(MasterTurn& turn, policies::MapReduceAttempt attempt, const AttemptCounters& counters);
void record_shuffle_end(MasterTurn& turn, policies::MapReduceAttempt reduce);
/// Passes what was recorded to the background thread.
void flush_history(MasterTurn& turn);
/// The same; work that is pushed after it begins when the history is on the disk.
void sync_history(MasterTurn& turn);
/// True: handle_history_ended goes on once the history is closed.
[[nodiscard]] bool close_history(MasterTurn& turn);

/// Number of the first attempt of each task under this MapReduceMaster.
[[nodiscard]] std::int32_t first_attempt_of(const MasterState& state);
/// Folders of recorded attempts whose files are in the output.
[[nodiscard]] std::vector<std::string> recorded_folders(const MasterState& state);
/// The output is ready: gives the recorded tasks to the machines, which end them again, and lets the job run.
/// `kept`: the folders that were there.
void replay_recorded_tasks(MasterTurn& turn, const std::vector<std::string>& kept);
/// An earlier application attempt has committed the output: counts the recorded tasks.
void count_recorded_tasks(MasterTurn& turn);

}  // namespace heddle::actors
