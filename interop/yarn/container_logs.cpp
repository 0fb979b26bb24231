#include "interop/yarn/container_logs.hpp"

#include <fmt/format.h>

#include "interop/yarn/yarn_ids.hpp"

namespace heddle::interop {

void ContainerLogs::on_granted(const proto::Container& container) {
  if (container.node_http_address().empty()) return;
  urls_[container_of(container.id())] = fmt::format("http://{}/node/containerlogs/{}/{}", container.node_http_address(),
                                                    container_name(container.id()), user_);
}

std::string ContainerLogs::take(ContainerId container) {
  const auto row = urls_.find(container);
  if (row == urls_.end()) return {};
  auto url = std::move(row->second);
  urls_.erase(row);
  return url;
}

}  // namespace heddle::interop
