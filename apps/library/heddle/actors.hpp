// heddle's roles as actors within somebody else's caf::actor_system: one tells the Driver typed messages and hears
// typed messages.
//
//   caf::actor_system_config config;
//   heddle::configure(config, argc, argv);                    // first in main, before the system is made
//   caf::actor_system system{config};
//   auto roles = heddle::spawn_roles(system, {.master = "local[4]"});
//   self->send(roles->driver(), *roles->prepare(job));        // SubmitJob; answered by
//   // JobAccepted, JobProgress (a few times a second), Notice (a sentence), and once JobFinished
//
// Jobs are built with heddle/heddle.hpp; messages/driver.hpp and messages/client.hpp have all that is said.
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

/// The first type id that is free for an embedder's own messages. The leading colons are needed, since CAF expands its
/// macro in a namespace where another `heddle` is nearer:
///   CAF_BEGIN_TYPE_ID_BLOCK(mine, ::heddle::first_free_type_id)
inline constexpr caf::type_id_t first_free_type_id = caf::id_block::heddle::end;

/// Makes heddle's messages known to an actor system that will be made of `config`. Once per configuration. Enough for
/// local[N].
void configure(caf::actor_system_config& config);
/// The same, and what a cluster needs: CAF's middleman with heddle's heartbeats and a random identity. The first thing
/// in main: the roles of a cluster are this program again, and there this plays the role and does not return.
void configure(caf::actor_system_config& config, int argc, char** argv);

/// One application: its Driver, spawned in somebody's actor system, with its Executor there too (local[N]) or with the
/// processes of its cluster. Movable; ends them when it is destroyed, which blocks until no task runs, and must happen
/// before the system ends.
class Roles {
public:
  Roles(Roles&&) noexcept;
  Roles& operator=(Roles&&) noexcept;
  ~Roles();

  /// Understands SubmitJob and CancelJob; answers whoever has sent the job.
  [[nodiscard]] const DriverActor& driver() const;
  /// Checks the job, lists its inputs and cuts them into splits: what the Driver needs. `request` comes back in
  /// JobAccepted. Blocks while it reads folders. Errors as of Session::run.
  [[nodiscard]] Result<SubmitJob> prepare(const JobBuilder& job, std::int64_t request = 0) const;
  /// Path of the event log; empty: none is written.
  [[nodiscard]] std::string event_log() const;

private:
  friend Result<Roles> spawn_roles(caf::actor_system& system, const SessionOptions& options, ports::TaskRunner* runner);
  struct State;
  explicit Roles(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Spawns the roles of one application; on local-cluster[n,c,m] only the Driver lives in `system`, the other roles are
/// processes of this program. A usage error if configure() was forgotten, for a cluster the one with argc and argv.
/// `runner`, in local[N]: who runs the tasks, instead of slot threads that call functions and commands; it outlives the
/// roles.
[[nodiscard]] Result<Roles> spawn_roles(caf::actor_system& system, const SessionOptions& options = {},
                                        ports::TaskRunner* runner = nullptr);

}  // namespace heddle
