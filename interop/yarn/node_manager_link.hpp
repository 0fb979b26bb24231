// Starts and stops containers at the NodeManagers of Hadoop, in the place of heddle's NodeManagers. One link for all
// nodes: it knows the node of each container, and the credentials of nodes and containers, from the
// ResourceManagerLink. Receives from: allocators, ResourceManagerLink. Sends to: allocators.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "interop/hadoop/rpc_client.hpp"
#include "interop/hadoop/token_file.hpp"
#include "interop/yarn/link_work.hpp"
#include "messages/handles.hpp"
#include "ports/transport_key.hpp"
#include "runtime/actor_tools.hpp"

namespace heddle::interop {

/// The credential for a NodeManager, or for a container on it.
struct NodeCredential {
  std::string address;  // "host:port" of the NodeManager
  CredentialToken token;
};

/// A container that the ResourceManager granted.
struct GrantedOnNode {
  ContainerId container;
  NodeId node;
  NodeCredential credential;
};

/// From the ResourceManagerLink, before the allocator gets the response that the news are from.
struct AllocationNews {
  std::vector<NodeCredential> nodes;
  std::vector<GrantedOnNode> granted;
  std::vector<ContainerId> ended;
};

using NodeManagerLinkActor =
    caf_compat::ExtendedInterface<ContainerManagementActor, void(AllocationNews), void(LinkWork)>;

struct NodeManagerLinkSettings {
  std::string program;                // program_context() as bytes
  CredentialFile credentials;         // for the processes of the containers
  ports::TransportKey transport_key;  // of the application
  RetryRules retries;
};

class NodeManagerLink {
public:
  using Handle = NodeManagerLinkActor;
  NodeManagerLink(NodeManagerLinkActor::pointer self, NodeManagerLinkSettings settings, runtime::ActorTools tools,
                  RpcThread* thread);
  NodeManagerLinkActor::behavior_type make_behavior();

private:
  void on_start_container(const StartContainer& message);
  void on_stop_container(const StopContainer& message);
  void on_allocation_news(const AllocationNews& message);
  [[nodiscard]] RpcClient& client_of(const std::string& address);
  void write_event(std::string_view name, const ports::EventFields& fields);

  NodeManagerLinkActor::pointer self_;
  NodeManagerLinkSettings settings_;
  runtime::ActorTools tools_;
  RpcThread* thread_;
  std::map<std::string, CredentialToken> node_tokens_;  // newest, by address
  std::map<std::string, std::unique_ptr<RpcClient>> clients_;
  std::map<ContainerId, GrantedOnNode> containers_;  // until they end
  std::map<ContainerId, AttemptId> started_;         // attempt of each container that was to be started
};

/// `thread` must outlive the actor.
[[nodiscard]] NodeManagerLinkActor spawn_node_manager_link(caf::actor_system& system,
                                                           const NodeManagerLinkSettings& settings,
                                                           const runtime::ActorTools& tools, RpcThread* thread);

}  // namespace heddle::interop

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(heddle::interop::AllocationNews)
