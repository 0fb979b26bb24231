// Runs heddle's roles as actors inside the caf::actor_system of another program. The program sends typed messages to
// the Driver and receives typed messages.
//
//   caf::actor_system_config config;
//   heddle::configure(config, argc, argv);                    // first in main, before the actor system is created
//   caf::actor_system system{config};
//   auto roles = heddle::spawn_roles(system, {.master = "local[4]"});
//   self->send(roles->driver(), *roles->prepare(job));        // SubmitJob
//   // `self` receives JobAccepted, JobProgress (a few times per second), Notice, and one JobFinished
//
// Build jobs with heddle/heddle.hpp. All messages: messages/job_service.hpp, messages/client.hpp. A complete
// program: samples/embedding.cpp.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <memory>
#include <string>

#include "heddle/heddle.hpp"
#include "messages/handles.hpp"
#include "messages/type_ids.hpp"
#include "ports/task_runner.hpp"

namespace heddle {

/// The first CAF type id that the embedding program may use for its own messages. Write the leading `::`, because CAF
/// expands its macro in a namespace that contains another `heddle`:
///   CAF_BEGIN_TYPE_ID_BLOCK(mine, ::heddle::first_free_type_id)
inline constexpr caf::type_id_t first_free_type_id = caf::id_block::heddle::end;

/// Registers heddle's messages in `config`. Call it once per configuration, before the actor system is created.
/// Sufficient for local[N]; a cluster needs the overload with argc and argv.
void configure(caf::actor_system_config& config);
/// Registers heddle's messages, and loads CAF's middleman with heddle's heartbeats and a random node identity. Call it
/// first in main: heddle starts the other roles of a cluster as processes of this program, and in such a process this
/// function runs the role and does not return.
void configure(caf::actor_system_config& config, int argc, char** argv);

/// One application. Its Driver runs in the actor system of the program; so does its Executor in local[N]. In
/// local-cluster[n,c,m] the other roles are processes. Movable. The destructor stops the roles and blocks until no task
/// runs; destroy Roles before the actor system.
class Roles {
public:
  Roles(Roles&&) noexcept;
  Roles& operator=(Roles&&) noexcept;
  ~Roles();

  /// The Driver. Accepts SubmitJob and CancelJob, and sends all messages about a job to the sender of its SubmitJob.
  [[nodiscard]] const DriverActor& driver() const;
  /// Checks the job, lists its input files and cuts them into splits. Returns the message for the Driver; JobAccepted
  /// repeats `request`. Blocks while it reads folders. Errors: usage, not_found and refused, as Session::run.
  [[nodiscard]] Result<SubmitJob> prepare(const JobBuilder& job, std::int64_t request = 0) const;
  /// Path of the Driver's event log; empty if no log is written.
  [[nodiscard]] std::string event_log() const;

private:
  friend Result<Roles> spawn_roles(caf::actor_system& system, const SessionOptions& options, ports::TaskRunner* runner);
  struct State;
  explicit Roles(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Spawns the roles of one application in `system`, and for local-cluster[n,c,m] starts the processes of its cluster.
/// `runner` (local[N] only) runs the tasks instead of heddle's slot threads; it must outlive the returned Roles.
/// Errors: usage if configure() was not called (for a cluster, the overload with argc and argv), if the options are
/// wrong, or if two task functions have one name; other codes as Session::status.
[[nodiscard]] Result<Roles> spawn_roles(caf::actor_system& system, const SessionOptions& options = {},
                                        ports::TaskRunner* runner = nullptr);

}  // namespace heddle
