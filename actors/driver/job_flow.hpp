// Jobs from submission to removal: output folders, admission, start, failure, commit.
#pragma once

#include <string>

#include "actors/driver/driver_state.hpp"
#include "policies/tasks/types/task_set_key.hpp"

namespace heddle::actors {

// -- messages ----------------------------------------------------------------------------------
/// Moves the package out of the message.
void submit_job(Turn& turn, SubmitJob& message, bool has_client);
/// Moves the package out of the message.
void handle_package_read(Turn& turn, PackageRead& message);
void cancel_job(Turn& turn, const CancelJob& message);
void stop_driver(Turn& turn, const StopDriver& message);
void handle_output_prepared(Turn& turn, const OutputPrepared& message);
void handle_job_committed(Turn& turn, const JobCommitted& message);

// -- steps -------------------------------------------------------------------------------------
void apply(Turn& turn, const StartWaitingJob& step);
void apply(Turn& turn, const CheckBarrierSlots& step);
void apply(Turn& turn, const StartResultJob& step);
void apply(Turn& turn, const CancelResultJob& step);
void apply(Turn& turn, const FailJob& step);
/// Starts the waiting jobs if enough executors have registered.
void start_waiting_jobs(Turn& turn);
void check_barrier_slots_in_time(Turn& turn);
void check_barrier_slots_early(Turn& turn);
void abort_stopped_jobs(Turn& turn);

// -- for other flows ---------------------------------------------------------------------------
void fail_job(Turn& turn, JobRecord& job, JobStatus status, std::string text);
void end_result_job(Turn& turn, JobId result_job, bool succeeded);
void report_progress(Turn& turn, JobRecord& job);
/// Makes executors unload the stage. Removes the task set from the Driver, unless task attempts still run.
void forget_set(Turn& turn, policies::TaskSetKey key, bool is_urgent);
/// Removes lost executors on which no job has map outputs.
void forget_lost_executors(Turn& turn);

}  // namespace heddle::actors
