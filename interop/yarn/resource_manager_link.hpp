// Speaks for an application attempt to the ResourceManager of Hadoop, in the place of heddle's ResourceManager.
// Receives from: ApplicationMaster, allocators. Sends to: the same, NodeManagerLink.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <optional>
#include <string>
#include <vector>

#include "interop/hadoop/rpc_client.hpp"
#include "interop/yarn/container_logs.hpp"
#include "interop/yarn/link_work.hpp"
#include "interop/yarn/node_manager_link.hpp"
#include "interop/yarn/yarn_records.hpp"
#include "messages/handles.hpp"
#include "runtime/actor_tools.hpp"

namespace heddle::interop {

using ResourceManagerLinkActor = caf_compat::ExtendedInterface<ApplicationMasterServiceActor, void(LinkWork)>;

struct ResourceManagerLinkSettings {
  std::vector<std::string> addresses;  // of the scheduler service
  CredentialToken token;               // of the application attempt
  RetryRules retries;
  std::string user = {};  // of the application
};

/// What a fault of the ResourceManager says about the application attempt.
enum class AttemptFault : std::uint8_t { none, registered_before, not_registered, unknown_attempt };
[[nodiscard]] AttemptFault attempt_fault(const RpcFault& fault);

class ResourceManagerLink {
public:
  using Handle = ResourceManagerLinkActor;
  ResourceManagerLink(ResourceManagerLinkActor::pointer self, ResourceManagerLinkSettings settings,
                      runtime::ActorTools tools, RpcThread* thread, NodeManagerLinkActor nodes);
  ResourceManagerLinkActor::behavior_type make_behavior();

private:
  void on_register(const RegisterApplicationMaster& message);
  void on_allocate(const AllocateRequest& message);
  void on_finish(const FinishApplication& message);
  void finish(const FinishApplication& message, const ApplicationMasterActor& master);
  void handle_registered(const RpcResult<proto::RegisterApplicationMasterResponse>& answer,
                         const ApplicationMasterActor& master, const std::string& token);
  void handle_allocated(const RpcResult<proto::AllocateResponse>& answer, const AllocatorActor& allocator,
                        std::int32_t response_id);
  void handle_finished(const RpcResult<proto::FinishApplicationMasterResponse>& answer,
                       const FinishApplication& message, const ApplicationMasterActor& master);
  void report_nodes(const proto::AllocateResponse& response, const AllocateResponse& message);
  /// Ends the link: its ApplicationMaster and its allocator lose their ResourceManager.
  void leave(const RpcFault& fault);
  template <class Response, class Request, class Handler>
  void call(std::string_view method, const Request& request, Handler handler);

  ResourceManagerLinkActor::pointer self_;
  runtime::ActorTools tools_;
  NodeManagerLinkActor nodes_;
  RpcClient client_;
  NodeNumbers numbers_;
  ContainerLogs logs_;
  bool is_registering_ = false;
  bool is_finishing_ = false;
};

/// `thread` must outlive the actor.
[[nodiscard]] ResourceManagerLinkActor spawn_resource_manager_link(caf::actor_system& system,
                                                                   const ResourceManagerLinkSettings& settings,
                                                                   const runtime::ActorTools& tools, RpcThread* thread,
                                                                   const NodeManagerLinkActor& nodes);

}  // namespace heddle::interop
