#include "apps/roles/driver_home.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "runtime/system_settings.hpp"
#include "work/tasks/function_registry.hpp"
#include "work/tasks/task_attempt.hpp"

namespace heddle::apps {

DriverHome::DriverHome(ProcessWorld& world, const DriverLaunch& launch, work::OutputCommitSettings commit)
    : system_{world.system()},
      commit_{files_, commit},
      driver_{make_driver(
          {world.system(), world.tools()}, launch, world.settings(),
          {&commit_, &background_,
           [](const StageWork& work) { return work::fault_of_work(work, work::FunctionRegistry::of_program()); }})},
      address_{runtime::publish_on_loopback(world.system(), driver_)} {}

DriverHome::~DriverHome() {
  caf::anon_send_exit(driver_, caf::exit_reason::user_shutdown);
  caf::scoped_actor self{system_};
  self->wait_for(driver_);  // it works with what follows
}

}  // namespace heddle::apps
