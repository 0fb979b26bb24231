// Creates the MapReduceMaster of framework yarn from its launch spec, as make_roles.hpp does with other roles.
#pragma once

#include "actors/map_reduce_master/master_start.hpp"
#include "apps/roles/make_roles.hpp"

namespace heddle::apps {

/// `spec`: of an ApplicationMaster.
[[nodiscard]] MapReduceMasterActor make_map_reduce_master(RoleWorld world, const LaunchSpec& spec,
                                                          const config::Settings& settings, const std::string& address,
                                                          const actors::MapReduceMasterPorts& ports);

}  // namespace heddle::apps
