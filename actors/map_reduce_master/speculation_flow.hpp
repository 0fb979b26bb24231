// Speculation of a MapReduceMaster: inputs of its speculator, and the second attempts that it starts.
#pragma once

#include "actors/map_reduce_master/master_state.hpp"

namespace heddle::actors {

/// Passes an input to the speculator of the job, if it has one.
void report_to_speculator(MasterTurn& turn, const policies::speculator_input::Input& input);
/// Passes the ends of attempts and tasks since the last call.
void report_ends_to_speculator(MasterTurn& turn);
void run_speculation_deadline(MasterTurn& turn);

}  // namespace heddle::actors
