// Speculation of a MapReduceMaster: what its speculator hears of attempts, and the second attempts that it starts.
#pragma once

#include "actors/map_reduce_master/master_state.hpp"

namespace heddle::actors {

/// Passes an input to the speculator of the job, if it has one.
void tell_speculator(MasterTurn& turn, const policies::speculator_input::Input& input);
/// Tells it of the attempts and tasks that have ended since the last call.
void tell_ends_to_speculator(MasterTurn& turn);
void run_speculation_deadline(MasterTurn& turn);

}  // namespace heddle::actors
