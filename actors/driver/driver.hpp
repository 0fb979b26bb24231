// Turns jobs into tasks and runs them until each job has ended.
// A thin actor over plain parts: for each message it reads the clock once, calls a flow, and applies effects until none
// is left. Deciders of policies/ make the decisions.
// Receives from: Client, Executor, YarnAllocator.  Sends to: Executor, YarnAllocator (as ExecutorSource), Client.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <deque>
#include <functional>
#include <map>

#include "actors/driver/driver_settings.hpp"
#include "actors/driver/driver_state.hpp"
#include "messages/handles.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

class Driver {
public:
  using Handle = DriverActor;
  Driver(DriverActor::pointer self, const DriverSettings& settings, runtime::ActorTools tools, DriverPorts ports);
  DriverActor::behavior_type make_behavior();
  void on_role_failed(const std::string& why);

private:
  // -- messages that need more than one call of a flow (driver.cpp) -----------------------------
  void on_status_update(const StatusUpdate& message);
  void on_driver_tick(const DriverTick& message);
  void on_connection_lost(const caf::actor_addr& address);
  /// Reads the clock, calls flow(turn, arguments…), and ends the message.
  template <class Flow, class... Arguments>
  void handle(Flow flow, Arguments&&... arguments);
  template <class Flow, class... Arguments>
  void handle_quietly(Flow flow, Arguments&&... arguments);
  void apply_effects(Turn& turn);
  void finish_turn(Turn& turn);
  /// Finishes the turn, then checks the tables if tools_.checks_invariants.
  void end_turn(Turn& turn);
  /// Ends the turn, then plans a progress report.
  void end_message(Turn& turn);

  // -- messages, monitors, timers, background work (driver_effects.cpp) --------------------------
  template <class Message>
  void send_to(const ExecutorActor& executor, Message& message);
  void apply(const Turn& turn, SendToExecutor& effect);
  void apply(const Turn& turn, ReplyToExecutor& effect);
  void apply(const Turn& turn, ReplyToClient& effect);
  void apply(const Turn& turn, SendToSource& effect);
  void apply(const Turn& turn, RefuseSource& effect);
  void apply(const Turn& turn, SendToClient& effect);
  void apply(const Turn& turn, const SendNotice& effect);
  void apply(const Turn& turn, const ConnectExecutor& effect);
  void apply(const Turn& turn, const DisconnectExecutor& effect);
  void apply(const Turn& turn, const ConnectSource& effect);
  void apply(const Turn& turn, const ConnectClient& effect);
  void apply(const Turn& turn, const DisconnectClient& effect);
  void apply(const Turn& turn, const ReviveSoon& effect);
  void apply(const Turn& turn, const ArmTick& effect);
  void apply(const Turn& turn, const ReadPackage& effect);
  void apply(const Turn& turn, const PrepareOutputs& effect);
  void apply(const Turn& turn, CommitOutputs& effect);
  void apply(const Turn& turn, const AbortOutputs& effect);
  void apply(const Turn& turn, const CommitDone& effect);
  /// Sends the message of a client to the JobReporter, which answers the client.
  template <class Message>
  void pass_on(const Message& message);
  [[nodiscard]] bool has_sender() const;
  /// The sender is a YarnAllocator that a later one has replaced.
  [[nodiscard]] bool is_from_former_source() const;

  // -- state ---------------------------------------------------------------------------------------
  DriverActor::pointer self_;
  runtime::ActorTools tools_;
  DriverPorts ports_;
  DriverState state_;
  EffectQueue effects_;
  std::deque<JobId> done_jobs_;                    // of CommitDone, in this turn
  std::map<ExecutorId, ExecutorActor> executors_;  // live executors only
  std::map<JobId, ClientActor> clients_;           // by job
  ExecutorSourceActor source_;                     // null before it registers and after its connection broke
  runtime::DeadlineTimer tick_;
};

}  // namespace heddle::actors
