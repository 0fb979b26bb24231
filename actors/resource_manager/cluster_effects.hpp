// What the ResourceManager does beside changing its state: messages and connections, in order. Pushed by the flows,
// applied in resource_manager_effects.cpp.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "messages/application_master.hpp"
#include "messages/client.hpp"
#include "messages/node_manager.hpp"
#include "messages/yarn_allocator.hpp"

namespace heddle::actors {

// -- nodes ---------------------------------------------------------------------------------------
/// The sender of the message that is being handled is this node from now on; it is monitored.
struct AddNode {
  NodeId node;
};
struct DropNode {
  NodeId node;
};
struct SendToNode {
  NodeId node;
  std::variant<NodeRegistered, StartContainer, StopContainer, ForgetApplication> message;
};
struct ReplyToNode {
  std::variant<NodeRefused, RegisterNodeAgain> message;
};

// -- peers of applications -------------------------------------------------------------------------
/// The sender is the client of the application; it is monitored.
struct AddClient {
  ApplicationId application;
};
/// The sender is the ApplicationMaster of the application from now on; it is monitored.
struct AddMaster {
  ApplicationId application;
};
/// The sender is the YarnAllocator of the application from now on.
struct AddAllocator {
  ApplicationId application;
};
/// The application is forgotten, and with it its peers.
struct DropApplication {
  ApplicationId application;
};
/// To the client of the application.
struct SendToApplicant {
  ApplicationId application;
  std::variant<ApplicationAccepted, DriverReady, Notice, ApplicationEnded, ApplicationRefused> message;
};
struct SendToMaster {
  ApplicationId application;
  FinishedApplication message;
};
struct ReplyToMaster {
  std::variant<RegisteredApplicationMaster, FinishedApplication, ApplicationMasterNotRegistered> message;
};
struct SendToAllocator {
  ApplicationId application;
  std::variant<AllocateResponse, AllocationAvailable> message;
};
struct ReplyToAllocator {
  AllocateResponse message;
};

// -- itself ----------------------------------------------------------------------------------------
/// Sends FlushCompletedContainers to the ResourceManager itself, behind what waits in its mailbox.
struct ApplyEndsLater {};
/// GroupsFound follows, once they are known.
struct LookUpGroups {
  std::string user;
};

using ClusterEffect = std::variant<AddNode, DropNode, SendToNode, ReplyToNode, AddClient, AddMaster, AddAllocator,
                                   DropApplication, SendToApplicant, SendToMaster, ReplyToMaster, SendToAllocator,
                                   ReplyToAllocator, ApplyEndsLater, LookUpGroups>;
using ClusterEffects = std::vector<ClusterEffect>;

}  // namespace heddle::actors
