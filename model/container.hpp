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

/// Resources on one node that the ResourceManager granted to an application.
struct ContainerGrant {
  ContainerId container;
  std::string host;
  ProfileId profile;  // priority of the request
  Resource resource;
};

}  // namespace heddle
