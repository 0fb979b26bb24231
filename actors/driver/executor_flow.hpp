// Executors and their source: registration, loss, draining, requests, exclusion, decommissioned hosts.
#pragma once

#include <string>
#include <vector>

#include "actors/driver/driver_state.hpp"

namespace heddle::actors {

// -- messages ----------------------------------------------------------------------------------
void register_executor(Turn& turn, const RegisterExecutor& message);
void handle_heartbeat(Turn& turn, const Heartbeat& message);
/// Notifies the clients if the outcome is that of a running attempt which says what tasks wait for.
void notify_of_wait(Turn& turn, ExecutorId executor, const TaskOutcome& outcome);
void disconnect_executor(Turn& turn, ExecutorId executor);
void connect_source(Turn& turn, const RegisterYarnAllocator& message);
void disconnect_source(Turn& turn);
/// `is_stale`: the sender is a source that another one has replaced.
void remove_executor(Turn& turn, const RemoveExecutor& message, bool is_stale);
void fail_allocation(Turn& turn, const AllocationFailed& message, bool is_stale);
void fail_all_jobs(Turn& turn, const FailJobs& message);
void decommission_host(Turn& turn, const DecommissionHost& message);
void handle_map_outputs_migrated(Turn& turn, const MapOutputsMigrated& message);

// -- steps -------------------------------------------------------------------------------------
void apply(Turn& turn, const LoseExecutor& step);
void apply(Turn& turn, const RetargetMigrations& step);
void apply(Turn& turn, const AddExecutor& step);
void apply(Turn& turn, const UseExecutor& step);
void apply(Turn& turn, const SendEndedStages& step);
void apply(Turn& turn, const policies::AllocationEffect& effect);
void lose_overdue_executors(Turn& turn);
void kill_executors_of_leaving_hosts(Turn& turn);
/// Sends host exclusions to the source if they have changed, and notifies the clients.
void update_exclusions(Turn& turn);

// -- for other flows ---------------------------------------------------------------------------
/// The executors get no more tasks. The source ends their containers and reports their loss.
void kill_executors(Turn& turn, const std::vector<ExecutorId>& executors, const std::string& reason);
/// Kills or drains the executors, as DriverSettings::drain_excluded requires.
void end_excluded(Turn& turn, const std::vector<ExecutorId>& executors, const std::string& reason);
void migrate_output(Turn& turn, ShuffleId shuffle, std::int32_t map, policies::MapStatusLocation from);
/// Tells an executor to unload a stage. If not urgent: in batches of 32, or with the next heartbeat.
void unload_stage(Turn& turn, ExecutorId executor, ExecutorEntry& entry, const StageKey& stage, bool is_urgent);

}  // namespace heddle::actors
