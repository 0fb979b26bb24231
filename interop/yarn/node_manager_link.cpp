#include "interop/yarn/node_manager_link.hpp"

#include <fmt/format.h>

#include <utility>

#include "interop/hadoop/proto/yarn_protocols.pb.h"
#include "interop/yarn/launch_context.hpp"
#include "interop/yarn/yarn_ids.hpp"
#include "runtime/spawn_role.hpp"

namespace heddle::interop {
namespace {

/// The launch spec of a container, without what its first process reads from its environment.
LaunchSpec spec_of(const StartContainer& message, NodeId node, const ports::TransportKey& key) {
  LaunchSpec spec;
  spec.cluster = key.name;
  spec.cluster_secret = key.secret;
  spec.settings = message.launch.settings;
  spec.container.node = node;
  spec.container.node_epoch = Epoch{1};  // a node that has restarted is another node to YARN's applications
  spec.container.token = message.token;
  std::visit([&spec](const auto& role) { spec.role = role; }, message.launch.role);
  return spec;
}

proto::Token to_proto(const CredentialToken& token) {
  proto::Token made;
  made.set_identifier(token.identifier);
  made.set_password(token.password);
  made.set_kind(token.kind);
  made.set_service(token.service);
  return made;
}

/// Why the container was not started; empty if it was. A request that is sent twice starts it once, and the second
/// answer says so.
std::string failure_of(const proto::StartContainersResponse& response, ContainerId container) {
  for (const auto& failed : response.failed()) {
    if (container_of(failed.container_id()) != container) continue;
    const auto& why = failed.exception();
    if (why.message().find("already") != std::string::npos && why.message().find("running") != std::string::npos)
      return {};
    return why.message().empty() ? why.class_name() : why.message();
  }
  for (const auto& started : response.succeeded())
    if (container_of(started) == container) return {};
  return "the NodeManager answered about another container";
}

}  // namespace

NodeManagerLink::NodeManagerLink(NodeManagerLinkActor::pointer self, NodeManagerLinkSettings settings,
                                 runtime::ActorTools tools, RpcThread* thread)
    : self_{self}, settings_{std::move(settings)}, tools_{std::move(tools)}, thread_{thread} {
  std::erase_if(settings_.credentials.tokens, [](const auto& token) { return token.second.kind == master_token_kind; });
}

NodeManagerLinkActor::behavior_type NodeManagerLink::make_behavior() {
  return {
      [this](const StartContainer& message) { on_start_container(message); },
      [this](const StopContainer& message) { on_stop_container(message); },
      [this](const AllocationNews& message) { on_allocation_news(message); },
      [](const LinkWork& message) { message.run(); },
  };
}

void NodeManagerLink::on_allocation_news(const AllocationNews& message) {
  for (const auto& [address, token] : message.nodes) {
    node_tokens_.insert_or_assign(address, token);
    if (const auto client = clients_.find(address); client != clients_.end()) client->second->set_token(token);
  }
  for (const auto& granted : message.granted) containers_.insert_or_assign(granted.container, granted);
  for (const auto container : message.ended) {
    containers_.erase(container);
    started_.erase(container);
  }
}

RpcClient& NodeManagerLink::client_of(const std::string& address) {
  auto& client = clients_[address];
  if (!client) {
    RpcTarget target;
    target.addresses = {address};
    target.protocol = container_management_protocol;
    if (const auto token = node_tokens_.find(address); token != node_tokens_.end()) target.token = token->second;
    client = std::make_unique<RpcClient>(*thread_, std::move(target), settings_.retries);
  }
  return *client;
}

void NodeManagerLink::on_start_container(const StartContainer& message) {
  const auto allocator = caf::actor_cast<ContainerStarterActor>(self_->current_sender());
  const auto container = message.container;
  const auto known = containers_.find(container);
  if (known == containers_.end())
    return self_->send(allocator, ContainerNotStarted{container, "the ResourceManager has ended or never granted it"});
  const auto& granted = known->second;
  started_.insert_or_assign(container, message.attempt);
  proto::ContainerLaunchContext program;
  static_cast<void>(program.ParseFromString(settings_.program));
  proto::StartContainersRequest request;
  auto& start = *request.add_requests();
  *start.mutable_launch_context() = launch_context(
      std::move(program), spec_of(message, granted.node, settings_.transport_key), settings_.credentials);
  *start.mutable_container_token() = to_proto(granted.credential.token);
  const auto on_answer = [this, allocator, container](const RpcResult<proto::StartContainersResponse>& answer) {
    const auto why = answer ? failure_of(*answer, container) : describe(answer.fault(), "NodeManager");
    if (why.empty()) return self_->send(allocator, ContainerStarted{container});
    write_event("container_not_started", ports::EventFields{}.add("container", container).add("text", why));
    self_->send(allocator, ContainerNotStarted{container, why});
  };
  client_of(granted.credential.address)
      .call<proto::StartContainersResponse>(
          "startContainers", request, {},
          answer_to<RpcResult<proto::StartContainersResponse>>(NodeManagerLinkActor{self_}, on_answer));
}

/// YARN reports the end of the container to the allocator. Without a connection to the node nothing is lost: the
/// ResourceManager ends all containers of an application with it.
void NodeManagerLink::on_stop_container(const StopContainer& message) {
  const auto known = containers_.find(message.container);
  const auto attempt = started_.find(message.container);
  if (known == containers_.end() || attempt == started_.end()) return;
  proto::StopContainersRequest request;
  *request.add_containers() = to_proto(message.container, attempt->second);
  client_of(known->second.credential.address)
      .call<proto::StopContainersResponse>("stopContainers", request, {},
                                           [](const RpcResult<proto::StopContainersResponse>&) {});
}

void NodeManagerLink::write_event(std::string_view name, const ports::EventFields& fields) {
  if (tools_.events != nullptr) tools_.events->write(tools_.clock->now(), name, fields);
}

NodeManagerLinkActor spawn_node_manager_link(caf::actor_system& system, const NodeManagerLinkSettings& settings,
                                             const runtime::ActorTools& tools, RpcThread* thread) {
  return runtime::spawn_role<NodeManagerLink>(system, settings, tools, thread);
}

}  // namespace heddle::interop
