// Builds the events of a job history from the state of a MapReduceMaster.
#pragma once

#include "actors/map_reduce_master/master_state.hpp"
#include "ports/job_history_events.hpp"

namespace heddle::actors {

/// Wall clock in ms since 1970.
[[nodiscard]] std::int64_t wall_time(const MasterState& state, Instant when);
[[nodiscard]] Instant instant_of(const MasterState& state, std::int64_t wall_ms);

[[nodiscard]] history::Event master_started(const MasterTurn& turn);
[[nodiscard]] history::Event job_succeeded(const MasterTurn& turn);
/// The event that a state machine names. Keeps the counters of a succeeded attempt until its task has ended.
[[nodiscard]] history::Event make_record(MasterTurn& turn, const policies::WriteHistory& effect);
/// Path of the settings file that belongs to the history.
[[nodiscard]] std::string history_settings_path(const MasterState& state);

}  // namespace heddle::actors
