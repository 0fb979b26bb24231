// Turns jobs into tasks and keeps them going until each job has ended.
// Owns the deciders of its jobs and the table of its executors; decides through policies/.
// Hears: Client, Executor, YarnAllocator.  Tells: Executor, YarnAllocator (as ExecutorSource), Client.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "actors/driver/driver_settings.hpp"
#include "actors/driver/executor_table.hpp"
#include "actors/driver/job_record.hpp"
#include "actors/driver/map_output_broadcast.hpp"
#include "actors/driver/recorded_allocation.hpp"
#include "actors/driver/recorded_stage_scheduler.hpp"
#include "actors/driver/recorded_task_scheduler.hpp"
#include "actors/driver/shuffle_migration.hpp"
#include "messages/handles.hpp"
#include "policies/stages/resource_profiles.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

class Driver {
public:
  using Handle = DriverActor;
  Driver(DriverActor::pointer self, DriverSettings settings, runtime::ActorTools tools, DriverPorts ports);
  DriverActor::behavior_type make_behavior();
  void on_role_failed(const std::string& why);

private:
  // -- from the client (driver_jobs.cpp) ------------------------------------------
  void on_submit_job(const SubmitJob& message);
  void on_cancel_job(const CancelJob& message);
  void on_stop_driver(const StopDriver& message);
  // -- from executors ---------------------------------------------------------------
  void on_register_executor(const RegisterExecutor& message);
  void on_status_update(const StatusUpdate& message);
  void on_tasks_retracted(const TasksRetracted& message);
  void on_heartbeat(const Heartbeat& message);
  void on_outputs_taken(const OutputsTaken& message);
  // -- from the allocator -------------------------------------------------------------
  void on_register_yarn_allocator(const RegisterYarnAllocator& message);
  void on_remove_executor(const RemoveExecutor& message);
  void on_remove_node(const RemoveNode& message);
  void on_decommission_host(const DecommissionHost& message);
  void on_allocation_failed(const AllocationFailed& message);
  // -- timers, and answers from the background ------------------------------------------
  void on_revive_offers();
  void on_driver_tick(const DriverTick& message);
  void on_output_prepared(const OutputPrepared& message);
  void on_job_committed(const JobCommitted& message);
  void on_connection_lost(const caf::actor_addr& address);

  // -- jobs (driver_jobs.cpp) -------------------------------------------------------------
  void start_when_ready(JobRecord& job);
  void start_waiting_jobs(Instant now);
  void start_job(JobRecord& job);
  void start_when_slots_suffice(JobRecord& job);
  /// Why a barrier stage of the job could not run on the executors that are there; empty: it could.
  [[nodiscard]] std::string lack_of_slots(const JobRecord& job);
  /// Tasks of so many cores that could run at once on the executors that are there: counted once, then kept as they
  /// come and go.
  [[nodiscard]] std::int64_t slots_for(std::int32_t task_cores);
  /// The executor has come (1), or is about to go or to get nothing new (-1).
  void count_slots(const ExecutorEntry& entry, std::int32_t sign);
  void check_slots_again(Instant now, bool also_early);
  [[nodiscard]] std::shared_ptr<const policies::PlaceLists> places_of(const std::vector<TaskSplit>& splits);

  // -- stages (driver_stages.cpp) ---------------------------------------------------------
  void carry_out(policies::StageEffects& effects);
  [[nodiscard]] TaskSetRecord record_of(const JobRecord& job, const policies::SubmitTaskSet& set) const;
  void submit_task_set(const policies::SubmitTaskSet& set);
  void describe_failure(const policies::JobFailed& failed);
  void describe_failure(const policies::TaskSetFailed& failed);
  void warn_of_large(const policies::LargeDescription& large);
  [[nodiscard]] JobRecord* job_of_part(JobId part);

  // -- ends of jobs (driver_job_ends.cpp) ---------------------------------------------------
  void end_part(JobId part, bool succeeded);
  void fail_job(JobRecord& job, JobStatus status, std::string text);
  void commit_job(JobRecord& job);
  void abort_outputs(JobRecord& job);
  void finish_job(JobId id);
  void finish_ended_jobs(Instant now);
  void forget_shuffles(const JobRecord& job);
  [[nodiscard]] RemoveShuffles removable_shuffles() const;
  void forget_set(policies::TaskSetKey key, bool is_urgent);
  void forget_lost_executors();

