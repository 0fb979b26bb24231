// State of a MapReduceMaster without its actor: deciders and parts. Flows (job_flow.hpp, request_flow.hpp,
// child_flow.hpp, speculation_flow.hpp) change it. They have no actor and no clock, and send through effects only.
//
// Children: a granted container is started for its attempt, and the child in it asks for the attempt once. The number
// of a child is that of its container.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/map_reduce_master/master_effects.hpp"
#include "actors/map_reduce_master/master_start.hpp"
#include "actors/map_reduce_master/running_job.hpp"
#include "messages/map_reduce_master.hpp"
#include "model/due_heap.hpp"
#include "model/node_condition.hpp"
#include "policies/containers/allocate_loop.hpp"
#include "policies/containers/grant_table.hpp"
#include "policies/map_reduce/map_reduce_allocator.hpp"
#include "policies/map_reduce/map_reduce_speculator.hpp"
#include "ports/job_history_events.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/net/node_connections.hpp"

namespace heddle::actors {

/// Deadlines of attempts.
struct ChildWatches {
  DueHeap<policies::MapReduceAttempt> life;        // for the next sign of life
  DueHeap<policies::MapReduceAttempt> unreported;  // for the first report of its child
  DueHeap<policies::MapReduceAttempt> exit;        // for the exit of the child of an ended attempt
};

/// Nothing is committed while the ResourceManager is silent, because it may have started another master (TK-3).
struct CommitWindow {
  Instant asked{};                                                // last AllocateRequest
  Instant heard{};                                                // the answered AllocateRequest: an answer may be old
  std::vector<std::pair<ContainerId, TaskAttemptId>> attempts{};  // wait for the next answer
  bool job_waits = false;
};

struct Speculation {
  std::optional<policies::MapReduceSpeculator> speculator;  // with the machines of the job, if it is on
  std::size_t ends = 0;                                     // completion events that it knows
  std::pair<std::int32_t, std::int32_t> completed;          // maps and reduces, as far as it knows
};

/// none -> open or reading -> open -> closing -> over; a failure ends it early. reading: the history of an earlier
/// application attempt is being read, and the job waits. closing: its end is not reported yet.
enum class HistoryPhase : std::uint8_t { none, reading, open, closing, over };

struct MasterHistory {
  HistoryPhase phase = HistoryPhase::none;
  std::int64_t submit_ms = 0;                                        // wall clock
  std::int64_t launch_ms = 0;                                        // of the first attempt of the job
  std::vector<history::Event> recorded;                              // since the last write
  std::map<policies::MapReduceAttempt, history::Counters> counters;  // of successes whose task has not ended
  std::map<policies::MapReduceAttempt, std::int64_t> shuffle_ends;   // of running reduces, wall clock
  std::map<policies::MapReduceAttempt, AttemptCounters> reported;    // by attempts that have not ended
};

/// What earlier application attempts left.
struct MasterRecovery {
  std::map<policies::MapReduceTaskId, RecordedTask> tasks;
  bool is_replaying = false;            // the tasks end again; their history is written already
  std::string fault;                    // what could not be read of their history
  bool is_announced = true;             // the user knows how many tasks are kept
  std::vector<NodeUpdate> early_nodes;  // conditions of nodes before the job runs
};

struct MasterState {
  MasterState(MapReduceMasterStart all_start, MapReduceMasterPorts all_ports, ports::EventSink* sink)
      : start{std::move(all_start)}, ports{std::move(all_ports)}, events{sink}, loop{start.loop} {}

  MapReduceMasterStart start;
  MapReduceMasterPorts ports;
  ports::EventSink* events;
  std::optional<RunningJob> job;                          // none: no job was submitted
  std::optional<policies::MapReduceAllocator> allocator;  // with the machines of the job
  policies::GrantTable<policies::MapReduceAttempt> grants;
  runtime::NodeConnections<ContainerId> nodes;  // starts wait for a connection
  ChildWatches watches;
  CommitWindow commit_window;
  Speculation speculation;
  MasterHistory history;
  MasterRecovery recovery;
  std::optional<StartAllocating> registered;  // none: the application is not registered yet
  std::optional<EndApplication> end;          // set once the application ends; not if only its attempt does
  bool registers_again = false;               // the ApplicationMaster was asked to; StartAllocating follows
  bool has_resource_manager = false;
  policies::AllocateLoop loop;
  std::vector<ContainerId> stops;  // the next AllocateRequest releases them
  std::optional<Instant> ask_due;  // of the next AllocateRequest, or of the next look for an answer
  std::optional<Instant> progress_due;

  [[nodiscard]] policies::MapReduceMachines& machines() { return *job->machines; }
  [[nodiscard]] bool has_machines() const { return job && job->machines && !job->is_over; }
  [[nodiscard]] bool may_commit(Instant now) const { return now - commit_window.heard <= start.commit_window; }
  /// The earliest deadline.
  [[nodiscard]] std::optional<Instant> next_due();
  void check_invariants() const;
};

/// Context of one message: state, effects to push, time.
struct MasterTurn {
  MasterState& state;
  MasterEffects& effects;
  Instant now;  // the only reading of the clock for this message

  void write_event(std::string_view name, const ports::EventFields& fields = {}) const {
    if (state.events != nullptr) state.events->write(now, name, fields);
  }
};

}  // namespace heddle::actors
