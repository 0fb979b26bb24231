// Where a task's data is, in the words of Spark and HDFS: "host1", "hdfs_cache_host1" (in the host's memory),
// "executor_host1_3".
#pragma once

#include <string>
#include <string_view>

namespace heddle::config {

struct TaskLocation {
  std::string host;
  std::string executor;  // empty: any of the host
  bool is_cached = false;
  bool operator==(const TaskLocation&) const = default;
};

/// Total: whatever is not of the other two forms is the name of a host. An executor's host ends at the first
/// underscore.
[[nodiscard]] TaskLocation parse_task_location(std::string_view text);

}  // namespace heddle::config
