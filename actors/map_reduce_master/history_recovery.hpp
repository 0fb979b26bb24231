// What a MapReduceMaster keeps of the history of earlier application attempts: the tasks that have succeeded. After
// Hadoop's JobHistoryParser.
#pragma once

#include <vector>

#include "messages/map_reduce_master.hpp"
#include "ports/job_history_events.hpp"

namespace heddle::actors {

/// Fills in the times of the job and its succeeded tasks, in their order. A map whose success was lost is not one of
/// them.
void read_history(const std::vector<history::Event>& events, HistoryOpened& answer);

}  // namespace heddle::actors
