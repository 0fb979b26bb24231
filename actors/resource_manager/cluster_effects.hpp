// Effects of the ResourceManager: messages and connections. Flows push them; resource_manager_effects.cpp applies them
// in order.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "messages/allocator.hpp"
#include "messages/application_master.hpp"
#include "messages/client.hpp"
#include "messages/node_manager.hpp"

namespace heddle::actors {

// -- nodes ---------------------------------------------------------------------------------------
/// Stores the sender of the current message as this node's NodeManager, and monitors it.
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
/// Stores the sender as the application's client, and monitors it.
struct AddClient {
  ApplicationId application;
};
/// Stores the sender as the application's ApplicationMaster, and monitors it.
struct AddMaster {
  ApplicationId application;
};
/// Stores the sender as the application's allocator.
struct AddAllocator {
  ApplicationId application;
};
/// Drops the handles of all peers of the application.
struct DropApplication {
  ApplicationId application;
};
/// Sends to the client of the application.
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

// -- groups of users -----------------------------------------------------------------------------
/// Looks up the groups of a user on another thread; GroupsFound reports that they are known.
struct LookUpGroups {
  std::string user;
};

using ClusterEffect =
    std::variant<AddNode, DropNode, SendToNode, ReplyToNode, AddClient, AddMaster, AddAllocator, DropApplication,
                 SendToApplicant, SendToMaster, ReplyToMaster, SendToAllocator, ReplyToAllocator, LookUpGroups>;
using ClusterEffects = std::vector<ClusterEffect>;

}  // namespace heddle::actors
