#include "interop/yarn/resource_manager_link.hpp"

#include <chrono>
#include <limits>
#include <utility>

#include "interop/yarn/yarn_ids.hpp"
#include "ports/standard_error.hpp"
#include "runtime/spawn_role.hpp"
#include "runtime/timers.hpp"

namespace heddle::interop {
namespace {

using namespace std::chrono_literals;

constexpr auto finish_interval = 20ms;  // between two questions whether the end is recorded

RpcTarget target_of(const ResourceManagerLinkSettings& settings) {
  RpcTarget target;
  target.addresses = settings.addresses;
  target.protocol = application_master_protocol;
  target.token = settings.token;
  return target;
}

/// The attempt was registered by a request whose answer was lost, and the largest container with it: the
/// ResourceManager refuses larger ones.
RegisteredApplicationMaster registered_before(const std::string& token) {
  constexpr auto any = std::numeric_limits<std::int32_t>::max();
  return {{any, any}, token, {ResourceKind::memory, ResourceKind::cores}, false};
}

/// "host:port" as host and port; no port without one.
void set_address(proto::RegisterApplicationMasterRequest& request, const std::string& address) {
  const auto colon = address.rfind(':');
  request.set_host(address.substr(0, colon));
  std::int32_t port = -1;
  if (colon != std::string::npos)
    port = static_cast<std::int32_t>(std::strtol(address.c_str() + colon + 1, nullptr, 10));
  request.set_rpc_port(port);
}

}  // namespace

AttemptFault attempt_fault(const RpcFault& fault) {
  if (fault.is("ApplicationMasterNotRegisteredException")) return AttemptFault::not_registered;
  if (fault.is("ApplicationAttemptNotFoundException") || fault.is("SecretManager$InvalidToken") ||
      fault.is("InvalidToken"))
    return AttemptFault::unknown_attempt;
  if (fault.is("InvalidApplicationMasterRequestException") &&
      fault.text.find("already registered") != std::string::npos)
    return AttemptFault::registered_before;
  return AttemptFault::none;
}

ResourceManagerLink::ResourceManagerLink(ResourceManagerLinkActor::pointer self, ResourceManagerLinkSettings settings,
                                         runtime::ActorTools tools, RpcThread* thread, NodeManagerLinkActor nodes)
    : self_{self},
      tools_{std::move(tools)},
      nodes_{std::move(nodes)},
      client_{*thread, target_of(settings), settings.retries},
      logs_{settings.user} {}

ResourceManagerLinkActor::behavior_type ResourceManagerLink::make_behavior() {
  return {
      [this](const RegisterApplicationMaster& message) { on_register(message); },
      [this](const FinishApplication& message) { on_finish(message); },
      [this](const AllocateRequest& message) { on_allocate(message); },
      [](const LinkWork& message) { message.run(); },
  };
}

template <class Response, class Request, class Handler>
void ResourceManagerLink::call(std::string_view method, const Request& request, Handler handler) {
  client_.call<Response>(method, request, {},
                         answer_to<RpcResult<Response>>(ResourceManagerLinkActor{self_}, std::move(handler)));
}

// -- registration ---------------------------------------------------------------------------------

/// The ApplicationMaster repeats its message while there is no answer; the client repeats the request.
void ResourceManagerLink::on_register(const RegisterApplicationMaster& message) {
  if (std::exchange(is_registering_, true)) return;
  proto::RegisterApplicationMasterRequest request;
  set_address(request, message.driver_address);
  request.set_tracking_url("");
  const auto master = caf::actor_cast<ApplicationMasterActor>(self_->current_sender());
  call<proto::RegisterApplicationMasterResponse>(
      "registerApplicationMaster", request,
      [this, master, token = message.token](const auto& answer) { handle_registered(answer, master, token); });
}

void ResourceManagerLink::handle_registered(const RpcResult<proto::RegisterApplicationMasterResponse>& answer,
                                            const ApplicationMasterActor& master, const std::string& token) {
  is_registering_ = false;
  if (answer) return self_->send(master, registered_master(*answer, token));
  if (attempt_fault(answer.fault()) != AttemptFault::registered_before) return leave(answer.fault());
  self_->send(master, registered_before(token));
}

// -- allocation -----------------------------------------------------------------------------------

void ResourceManagerLink::on_allocate(const AllocateRequest& message) {
  const auto allocator = caf::actor_cast<AllocatorActor>(self_->current_sender());
  call<proto::AllocateResponse>(
      "allocate", to_proto(message),
      [this, allocator, id = message.response_id](const auto& answer) { handle_allocated(answer, allocator, id); });
}

void ResourceManagerLink::handle_allocated(const RpcResult<proto::AllocateResponse>& answer,
                                           const AllocatorActor& allocator, std::int32_t response_id) {
  AllocateResponse message;
  if (answer) {
    message = allocate_response(*answer, numbers_);
    for (const auto& container : answer->allocated()) logs_.on_granted(container);
    for (auto& [container, end] : message.completed) end.log_directory = logs_.take(container);
    if (answer->has_master_token()) client_.set_token(token_of(answer->master_token()));
    report_nodes(*answer, message);
    return self_->send(allocator, std::move(message));
  }
  message.response_id = response_id;
  switch (attempt_fault(answer.fault())) {
    case AttemptFault::not_registered: message.registration = AttemptRegistration::not_registered; break;
    case AttemptFault::unknown_attempt: message.registration = AttemptRegistration::unknown_attempt; break;
    case AttemptFault::registered_before:
    case AttemptFault::none: return leave(answer.fault());
  }
  self_->send(allocator, std::move(message));
}

void ResourceManagerLink::report_nodes(const proto::AllocateResponse& response, const AllocateResponse& message) {
  AllocationNews news;
  for (const auto& token : response.node_tokens())
    news.nodes.push_back({address_of(token.node_id()), token_of(token.token())});
  for (const auto& container : response.allocated()) {
    const auto address = address_of(container.node_id());
    news.granted.push_back(
        {container_of(container.id()), numbers_.number(address), {address, token_of(container.container_token())}});
  }
  for (const auto& [container, end] : message.completed) news.ended.push_back(container);
  if (!news.nodes.empty() || !news.granted.empty() || !news.ended.empty()) self_->send(nodes_, std::move(news));
}

// -- the end --------------------------------------------------------------------------------------

void ResourceManagerLink::on_finish(const FinishApplication& message) {
  if (std::exchange(is_finishing_, true)) return;
  finish(message, caf::actor_cast<ApplicationMasterActor>(self_->current_sender()));
}

void ResourceManagerLink::finish(const FinishApplication& message, const ApplicationMasterActor& master) {
  call<proto::FinishApplicationMasterResponse>(
      "finishApplicationMaster", to_proto(message),
      [this, message, master](const auto& answer) { handle_finished(answer, message, master); });
}

void ResourceManagerLink::handle_finished(const RpcResult<proto::FinishApplicationMasterResponse>& answer,
                                          const FinishApplication& message, const ApplicationMasterActor& master) {
  if (answer && !answer->is_unregistered())
    return runtime::send_later(self_, finish_interval, LinkWork{[this, message, master] { finish(message, master); }});
  is_finishing_ = false;
  if (answer) return self_->send(master, FinishedApplication{});
  const auto& fault = answer.fault();
  switch (attempt_fault(fault)) {
    case AttemptFault::not_registered: return self_->send(master, ApplicationMasterNotRegistered{fault.text});
    case AttemptFault::unknown_attempt: return self_->send(master, FinishedApplication{true});
    case AttemptFault::registered_before:
    case AttemptFault::none: return leave(fault);
  }
}

void ResourceManagerLink::leave(const RpcFault& fault) {
  const auto text = describe(fault, "ResourceManager");
  ports::write_error_line(text);  // into the log of the container
  if (tools_.events != nullptr)
    tools_.events->write(tools_.clock->now(), "resource_manager_gave_up", ports::EventFields{}.add("text", text));
  self_->quit(caf::make_error(caf::sec::runtime_error, text));
}

ResourceManagerLinkActor spawn_resource_manager_link(caf::actor_system& system,
                                                     const ResourceManagerLinkSettings& settings,
                                                     const runtime::ActorTools& tools, RpcThread* thread,
                                                     const NodeManagerLinkActor& nodes) {
  return runtime::spawn_role<ResourceManagerLink>(system, settings, tools, thread, nodes);
}

}  // namespace heddle::interop
