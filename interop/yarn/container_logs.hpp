// Where people read the logs of containers: URLs of the pages of NodeManagers.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "interop/hadoop/proto/yarn_records.pb.h"
#include "model/ids.hpp"

namespace heddle::interop {

class ContainerLogs {
public:
  /// `user`: of the application.
  explicit ContainerLogs(std::string user) : user_{std::move(user)} {}

  void on_granted(const proto::Container& container);
  /// "http://node7:8042/node/containerlogs/container_…/ann"; empty if the container is unknown. Forgets the container.
  [[nodiscard]] std::string take(ContainerId container);

private:
  std::string user_;
  std::map<ContainerId, std::string> urls_;  // of granted containers that have not ended
};

}  // namespace heddle::interop