  // -- executors of several sizes (driver_profiles.cpp) --------------------------------------
  [[nodiscard]] ProfileId profile_of(const JobPlan& plan, std::int32_t stage);
  [[nodiscard]] std::optional<policies::TaskNeed> need_of(ProfileId profile) const;
  [[nodiscard]] std::int32_t tasks_per_executor(ProfileId profile) const;
  /// How many tasks of so many cores one executor of so many cores can run at a time, with the devices that each takes.
  [[nodiscard]] std::int32_t tasks_of_executor(std::int32_t cores, std::int32_t task_cores) const;
  [[nodiscard]] ExecutorsOfProfile wish_of(const policies::RequestExecutorTotals::OfProfile& total) const;

  // -- rounds (driver_offers.cpp) ---------------------------------------------------------------
  void request_round(ExecutorId executor);
  void request_full_round();
  void raise_round();
  void run_round(Instant now);
  void queue_ahead(Instant now);
  void ask_for_retraction();

  // -- statuses (driver_statuses.cpp) -----------------------------------------------------------
  void carry_out(Instant now, policies::TaskSchedulerEffects& effects);
  void on_task_ended(Instant now, const policies::TaskEnded& ended);
  void keep_success(const policies::TaskEnded& ended, TaskSetRecord& set, JobRecord* job, const ExecutorEntry* entry,
                    policies::StageEffects& effects);
  [[nodiscard]] policies::OutputPlace fetch_source(const TaskOutcome& outcome);
  void take_fetch_failure(Instant now, const policies::TaskEnded& ended, const JobRecord* job,
                          policies::StageEffects& effects);
  void finish_range(Instant now, ExecutorEntry& entry, const FinishedRange& range);
  [[nodiscard]] bool compares_rates() const;
  void take_progress(Instant now, const std::vector<RunningTask>& running);
  void take_status(Instant now, ExecutorId executor, ExecutorEntry& entry, const TaskStatus& status);
  void note_barrier_failure(TaskSetRecord& set, const policies::TaskEnded& ended);
  void count_failure(JobRecord& job, const TaskSetRecord& set, const TaskOutcome& outcome);
  void count_lost_attempt(TaskSetRecord& set, const ExecutorEntry* entry);
  void lose_executor(Instant now, ExecutorId id, policies::LossReason reason, bool with_host);
  void lose_older_executors();
  [[nodiscard]] bool is_of_older_allocator() const;
  void remember_removed(ExecutorId id);
  [[nodiscard]] bool has_lost_allocator() const { return allocator_attempt_ > 0 && !executor_source_; }

  // -- hosts that will go (driver_decommission.cpp) --------------------------------------------
  void decommission_executors(Instant now, policies::HostId host);
  void migrate_output(ShuffleId shuffle, std::int32_t map, policies::OutputPlace from);
  void send_migrations();
  void end_leaving_executors(Instant now);

  // -- telling (driver_telling.cpp) ------------------------------------------------------------
  void launch(const policies::TaskSchedulerEffects& effects);
  void note_started(Instant now, const policies::TaskLaunch& launch);
  void note_reported(Instant now, policies::LaunchId attempt);
  void note_ended(Instant now, const policies::TaskEnded& ended);
  void send_ranges(ExecutorId executor, std::vector<TaskRange> ranges);
  void forget_outputs(ShuffleId shuffle);
  void forget_stage(ExecutorEntry& entry, const StageKey& stage, bool is_urgent);
  void tell_ended(ExecutorEntry& entry);
  void send_map_outputs(ExecutorId executor, const ExecutorEntry& entry, const ShuffleInput& shuffle);
  void kill_attempt(const policies::KillAttempt& kill);
  void want_executors(const policies::AllocationEffects& effects);
  void kill_executors(const std::vector<ExecutorId>& executors, const std::string& reason);
  void drain_executors(Instant now, const std::vector<ExecutorId>& executors, const std::string& reason,
                       bool whole_host = false);
  void end_excluded(Instant now, const std::vector<ExecutorId>& executors, const std::string& reason);
  [[nodiscard]] std::vector<ExecutorId> still_idle(const std::vector<ExecutorId>& executors);
  void tell_wanted();
  void tell_exclusions();
  void warn_of_starvation(Instant now);
  void tell_progress(JobRecord& job);
  void tell_notice(const std::string& text);
  /// The same sentence is told once; the first thousand of them are.
  void tell_notice_once(const std::string& text);
  void tell_exclusion(const policies::TaskEnded& failed);
  void arm_tick(Instant now);
  void end_silent_executors(Instant now);
  void look_for_silence_at(Instant when);
  void write_event(std::string_view name, const ports::EventFields& fields);

