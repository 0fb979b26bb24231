// Containers as an application sees them: profiles and grants.
#pragma once

#include <cstdint>
#include <string>

#include "model/ids.hpp"
#include "model/resources.hpp"

namespace heddle {

/// Id of a profile: a size of executors and of their tasks. 0 is the default profile; ids are never reused. Also used
/// as the priority of the container requests for these executors.
using ProfileId = StrongId<struct ProfileIdTag>;

/// A container that the ResourceManager granted to an application.
struct GrantedContainer {
  ContainerId container;
  NodeId node;
  std::string host;
  std::string node_address;  // of the NodeManager's process
  std::int32_t priority = 0;
  Resource resource;
};

/// A granted container, as the ContainerAllocator needs it.
struct ContainerGrant {
  ContainerId container;
  std::string host;
  ProfileId profile;  // priority of the request
};

}  // namespace heddle
