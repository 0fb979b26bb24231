// The Driver's list of messages, its executors and its timers. Jobs: driver_jobs.cpp; rounds and statuses:
// driver_offers.cpp.
//
//   job:  preparing --OutputPrepared--> running --all parts ended--> committing --JobCommitted--> ending --> told,
//   forgotten
//              '----------------failure, cancellation-------------------'------------------------^
#include "actors/driver/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "model/container.hpp"
#include "model/executor_numbers.hpp"
#include "runtime/spawn_role.hpp"

namespace heddle::actors {

Driver::Driver(DriverActor::pointer self, DriverSettings settings, runtime::ActorTools tools, DriverPorts ports)
    : self_{self},
      settings_{std::move(settings)},
      tools_{std::move(tools)},
      ports_{ports},
      place_records_{tools_.events, tools_.clock},
      stage_scheduler_{settings_.stage_scheduler, place_records_},
      task_scheduler_{settings_.task_scheduler, place_records_},
      allocation_{settings_.allocation, place_records_},
      migration_{settings_.output_moves_max, settings_.output_move_failures_max} {
  self_->set_down_handler([this](caf::down_msg& down) { on_connection_lost(down.source); });
  const auto now = tools_.clock->now();
  revive_due_ = now + settings_.revive_interval;
  progress_due_ = now + settings_.progress_interval;
  policies::AllocationEffects effects;
  allocation_.on_start(now, effects);
  want_executors(effects);
  executors_expected_ = wanted_.target_total();
  registration_due_ = now + settings_.registered_wait_max;
}

DriverActor::behavior_type Driver::make_behavior() {
  return {
      [this](const SubmitJob& message) { on_submit_job(message); },
      [this](const CancelJob& message) { on_cancel_job(message); },
      [this](const StopDriver& message) { on_stop_driver(message); },
      [this](const RegisterExecutor& message) { on_register_executor(message); },
      [this](const StatusUpdate& message) { on_status_update(message); },
      [this](const TasksRetracted& message) { on_tasks_retracted(message); },
      [this](const Heartbeat& message) { on_heartbeat(message); },
      [this](const OutputsTaken& message) { on_outputs_taken(message); },
      [this](const RegisterYarnAllocator& message) { on_register_yarn_allocator(message); },
      [this](const RemoveExecutor& message) { on_remove_executor(message); },
      [this](const RemoveNode& message) { on_remove_node(message); },
      [this](const DecommissionHost& message) { on_decommission_host(message); },
      [this](const AllocationFailed& message) { on_allocation_failed(message); },
      [this](const ReviveOffers&) { on_revive_offers(); },
      [this](const DriverTick& message) { on_driver_tick(message); },
      [this](const OutputPrepared& message) { on_output_prepared(message); },
      [this](const JobCommitted& message) { on_job_committed(message); },
  };
}

// -- executors ---------------------------------------------------------------

void Driver::on_register_executor(const RegisterExecutor& message) {
  auto handle = caf::actor_cast<ExecutorActor>(self_->current_sender());
  const auto refuse = [&](const char* why) {
    write_event("executor_refused", ports::EventFields{}.add("executor", message.executor));
    self_->send(handle, StopExecutor{why});
  };
  if (stop_) return refuse("the application ends");
  if (message.build_id != settings_.build_id) return refuse("executor and driver are different builds");
  if (removed_.contains(message.executor)) return refuse("its container has ended");
  // Ids number tables of the deciders: only those are taken that an allocator of this application may have given.
  const auto attempts = std::max(allocator_attempt_, settings_.application_attempt) + std::int64_t{1};
  if (message.executor.value < 0 || message.executor.value > attempts * executors_per_attempt || message.cores < 1)
    return refuse("no executor of this application has such a number, or none has so few cores");
  if (attempt_of(message.executor) < allocator_attempt_) {
    write_event("stale_register_executor", ports::EventFields{}.add("executor", message.executor));
    self_->send(handle, StopExecutor{"its allocator is gone"});
    return;
  }
  const auto now = tools_.clock->now();
  if (auto* known = executors_.find(message.executor); known != nullptr && known->handle)
    lose_executor(now, message.executor, {policies::LossKind::process_lost, true}, false);
  if (const auto* former = executors_.find(message.executor);
      former != nullptr && former->place != message.shuffle_place) {
    // The same executor id means another location now: send every reader whole tables again.
    broadcast_.restart();
  }
  forget_lost_executors();
  broadcast_.forget_reader(message.executor);
  ExecutorEntry entry;
  entry.handle = handle;
  entry.epoch = Epoch{next_epoch_++};
  entry.host_name = message.host;
  entry.host = host_id(message.host);
  entry.cores = message.cores;
  entry.devices = ExecutorDevices{settings_.devices, message.devices, message.profile};
  entry.place = message.shuffle_place;
  entry.last_heard = now;
  const auto& added = executors_.add(message.executor, std::move(entry));
  const auto epoch = added.epoch;
  count_slots(added, 1);
  task_scheduler_.introduce_executor(message.executor, to_string(message.executor));
  stage_scheduler_.on_executor_added(message.executor, host_id(message.host));
  allocation_.on_executor_added(now, message.executor, message.profile);
  write_event("executor_registered", ports::EventFields{}
                                         .add("executor", message.executor)
                                         .add("host", message.host)
                                         .add("cores", message.cores)
                                         .add("profile", message.profile));
  look_for_silence_at(now + settings_.executor_timeout + Duration{1});
  self_->monitor(handle);
  self_->send(handle, RegisteredExecutor{epoch});
  if (has_removed_shuffles_) {
    auto shuffles = removable_shuffles();
    shuffles.epoch = epoch;
    self_->send(handle, std::move(shuffles));
  }
  if (executor_source_) self_->send(executor_source_, ExecutorRegistered{message.executor});
  if (!is_ready_) start_waiting_jobs(now);
  if (migration_.is_leaving(host_id(message.host))) return decommission_executors(now, host_id(message.host));
  check_slots_again(now, true);
  send_migrations();
  request_round(message.executor);
}

void Driver::on_heartbeat(const Heartbeat& message) {
  if (auto* entry = executors_.current(message.executor, message.epoch)) {
    const auto now = tools_.clock->now();
    entry->last_heard = now;
    take_progress(now, message.running);
    return tell_ended(*entry);
  }
  // Of one that is known in another epoch this is late word. One that is not known was given up and lives: it may begin
  // anew.
  const auto* entry = executors_.find(message.executor);
  if (stop_ || (entry != nullptr && entry->handle)) return;
  write_event("executor_unknown", ports::EventFields{}.add("executor", message.executor));
  const auto sender = caf::actor_cast<ExecutorActor>(self_->current_sender());
  if (removed_.contains(message.executor)) return self_->send(sender, StopExecutor{"its container has ended"});
  self_->send(sender, RegisterAgain{message.epoch});
}

void Driver::on_connection_lost(const caf::actor_addr& address) {
  const auto now = tools_.clock->now();
  if (executor_source_ && executor_source_.address() == address) {
    // No reason will come any more for what was disconnected before.
    executor_source_ = nullptr;
    write_event("allocator_lost", {});
    for (auto& [id, entry] : executors_)
      if (entry.handle && entry.loss_due) entry.loss_due = now;
    look_for_silence_at(now);
    arm_tick(now);
    return;
  }
  for (auto& [id, entry] : executors_) {
    if (!entry.handle || entry.loss_due || entry.handle.address() != address) continue;
    // The reason comes from the allocator; until then nothing is offered there and its tasks stay as they are.
    entry.is_offered = false;
    entry.loss_due = now + (has_lost_allocator() ? Duration{0} : settings_.loss_reason_wait);
    look_for_silence_at(*entry.loss_due);
    write_event("executor_disconnected", ports::EventFields{}.add("executor", id));
    policies::TaskSchedulerEffects effects;
    task_scheduler_.on_executor_lost(now, id, {policies::LossKind::pending, true}, effects);
    carry_out(now, effects);
    arm_tick(now);
    return;
  }
}

void Driver::lose_executor(Instant now, ExecutorId id, policies::LossReason reason, bool with_host) {
  auto* entry = executors_.find(id);
  if (entry == nullptr || !entry->handle) return;
  count_slots(*entry, -1);
  executors_.retire(*entry);
  entry->is_offered = false;
  entry->loss_due.reset();
  entry->lost_before = next_job_;
  lost_.emplace_back(next_job_, id);
  dirty_.erase(id);
  policies::TaskSchedulerEffects effects;
  task_scheduler_.on_executor_lost(now, id, reason, effects);
  policies::StageEffects stage_effects;
  // Map outputs belong to the node and stay, unless the node went too.
  if (with_host) {
    stage_scheduler_.on_executor_lost(id, entry->host, stage_effects);
    migration_.remove_sources({id});
  }
  const bool has_drained =
      !entry->draining.empty() && entry->assigned == 0 && reason.kind == policies::LossKind::killed;
  allocation_.on_executor_removed(
      id, has_drained ? policies::ExecutorEnd::decommission_finished : policies::ExecutorEnd::other);
  broadcast_.mark_all_changed();
  carry_out(stage_effects);
  carry_out(now, effects);
  migration_.remove_target(id);
  send_migrations();
  request_full_round();
}

/// Jobs are numbered in order: those that came after a loss have no map output there.
void Driver::forget_lost_executors() {
  while (!lost_.empty() && (jobs_.empty() || jobs_.begin()->first >= lost_.front().first)) {
    const auto [before, id] = lost_.front();
    lost_.pop_front();
    if (const auto* entry = executors_.find(id); entry != nullptr && !entry->handle && entry->lost_before == before) {
      executors_.forget(id);
      broadcast_.forget_reader(id);
    }
  }
}

// -- the allocator -------------------------------------------------------------

void Driver::on_register_yarn_allocator(const RegisterYarnAllocator& message) {
  if (message.attempt.attempt < allocator_attempt_) return write_event("stale_register_yarn_allocator", {});
  const bool is_another = had_allocator_;
  had_allocator_ = true;
  const bool is_new_attempt = message.attempt.attempt > allocator_attempt_ && allocator_attempt_ > 0;
  allocator_attempt_ = message.attempt.attempt;
  executor_source_ = caf::actor_cast<ExecutorSourceActor>(self_->current_sender());
  self_->monitor(executor_source_);
  write_event("allocator_registered", ports::EventFields{}.add("attempt", allocator_attempt_));
  if (stop_) return self_->send(executor_source_, *stop_);
  if (is_new_attempt) lose_older_executors();
  if (is_another && settings_.allocation.dynamic) {
    allocation_.on_reset();
    for (auto& wish : wanted_.profiles) wish.target_total = allocation_.target(wish.profile).value_or(0);
  }
  tell_wanted();
}

void Driver::lose_older_executors() {
  const auto now = tools_.clock->now();
  std::vector<ExecutorId> older;
  for (auto& [id, entry] : executors_)
    if (entry.handle && attempt_of(id) < allocator_attempt_) older.push_back(id);
  for (const auto id : older) {
    self_->send(executors_.find(id)->handle, StopExecutor{"its allocator is gone"});
    lose_executor(now, id, {policies::LossKind::exited, false}, false);
  }
}

bool Driver::is_of_older_allocator() const {
  const auto& sender = self_->current_sender();
  return executor_source_ && sender && executor_source_.address() != sender->address();
}

void Driver::on_remove_executor(const RemoveExecutor& message) {
  if (is_of_older_allocator())
    return write_event("stale_remove_executor", ports::EventFields{}.add("executor", message.executor));
  write_event("executor_removed",
              ports::EventFields{}.add("executor", message.executor).add("exit_code", message.exit_code));
  auto* entry = executors_.find(message.executor);
  if (entry != nullptr && entry->handle && !stop_ &&
      (message.kind != LossKind::killed || message.exit_code == container_exit_status::preempted))
    tell_notice(fmt::format("executor {} on {} is lost: {}", message.executor.value, entry->host_name, message.text));
  policies::LossReason reason{policies::LossKind::exited, message.caused_by_application};
  if (message.kind == LossKind::killed) reason = {policies::LossKind::killed, false};
  if (message.kind == LossKind::start_failed && (entry == nullptr || !entry->handle))
    tell_notice(fmt::format("executor {} could not be started: {}", message.executor.value, message.text));
  remember_removed(message.executor);
  // Its process may live on, where its node was lost by silence.
  if (entry != nullptr && entry->handle) self_->send(entry->handle, StopExecutor{"its container has ended"});
  current_loss_ = message.text;
  lose_executor(tools_.clock->now(), message.executor, reason, message.kind == LossKind::node_lost);
  current_loss_.clear();
}

void Driver::remember_removed(ExecutorId id) {
  constexpr std::size_t removed_max = 10'000;
  removed_.insert(id);
  if (removed_.size() > removed_max) removed_.erase(removed_.begin());  // ids are given in order: the oldest
}

void Driver::on_remove_node(const RemoveNode& message) {
  const auto host = host_id(message.host);
  write_event("node_removed", ports::EventFields{}.add("node", message.node).add("host", message.host));
  tell_notice(fmt::format("node {} is lost with the map outputs that it served", message.host));
  migration_.remove_host(host);  // a new node of the same name is another one
  policies::StageEffects effects;
  std::set<ExecutorId> gone;
  for (auto& [id, entry] : executors_) {
    if (entry.place.node != message.node) continue;
    stage_scheduler_.on_executor_lost(id, host, effects);
    gone.insert(id);
  }
  migration_.remove_sources(gone);
  broadcast_.mark_all_changed();
  carry_out(effects);
}

void Driver::on_allocation_failed(const AllocationFailed& message) {
  if (is_of_older_allocator()) return write_event("stale_allocation_failed", {});
  std::vector<JobId> ids;
  for (const auto& [id, job] : jobs_) ids.push_back(id);
  for (const auto id : ids) fail_job(jobs_.at(id), JobStatus::failed, message.text);
}

// -- timers --------------------------------------------------------------------

void Driver::on_driver_tick(const DriverTick& message) {
  if (!tick_.accept(message.generation)) return;
  const auto now = tools_.clock->now();
  policies::StageEffects stage_effects;
  stage_scheduler_.on_time(now, stage_effects);
  carry_out(stage_effects);
  policies::TaskSchedulerEffects effects;
  task_scheduler_.on_time(now, effects);
  if (settings_.task_scheduler.speculation && now >= speculation_due_) {
    task_scheduler_.check_speculation(now, effects);
    speculation_due_ = now + settings_.speculation_interval;
  }
  carry_out(now, effects);
  if (settings_.allocation.dynamic) {
    policies::AllocationEffects wanted;
    allocation_.on_time(now, wanted);
    want_executors(wanted);
  }
  tell_exclusions();
  warn_of_starvation(now);
  end_silent_executors(now);
  end_leaving_executors(now);
  if (now >= revive_due_) {
    request_full_round();
    revive_due_ = now + settings_.revive_interval;
  }
  if (now >= progress_due_) {
    for (auto& [id, job] : jobs_) tell_progress(job);
    progress_due_ = now + settings_.progress_interval;
  }
  finish_ended_jobs(now);
  if (!is_ready_) start_waiting_jobs(now);
  check_slots_again(now, false);
  arm_tick(now);
}

/// An executor that says nothing, or whose connection broke, may still hold its container: its source ends it, and asks
/// for another, since the target stays (HB-3).
void Driver::end_silent_executors(Instant now) {
  if (!silence_due_ || now < *silence_due_) return;
  std::vector<ExecutorId> gone;
  std::vector<ExecutorId> silent;
  std::vector<ExecutorId> disconnected;
  for (auto& [id, entry] : executors_) {
    const bool is_silent = entry.last_heard + settings_.executor_timeout < now;
    if (!entry.handle || !(is_silent || (entry.loss_due && *entry.loss_due <= now))) continue;
    gone.push_back(id);
    (is_silent ? silent : disconnected).push_back(id);
  }
  kill_executors(silent, "no heartbeat came in time");
  kill_executors(disconnected, "its connection to the driver broke");
  for (const auto id : gone) {
    write_event("executor_lost", ports::EventFields{}.add("executor", id));
    // Without an allocator the cluster ends its executors: no fault of what ran on them.
    lose_executor(now, id, {policies::LossKind::process_lost, !has_lost_allocator()}, false);
  }
  silence_due_.reset();
  for (const auto& [id, entry] : executors_) {
    if (!entry.handle) continue;
    look_for_silence_at(entry.last_heard + settings_.executor_timeout +
                        Duration{1});  // a silence of just the time-out is none
    if (entry.loss_due) look_for_silence_at(*entry.loss_due);
  }
}

/// Words of executors put this off, but nobody asks all of them at every word: it is looked for too early then.
void Driver::look_for_silence_at(Instant when) {
  if (!silence_due_ || when < *silence_due_) silence_due_ = when;
}

void Driver::arm_tick(Instant now) {
  std::optional<Instant> due;
  const auto take = [&due](std::optional<Instant> when) {
    if (when && (!due || *when < *due)) due = when;
  };
  take(stage_scheduler_.next_due());
  take(task_scheduler_.next_due());
  if (settings_.allocation.dynamic) take(allocation_.next_due());
  take(silence_due_);
  take(migration_.next_due());
  if (!jobs_.empty()) {
    take(revive_due_);
    take(progress_due_);
    if (settings_.task_scheduler.speculation) take(speculation_due_);
    for (const auto id : ending_jobs_)
      if (const auto& job = jobs_.at(id); !job.is_being_prepared) take(job.end_due);
    for (const auto id : short_of_slots_) take(jobs_.at(id).slots_due);
    take(starvation_due_);
    if (!is_ready_) take(registration_due_);
  }
  if (!due) return tick_.cancel();
  // One that comes earlier arms the next: rounds that follow each other closely do not each leave a timer behind.
  if (tick_.is_armed() && tick_due_ <= *due) return;
  tick_due_ = *due;
  tick_.arm<DriverTick>(self_, std::max(*due - now, Duration{0}));
}

policies::HostId Driver::host_id(const std::string& name) {
  const auto [position, is_new] =
      hosts_.try_emplace(name, policies::HostId{static_cast<std::int32_t>(host_names_.size())});
  if (is_new) {
    host_names_.push_back(name);
    const auto rack = settings_.racks.find(name);
    task_scheduler_.introduce_host(position->second, name,
                                   rack == settings_.racks.end() ? std::string_view{} : rack->second);
  }
  return position->second;
}

TaskSetRecord* Driver::find_set(policies::TaskSetKey key) {
  const auto position = sets_.find(key);
  return position == sets_.end() ? nullptr : &position->second;
}

void Driver::write_event(std::string_view name, const ports::EventFields& fields) {
  stage_scheduler_.flush_records();
  task_scheduler_.flush_records();
  allocation_.flush_records();
  tools_.events->write(tools_.clock->now(), name, fields);
}

/// Its clients would wait for ever.
void Driver::on_role_failed(const std::string& why) {
  for (const auto& [id, job] : jobs_) {
    JobFinished end;
    end.job = id;
    end.text = "the driver failed: " + why;
    if (job.client) self_->send(job.client, end);
  }
}

DriverActor spawn_driver(caf::actor_system& system, const DriverSettings& settings, const runtime::ActorTools& tools,
                         const DriverPorts& ports) {
  return runtime::spawn_role<Driver>(system, settings, tools, ports);
}

}  // namespace heddle::actors
