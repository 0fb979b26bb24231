// The job of a MapReduceMaster: its submission, its outputs, its end, and the effects of its state machines.
#pragma once

#include "actors/map_reduce_master/master_state.hpp"

namespace heddle::actors {

// -- messages, timer -----------------------------------------------------------------------------
void submit_to_master(MasterTurn& turn, const SubmitJob& message, bool has_client);
void use_package(MasterTurn& turn, const PackageRead& message);
void cancel_master_job(MasterTurn& turn, const CancelJob& message);
void handle_outputs_prepared(MasterTurn& turn, const OutputPrepared& message);
void handle_outputs_committed(MasterTurn& turn, const JobCommitted& message);
void handle_attempt_output_removed(MasterTurn& turn, const AttemptOutputRemoved& message);
void run_job_deadlines(MasterTurn& turn);

// -- for the other flows, and after each message --------------------------------------------------
/// Starts the job once it is read and the application is registered.
void start_job_if_ready(MasterTurn& turn);
/// Ends the job as an earlier application attempt did, whose client has not heard of it.
void end_as_recorded(MasterTurn& turn, const RecordedEnd& recorded);
/// Sends the last message about the job, and ends the application.
void report_job_end(MasterTurn& turn);
/// Applies the effects of the state machines until none is left, and records the changes of states.
void settle_machines(MasterTurn& turn);
/// The ResourceManager has answered: a job that waited for that is committed.
void commit_waiting_job(MasterTurn& turn);
void apply_allocations(MasterTurn& turn, const policies::MapReduceEffects& effects);
void put(MasterTurn& turn, policies::MapReduceAttempt attempt, const policies::map_reduce_attempt_input::Input& input);
void put(MasterTurn& turn, policies::MapReduceAttempt attempt, policies::MapReduceAttemptEvent event);

}  // namespace heddle::actors
