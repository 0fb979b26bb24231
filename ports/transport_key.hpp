// Secret that processes share. They prove it to each other when they connect.
#pragma once

#include <string>

namespace heddle::ports {

struct TransportKey {
  std::string name;    // id of the cluster or application; sent in clear
  std::string secret;  // never sent
  bool operator==(const TransportKey&) const = default;
};

}  // namespace heddle::ports
