// Messages to any source of containers. Clients and masters send them and do not know what answers: the ResourceManager
// and the NodeManagers of heddle, or the links of interop/yarn to those of Hadoop.
#pragma once

#include <string>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/nouns.hpp"

namespace heddle {

// -- from the client -----------------------------------------------------------

/// Submit an application. Answered by ApplicationAccepted or ApplicationRefused, and by ApplicationEnded at its end.
struct SubmitApplication {
  std::string name;
  std::string queue;
  std::string user;
  Resource master;  // of the master container
  std::int32_t attempts_max = 2;
  ContainerLaunch launch;       // of the master container
  std::string node_label = {};  // label of the nodes for its containers; empty: any
  std::int32_t priority = 0;    // in a capacity queue; higher ones come first
};
HEDDLE_MESSAGE(SubmitApplication, name, queue, user, master, attempts_max, launch, node_label, priority)

/// Kill an application with all its containers.
struct KillApplication {
  ApplicationId application;
  std::string reason;
};
HEDDLE_MESSAGE(KillApplication, application, reason)

// -- from application masters ----------------------------------------------------

/// An ApplicationMaster registers its application attempt. The ResourceManager keeps the handle of the sender and
/// answers with RegisteredApplicationMaster.
struct RegisterApplicationMaster {
  AttemptId attempt;
  std::string address;         // of its process
  std::string driver_address;  // cluster mode: address of the Driver; sent to the client in DriverReady
  std::string token;           // of the application; only its containers know it
};
HEDDLE_MESSAGE(RegisterApplicationMaster, attempt, address, driver_address, token)

/// The application attempt has succeeded or failed: end the application and release its containers.
struct FinishApplication {
  AttemptId attempt;
  bool succeeded = false;
  std::string text;
};
HEDDLE_MESSAGE(FinishApplication, attempt, succeeded, text)

// -- from allocators ------------------------------------------------------------

/// Requested number of containers of one size at one location. Absolute: it replaces the earlier number for the same
/// key.
struct ResourceRequest {
  std::int32_t priority = 0;
  std::string place;  // host, rack ("/r1") or "*" (any)
  Resource resource;  // of each container
  std::int64_t count = 0;
  bool relax_locality = true;
};
HEDDLE_INSPECT(ResourceRequest, priority, place, resource, count, relax_locality)

/// Heartbeat of an allocator with its requests. `response_id` is that of the last response it received: the
/// ResourceManager repeats its answer to a repeated request and refuses an older one.
struct AllocateRequest {
  AttemptId attempt;
  std::int32_t response_id = 0;
  std::vector<ResourceRequest> asks;
  std::vector<ContainerId> release;
  std::vector<std::string> exclusion_add;
  std::vector<std::string> exclusion_remove;
  float progress = 0;  // of the application, 0 to 1
};
HEDDLE_MESSAGE(AllocateRequest, attempt, response_id, asks, release, exclusion_add, exclusion_remove, progress)

// -- from the ResourceManager (master container) and from allocators -------

/// Start a process in a granted container. An allocator gets ContainerStarted or ContainerNotStarted as answer. Only
/// the ResourceManager gets ContainerExited, when the process ends or was not started.
struct StartContainer {
  ContainerId container;
  AttemptId attempt;
  Resource resource;
  std::string token;  // of the application; needed to fetch its shuffle files
  ContainerLaunch launch;
};
HEDDLE_MESSAGE(StartContainer, container, attempt, resource, token, launch)

/// Kill all processes of the container.
struct StopContainer {
  ContainerId container;
  std::int32_t exit_status = 0;  // exit status to report; 0: that of the process
  std::string reason;
};
HEDDLE_MESSAGE(StopContainer, container, exit_status, reason)

/// Interface of a ResourceManager, as a Client uses it. Named after Hadoop's ApplicationClientProtocol.
using ApplicationClientServiceActor = caf_compat::Interface<void(SubmitApplication), void(KillApplication)>;

/// Interface of a ResourceManager, as masters and allocators use it. Named after Hadoop's ApplicationMasterProtocol.
using ApplicationMasterServiceActor =
    caf_compat::Interface<void(RegisterApplicationMaster), void(FinishApplication), void(AllocateRequest)>;

/// Interface of a NodeManager, as allocators use it. Named after Hadoop's ContainerManagementProtocol.
using ContainerManagementActor = caf_compat::Interface<void(StartContainer), void(StopContainer)>;

}  // namespace heddle
