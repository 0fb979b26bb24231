#include "apps/roles/driver_host.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "apps/roles/file_systems_of.hpp"
#include "work/tasks/function_registry.hpp"
#include "work/tasks/task_attempt.hpp"

namespace heddle::apps {

DriverHost::DriverHost(RoleRuntime& world, const DriverLaunch& launch, work::OutputCommitSettings commit,
                       const std::function<bool()>& is_cancelled, const JobReporterActor& reporter)
    : system_{world.system()},
      files_(file_systems_of(world.settings(), PathRules::local, is_cancelled)),
      commit_{files_, commit},
      driver_{make_driver(
          {world.system(), world.tools()}, launch, world.settings(),
          {&commit_,
           &background_,
           [](const StageProgram& work) { return work::task_binary_error(work, work::FunctionRegistry::of_program()); },
           {},
           reporter})},
      address_{world.publish(driver_)} {}

DriverHost::~DriverHost() {
  caf::anon_send_exit(driver_, caf::exit_reason::user_shutdown);
  caf::scoped_actor self{system_};
  self->wait_for(driver_);  // the Driver uses the members destroyed after this
}

}  // namespace heddle::apps