  policies::HostId host_id(const std::string& name);
  [[nodiscard]] TaskSetRecord* find_set(policies::TaskSetKey key);

  // -- state ----------------------------------------------------------------------------------
  DriverActor::pointer self_;
  DriverSettings settings_;
  runtime::ActorTools tools_;
  DriverPorts ports_;
  PlaceRecords place_records_;
  RecordedStageScheduler stage_scheduler_;
  RecordedTaskScheduler task_scheduler_;
  RecordedAllocation allocation_;
  ExecutorTable executors_;
  ExecutorSourceActor executor_source_;
  bool had_allocator_ = false;          // also one that is lost
  std::int32_t allocator_attempt_ = 0;  // of the application, as the source that registered last named it
  RequestExecutors wanted_;
  policies::ResourceProfiles profiles_{
      policies::ResourceNeeds{}};  // of the executors; the default's size is its source's own
  std::map<JobId, JobRecord> jobs_;
  std::map<JobId, JobId> job_of_part_;
  std::map<policies::TaskSetKey, TaskSetRecord> sets_;
  MapOutputBroadcast broadcast_;
  ShuffleMigration migration_;
  std::map<std::string, policies::HostId> hosts_;
  std::vector<std::string> host_names_;
  std::set<std::string> told_once_;
  JobId next_job_{0};
  std::int64_t next_epoch_ = 1;
  ShuffleId next_shuffle_{0};                     // after all that jobs have had
  bool has_removed_shuffles_ = false;             // executors were told so, and later ones will be
  const TaskOutcome* current_outcome_ = nullptr;  // while one status is handled: sizes, where a fetch failed
  std::string current_loss_;                      // while one executor is removed: why it is gone
  std::set<JobId> short_of_slots_;                // that wait until all tasks of a barrier stage could run at once
  std::map<std::int32_t, std::int64_t> slots_by_task_cores_;  // of all executors that get tasks
  std::set<JobId> ending_jobs_;                               // that wait for attempts to die
  std::deque<std::pair<JobId, ExecutorId>> lost_;  // entries to be forgotten once all jobs before this one are over
  std::set<ExecutorId> removed_;                   // whose containers have ended: they do not register again
  std::set<ExecutorId> dirty_;                     // executors whose slots may be offered in the next round
  std::int64_t ended_jobs_ = 0;                    // totals of the event log
  std::int64_t ended_tasks_ = 0;
  std::int64_t ended_failures_ = 0;
  bool is_full_round_due_ = false;
  bool is_round_due_ = false;
  std::optional<StopAllocator> stop_;  // the application ends
  bool is_ready_ = false;              // enough executors have registered, or it was waited long enough
  std::int32_t executors_expected_ = 0;
  Instant registration_due_;
  std::vector<policies::SlotOffer> offers_;
  Instant revive_due_;
  Instant speculation_due_;
  Instant progress_due_;
  Instant last_launch_;
  std::optional<Instant> silence_due_;     // not later than any executor counts as lost
  std::optional<Instant> starvation_due_;  // while nothing has been offered to the first job (TS-14)
  bool has_ended_starvation_ = false;
  runtime::Timer tick_;
  Instant tick_due_;  // while it is armed
};

/// Spawns a Driver; what it is handed outlives it.
[[nodiscard]] DriverActor spawn_driver(caf::actor_system& system, const DriverSettings& settings,
                                       const runtime::ActorTools& tools, const DriverPorts& ports);

}  // namespace heddle::actors
