#include "config/files/task_location.hpp"

namespace heddle::config {

TaskLocation parse_task_location(std::string_view text) {
  constexpr std::string_view cached = "hdfs_cache_";
  constexpr std::string_view executor = "executor_";
  if (text.starts_with(cached)) return {std::string{text.substr(cached.size())}, "", true};
  if (text.starts_with(executor)) {
    const auto rest = text.substr(executor.size());
    if (const auto end = rest.find('_'); end != std::string_view::npos)
      return {std::string{rest.substr(0, end)}, std::string{rest.substr(end + 1)}, false};
  }
  return {std::string{text}, "", false};
}

}  // namespace heddle::config
