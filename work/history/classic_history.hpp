// History files of Hadoop 1.2: lines such as `Task TASKID="task_1_0001_m_000000" TASK_TYPE="MAP" … .`. A value can
// have more than one line.
#pragma once

#include <string>
#include <string_view>

#include "ports/job_history.hpp"
#include "ports/job_history_events.hpp"

namespace heddle::work {

/// First line of a file.
inline constexpr std::string_view classic_header = "Meta VERSION=\"1\" .\n";

/// Appends the line of an event. Hadoop 1.2 has no line for MasterStarted and JobQueueChanged, and none of the fields
/// that came later.
void append_classic(std::string& out, const history::Event& event);

/// A torn end is no fault: it is behind `whole_bytes`. Keys that are not known are skipped.
[[nodiscard]] ports::JobHistoryContent read_classic(std::string_view file);

}  // namespace heddle::work
