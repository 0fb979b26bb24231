// Whether this process has descriptors for what it is about to do. The network's acceptor tries again without a pause
// where none is left: a session would neither go on nor end.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "model/result.hpp"

namespace heddle::apps {

/// An Error where the limit of open files is too low for a cluster of so many nodes with its client in this process.
[[nodiscard]] Result<Done> check_descriptor_room(std::size_t nodes);

/// Looks again and again whether a descriptor can be had.
class DescriptorWatch {
public:
  /// A sentence once there has been none for some seconds. Cheap.
  [[nodiscard]] std::optional<std::string> look();

private:
  std::optional<std::chrono::steady_clock::time_point> none_since_;
};

}  // namespace heddle::apps
