// State of the Driver without its actor: deciders and parts. Flows (job_flow.hpp, stage_flow.hpp, task_flow.hpp,
// offer_flow.hpp, executor_flow.hpp) change it. Flows use no actor and no clock; they send messages by pushing effects.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "actors/driver/deciders.hpp"
#include "actors/driver/driver_settings.hpp"
#include "actors/driver/effect_queue.hpp"
#include "actors/driver/executor_pool.hpp"
#include "actors/driver/executor_requests.hpp"
#include "actors/driver/host_table.hpp"
#include "actors/driver/job_book.hpp"
#include "actors/driver/map_output_broadcast.hpp"
#include "actors/driver/offer_rounds.hpp"
#include "actors/driver/progress_reports.hpp"
#include "actors/driver/shuffle_migration.hpp"
#include "runtime/actor_tools.hpp"

namespace heddle::actors {

/// Properties of a stage that depend on CAF or on the program.
struct StageProgramPorts {
  std::function<std::int64_t(const StageProgram&)> encoded_bytes;  // size of the task binary in a message
  std::function<std::string(const StageProgram&)> fault;           // see DriverPorts
};

struct DriverState {
  DriverState(const DriverSettings& all_settings, const runtime::ActorTools& tools, StageProgramPorts work_ports,
              Instant now);
  DriverState(const DriverState&) = delete;
  DriverState& operator=(const DriverState&) = delete;

  DriverSettings settings;
  ports::EventSink* events;
  RandomStream random;
  StageProgramPorts work;
  PlaceRecords place_records;
  RecordedStageScheduler stage_scheduler;
  RecordedTaskScheduler task_scheduler;
  RecordedAllocation allocation;
  HostTable hosts;
  ExecutorPool executors;
  ExecutorRequests requests;
  RegistrationGate gate;
  JobBook jobs;
  OfferRounds rounds;
  MapOutputBroadcast broadcast;
  ShuffleMigration migration;
  ProgressReports reports;

  void check_invariants() const;
};

/// Context of the message that the Driver handles now.
struct Turn {
  DriverState& state;
  EffectQueue& effects;
  Instant now;  // the clock is read once per message

  void write_event(std::string_view name, const ports::EventFields& fields = {});
  /// The host's number. A new host is added to the TaskScheduler.
  HostId host_id(const std::string& name);
  void post(ExecutorId executor, ExecutorMessage message) {
    effects.push(SendToExecutor{executor, std::make_unique<ExecutorMessage>(std::move(message))});
  }
  void notify_clients(std::string text) { effects.push(SendNotice{std::move(text)}); }
  /// Sends the text only if it was not sent before.
  void notify_clients_once(const std::string& text);
};

}  // namespace heddle::actors
