// Message handlers of the Driver. The flows handle each message: job_flow.cpp, stage_flow.cpp, task_flow.cpp,
// offer_flow.cpp, executor_flow.cpp. driver_effects.cpp sends.
#include "actors/driver/driver.hpp"

#include <algorithm>
#include <type_traits>

#include "actors/driver/executor_flow.hpp"
#include "actors/driver/job_flow.hpp"
#include "actors/driver/map_output_flow.hpp"
#include "actors/driver/offer_flow.hpp"
#include "actors/driver/stage_flow.hpp"
#include "actors/driver/task_flow.hpp"
#include "caf_compat/packed.hpp"
#include "runtime/spawn_role.hpp"

namespace heddle::actors {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;  // clang 14 does not deduce aggregates

StageProgramPorts work_ports(const DriverPorts& ports) {
  return {[](const StageProgram& work) { return caf_compat::packed_bytes(work); }, ports.task_binary_error};
}

}  // namespace

Driver::Driver(DriverActor::pointer self, const DriverSettings& settings, runtime::ActorTools tools, DriverPorts ports)
    : self_{self},
      tools_{std::move(tools)},
      ports_{std::move(ports)},
      state_{settings, tools_, work_ports(ports_), tools_.clock->now()} {
  self_->set_down_handler([this](caf::down_msg& down) { on_connection_lost(down.source); });
  handle(start_allocation);
  state_.gate.expect(state_.requests.target_total());
}

DriverActor::behavior_type Driver::make_behavior() {
  return {
      // CAF tries the handlers in order: first those of each job and each task.
      [this](const StatusUpdate& message) { on_status_update(message); },
      [this](const ReviveOffers&) { handle(revive_offers); },
      [this](SubmitJob& message) { handle(submit_job, message, has_sender()); },
      [this](const CancelJob& message) { handle(cancel_job, message); },
      [this](const StopDriver& message) { handle(stop_driver, message); },
      [this](const FollowJobs& message) { pass_on(message); },
      [this](const StopFollowing& message) { pass_on(message); },
      [this](const RegisterExecutor& message) { handle(register_executor, message); },
      [this](const TasksRetracted& message) { handle(handle_tasks_retracted, message); },
      [this](const Heartbeat& message) { handle_quietly(handle_heartbeat, message); },
      [this](const MapOutputsMigrated& message) { handle(handle_map_outputs_migrated, message); },
      [this](const RegisterYarnAllocator& message) { handle(connect_source, message); },
      [this](const RemoveExecutor& message) { handle(remove_executor, message, is_from_former_source()); },
      [this](const RemoveNode& message) { handle(remove_node, message); },
      [this](const DecommissionHost& message) { handle(decommission_host, message); },
      [this](const AllocationFailed& message) { handle(fail_allocation, message, is_from_former_source()); },
      [this](const FailJobs& message) { handle(fail_all_jobs, message); },
      [this](const DriverTick& message) { on_driver_tick(message); },
      [this](PackageRead& message) { handle(handle_package_read, message); },
      [this](const OutputPrepared& message) { handle(handle_output_prepared, message); },
      [this](const JobCommitted& message) { handle(handle_job_committed, message); },
  };
}

template <class Flow, class... Arguments>
void Driver::handle(Flow flow, Arguments&&... arguments) {
  Turn turn{state_, effects_, tools_.clock->now()};
  flow(turn, arguments...);
  end_message(turn);
}

/// For ticks and heartbeats, which alone do not change what a client shows.
template <class Flow, class... Arguments>
void Driver::handle_quietly(Flow flow, Arguments&&... arguments) {
  Turn turn{state_, effects_, tools_.clock->now()};
  flow(turn, arguments...);
  end_turn(turn);
}

void Driver::end_message(Turn& turn) {
  end_turn(turn);
  state_.reports.mark_changed(turn.now);
  if (state_.jobs.is_empty() || tick_.is_armed_until(state_.reports.next_due())) return;
  apply(turn, ArmTick{});
}

void Driver::end_turn(Turn& turn) {
  finish_turn(turn);
  if (tools_.checks_invariants) state_.check_invariants();
}

/// Applies all effects, then ends the jobs that have nothing to commit or abort.
void Driver::finish_turn(Turn& turn) {
  apply_effects(turn);
  for (; !done_jobs_.empty(); apply_effects(turn)) {
    const JobCommitted done{done_jobs_.front(), FailureKind::none, {}};
    done_jobs_.pop_front();
    handle_job_committed(turn, done);
  }
}

void Driver::apply_effects(Turn& turn) {
  effects_.drain(Overloaded{
      [&](Outgoing& effect) { std::visit([&](auto& each) { apply(turn, each); }, effect); },
      [&](FlowStep& step) {
        if (const auto* plain = std::get_if<Step>(&step)) return plain->apply(turn);
        std::visit(
            [&](auto& each) {
              if constexpr (!std::is_same_v<std::decay_t<decltype(each)>, Step>) actors::apply(turn, each);
            },
            step);
      },
      [&](policies::StageEffect& effect) { actors::apply(turn, effect); },
      [&](policies::AllocationEffect& effect) { actors::apply(turn, effect); },
      [&](policies::TaskSchedulerEffect& effect, TaskEffects& cause) { actors::apply(turn, effect, cause); },
      [&](TaskEffects& effects) { launch_tasks(turn, effects); },
  });
}

/// Applies the effects of each range and status before the next one is handled.
void Driver::on_status_update(const StatusUpdate& message) {
  Turn turn{state_, effects_, tools_.clock->now()};
  if (begin_status_update(turn, message)) {
    for (const auto& range : message.finished) {
      finish_range(turn, message.executor, range);
      apply_effects(turn);
    }
    for (const auto& status : message.statuses) {
      notify_of_wait(turn, message.executor, status.outcome);
      apply_status(turn, message.executor, status);
      apply_effects(turn);
    }
    finish_turn(turn);
    // Without a job no task waits for the free slots, and a round would delay the end of the last job to its client.
    if (!state_.jobs.is_empty()) actors::apply(turn, OfferExecutor{message.executor});
  }
  end_message(turn);
}

void Driver::on_driver_tick(const DriverTick& message) {
  if (tick_.accept(message.epoch)) handle_quietly(run_tick);
}

void Driver::on_connection_lost(const caf::actor_addr& address) {
  Turn turn{state_, effects_, tools_.clock->now()};
  const auto is_it = [&address](const auto& row) { return row.second.address() == address; };
  if (source_ && source_.address() == address) {
    source_ = nullptr;
    disconnect_source(turn);
  } else if (const auto row = std::find_if(executors_.begin(), executors_.end(), is_it); row != executors_.end()) {
    disconnect_executor(turn, row->first);
  }
  end_message(turn);
}

DriverActor spawn_driver(caf::actor_system& system, const DriverSettings& settings, const runtime::ActorTools& tools,
                         const DriverPorts& ports) {
  return runtime::spawn_role<Driver>(system, settings, tools, ports);
}

}  // namespace heddle::actors
