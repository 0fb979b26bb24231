// The queue file of a cluster scheduler.
#pragma once

#include <variant>

#include "config/hadoop/capacity_scheduler_xml.hpp"
#include "config/hadoop/fair_scheduler_xml.hpp"

namespace heddle::policies {

/// A parsed queue file; one type per set of rules.
using QueueFile = std::variant<config::FairSchedulerFile, config::CapacitySchedulerFile>;

}  // namespace heddle::policies
