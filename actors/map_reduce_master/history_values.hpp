// Values of a job history that a later MapReduceMaster reads back: counters and sums of an attempt, and the place of
// its map output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/stage_work.hpp"
#include "ports/job_history_events.hpp"

namespace heddle::actors {

/// `sums`: by "group\tname".
[[nodiscard]] history::Counters history_counters(std::string name,
                                                 const std::vector<std::pair<std::string, std::int64_t>>& sums);
/// Counters of an attempt. Its bytes and records, which JobTotals adds up, are a group of their own.
[[nodiscard]] history::Counters history_counters(const TaskOutcome& outcome);
/// The outcome of a success with these counters.
[[nodiscard]] TaskOutcome outcome_of(const history::Counters& counters);

/// The text in the field `state` of a finished map whose output reduces read.
[[nodiscard]] std::string place_text(const MapOutputLocation& place);
/// Nothing for another text.
[[nodiscard]] std::optional<MapOutputLocation> read_place(std::string_view text, const std::string& host);

}  // namespace heddle::actors
