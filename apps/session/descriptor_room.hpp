// Checks for free descriptors. Without one, the network's acceptor retries without pause, and a session would hang.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "model/result.hpp"

namespace heddle::apps {

/// Errc::refused if the limit of open files is too low for a cluster of `nodes` nodes with its client in this process.
[[nodiscard]] Result<Done> check_descriptor_room(std::size_t nodes);

/// Monitors whether this process has a free descriptor.
class DescriptorWatch {
public:
  /// Returns an error text if there has been no free descriptor for some seconds. Cheap.
  [[nodiscard]] std::optional<std::string> look();
  /// Returns true if the last look found none.
  [[nodiscard]] bool is_lacking() const { return none_since_.has_value(); }

private:
  std::optional<std::chrono::steady_clock::time_point> none_since_;
};

}  // namespace heddle::apps
