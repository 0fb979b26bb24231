// Applies a ResourceManager's event log to a new resource scheduler.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "policies/cluster/scheduler/resource_scheduler.hpp"
#include "tests/support/replay.hpp"

namespace heddle::tests {

class ResourceManagerReplay : public Replay {
public:
  using ReadQueues = std::function<policies::QueueFile(const std::string& file, const std::string& content)>;
  /// `fresh`: the scheduler at the start of the log; `read_queues`: parses the queue files that were loaded later.
  explicit ResourceManagerReplay(policies::ResourceScheduler fresh, ReadQueues read_queues = {})
      : scheduler_{std::move(fresh)} {
    const auto complete = [read_queues](auto& input) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(input)>, policies::resource_input::QueuesChanged>)
        input.queues = std::make_shared<const policies::QueueFile>(read_queues(input.file, input.content));
    };
    add_inputs(
        scheduler_, static_cast<runtime::NothingShared*>(nullptr), [](const auto&) {}, complete);
  }
  [[nodiscard]] const policies::ResourceScheduler& scheduler() const { return *scheduler_; }

private:
  std::optional<policies::ResourceScheduler> scheduler_;
};

}  // namespace heddle::tests
