// A ResourceManager's event log, fed again to a resource scheduler that knows nothing yet but its rules.
#pragma once

#include <functional>
#include <utility>

#include "actors/resource_manager/recorded_resource_scheduler.hpp"
#include "tests/support/event_log_reader.hpp"

namespace heddle::tests {

class ResourceManagerReplay : public Replay {
public:
  using ReadQueues = std::function<policies::QueueFile(const std::string& file, const std::string& content)>;
  /// `fresh` as it was at the start of the log; `read_queues` for files that were taken later.
  explicit ResourceManagerReplay(policies::ResourceScheduler fresh, ReadQueues read_queues = {});
  policies::ResourceScheduler scheduler;

private:
  void add_nodes(const ReadQueues& read_queues);
  void add_applications();
  void add_containers();
  template <class Call>
  void add_call(const char* name, Call call);
};

}  // namespace heddle::tests
