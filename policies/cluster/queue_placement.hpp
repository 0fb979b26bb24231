// The queue of a new application: applies the placement rules of a fair queue file in order until one decides. A rule
// does not decide if its queue does not exist and may not be created. After Hadoop 3.4 (QP-1 … QP-7). Cost: one look-up
// of a queue per rule and group.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/hadoop/fair_scheduler_xml.hpp"

namespace heddle::policies {

/// Queue and user of a submission. `queue` "default" or empty: none was named. The first of `groups` is the primary
/// one.
struct PlacementRequest {
  std::string queue;
  std::string user;
  std::vector<std::string> groups;
};

/// The full name of the queue, or an error message.
struct PlacementAnswer {
  std::string queue;
  std::string refusal;
};

enum class QueueKind : std::uint8_t { absent, leaf, parent };

/// Defaults for files without placement rules.
struct PlacementDefaults {
  bool may_create_queues = true;      // yarn.scheduler.fair.allow-undeclared-pools
  bool is_user_default_queue = true;  // yarn.scheduler.fair.user-as-default-queue
};

/// `kind_of` gets full names ("root.a").
[[nodiscard]] PlacementAnswer place_application(const config::FairSchedulerFile& file,
                                                const PlacementDefaults& defaults, const PlacementRequest& request,
                                                const std::function<QueueKind(std::string_view)>& kind_of);

}  // namespace heddle::policies
