// Process of the master container: ApplicationMaster, YarnAllocator and, in cluster mode, the Driver.
#pragma once

#include "config/table/settings.hpp"
#include "model/launch_spec.hpp"

namespace heddle::apps {

/// Runs the role until its end; does not return.
[[noreturn]] void play_application_master(const LaunchSpec& spec, const ApplicationMasterLaunch& launch,
                                          const config::Settings& settings);

}  // namespace heddle::apps
