#include "interop/yarn/yarn_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "interop/yarn/yarn_ids.hpp"

namespace heddle::interop {
namespace {

constexpr std::string_view memory_name = "memory-mb";
constexpr std::string_view cores_name = "vcores";

/// YARN kills the containers on a node in any of these conditions and reports them as ended, so their map outputs are
/// lost with them.
NodeCondition condition_of(proto::NodeState state) {
  switch (state) {
    case proto::NS_NEW:
    case proto::NS_RUNNING: return NodeCondition::running;
    case proto::NS_DECOMMISSIONING: return NodeCondition::decommissioning;
    case proto::NS_UNHEALTHY:
    case proto::NS_DECOMMISSIONED:
    case proto::NS_LOST:
    case proto::NS_REBOOTED:
    case proto::NS_SHUTDOWN: return NodeCondition::lost;
  }
  return NodeCondition::running;
}

GrantedContainer granted(const proto::Container& container, NodeNumbers& nodes) {
  const auto address = address_of(container.node_id());
  GrantedContainer made;
  made.container = container_of(container.id());
  made.node = nodes.number(address);
  made.host = container.node_id().host();
  made.node_address = std::string{node_scheme} + address;
  made.priority = container.priority().priority();
  made.resource = resource_of(container.resource());
  return made;
}

/// {2, 36} of "2.36"; empty for other texts.
std::vector<int> version_numbers(std::string_view text) {
  std::vector<int> made;
  while (!text.empty()) {
    const auto part = text.substr(0, text.find('.'));
    int number = 0;
    const auto [end, fault] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (fault != std::errc{} || end != part.data() + part.size()) return {};
    made.push_back(number);
    text.remove_prefix(std::min(text.size(), part.size() + 1));
  }
  return made;
}

/// The newest glibc that a dynamic loader misses in this text: "2.36" for "version `GLIBC_2.36' not found"; empty for
/// none.
std::string missing_glibc(std::string_view text) {
  constexpr std::string_view start = "version `GLIBC_";
  constexpr std::string_view end = "' not found";
  std::string newest;
  for (auto at = text.find(start); at != text.npos; at = text.find(start)) {
    text.remove_prefix(at + start.size());
    const auto name = text.substr(0, text.find('\''));
    if (!text.substr(name.size()).starts_with(end)) continue;
    if (newest.empty() || version_numbers(newest) < version_numbers(name)) newest = name;
  }
  return newest;
}

}  // namespace

CredentialToken token_of(const proto::Token& token) {
  return {token.identifier(), token.password(), token.kind(), token.service()};
}

proto::Resource to_proto(const Resource& resource) {
  proto::Resource made;
  made.set_memory(resource.memory_mib);
  made.set_virtual_cores(static_cast<std::int32_t>(resource.cores));
  for (const auto& [name, amount] : resource.others) {
    auto* other = made.add_resources();
    other->set_key(name);
    other->set_value(amount);
  }
  return made;
}

Resource resource_of(const proto::Resource& resource) {
  Resource made{resource.memory(), resource.virtual_cores()};
  for (const auto& other : resource.resources())
    if (other.key() != memory_name && other.key() != cores_name) made.others.set(other.key(), other.value());
  return made;
}

std::string address_of(const proto::NodeId& node) { return fmt::format("{}:{}", node.host(), node.port()); }

NodeId NodeNumbers::number(const std::string& address) {
  return numbers_.try_emplace(address, NodeId{static_cast<std::int64_t>(numbers_.size())}).first->second;
}

// -- submission -----------------------------------------------------------------------------------

proto::SubmitApplicationRequest submission_request(const SubmitApplication& submission, const SubmissionRules& rules,
                                                   proto::ContainerLaunchContext master) {
  proto::SubmitApplicationRequest request;
  auto& context = *request.mutable_context();
  *context.mutable_application_id() = to_proto(rules.application);
  context.set_application_name(submission.name);
  context.set_queue(submission.queue);
  if (submission.priority != 0) context.mutable_priority()->set_priority(submission.priority);
  *context.mutable_master_container() = std::move(master);
  if (rules.is_unmanaged) context.set_unmanaged_master(true);
  if (submission.attempts_max > 0) context.set_attempts_max(submission.attempts_max);
  *context.mutable_resource() = to_proto(submission.master);
  context.set_application_type(rules.type);
  for (const auto& tag : rules.tags) context.add_tags(tag);
  if (!submission.node_label.empty()) context.set_node_label_expression(submission.node_label);
  return request;
}

std::string explained_diagnostics(std::string diagnostics) {
  while (diagnostics.ends_with('\n') || diagnostics.ends_with(' ')) diagnostics.pop_back();
  const auto needed = missing_glibc(diagnostics);
  if (needed.empty()) return diagnostics;
  return fmt::format(
      "the glibc of the node is too old: this build of heddle needs glibc {}; build heddle on a system whose glibc is "
      "not newer than that of any node (`ldd --version` prints it), or update the nodes\n{}",
      needed, diagnostics);
}

ApplicationEnded ended_application(const proto::ApplicationReport& report) {
  ApplicationEnded made;
  made.application = application_of(report.application_id());
  made.succeeded = report.state() == proto::APPLICATION_FINISHED && report.final_status() == proto::FINAL_SUCCEEDED;
  made.text = explained_diagnostics(report.diagnostics());
  if (made.text.empty() && report.state() == proto::APPLICATION_KILLED) made.text = "the application was killed";
  return made;
}

std::string with_earlier_attempts(const std::string& text, std::int32_t last,
                                  const proto::GetApplicationAttemptsResponse& attempts) {
  std::map<std::int32_t, std::string> earlier;
  for (const auto& report : attempts.attempts())
    if (const auto number = report.attempt_id().attempt_id(); number < last) earlier[number] = report.diagnostics();
  auto made = text;
  for (const auto& [number, diagnostics] : earlier) made += fmt::format("\nattempt {}: {}", number, diagnostics);
  while (!made.empty() && (made.back() == '\n' || made.back() == ' ')) made.pop_back();
  return made;
}

std::map<std::string, std::string> racks_of(const proto::GetClusterNodesResponse& nodes) {
  std::map<std::string, std::string> made;
  for (const auto& node : nodes.nodes())
    if (!node.rack().empty()) made.emplace(node.node_id().host(), node.rack());
  return made;
}

// -- the master -----------------------------------------------------------------------------------

RegisteredApplicationMaster registered_master(const proto::RegisterApplicationMasterResponse& response,
                                              const std::string& token) {
  RegisteredApplicationMaster made;
  made.maximum = resource_of(response.capability_max());
  made.token = token;
  for (const auto type : response.resource_types())
    made.counted.push_back(type == proto::SCHEDULED_MEMORY ? ResourceKind::memory : ResourceKind::cores);
  made.limits_others = true;  // the maximum names all types that the ResourceManager knows
  return made;
}

proto::AllocateRequest to_proto(const AllocateRequest& request) {
  proto::AllocateRequest made;
  for (const auto& ask : request.asks) {
    auto* asked = made.add_ask();
    asked->mutable_priority()->set_priority(ask.priority);
    asked->set_resource_name(ask.place);
    *asked->mutable_capability() = to_proto(ask.resource);
    asked->set_containers(static_cast<std::int32_t>(ask.count));
    asked->set_relax_locality(ask.relax_locality);
  }
  for (const auto container : request.release) *made.add_release() = to_proto(container, request.attempt);
  if (!request.exclusion_add.empty() || !request.exclusion_remove.empty()) {
    for (const auto& host : request.exclusion_add) made.mutable_blacklist()->add_additions(host);
    for (const auto& host : request.exclusion_remove) made.mutable_blacklist()->add_removals(host);
  }
  made.set_response_id(request.response_id);
  made.set_progress(request.progress);
  return made;
}

AllocateResponse allocate_response(const proto::AllocateResponse& response, NodeNumbers& nodes) {
  AllocateResponse made;
  made.response_id = response.response_id();
  for (const auto& container : response.allocated()) made.allocated.push_back(granted(container, nodes));
  for (const auto& status : response.completed()) {
    CompletedContainer ended{container_of(status.container_id())};
    ended.end.exit_status = status.exit_status();
    ended.end.diagnostics = explained_diagnostics(status.diagnostics());
    made.completed.push_back(std::move(ended));
  }
  for (const auto& node : response.updated_nodes())
    made.updated_nodes.push_back(
        {nodes.number(address_of(node.node_id())), node.node_id().host(), condition_of(node.state())});
  made.cluster_nodes = response.nodes();
  made.headroom = resource_of(response.headroom());
  if (response.has_command())  // of Hadoop 2; later ones answer with exceptions
    made.registration = response.command() == proto::MASTER_RESYNC ? AttemptRegistration::not_registered
                                                                   : AttemptRegistration::unknown_attempt;
  return made;
}

proto::FinishApplicationMasterRequest to_proto(const FinishApplication& finish) {
  proto::FinishApplicationMasterRequest made;
  made.set_diagnostics(finish.text);
  made.set_final_status(finish.succeeded ? proto::FINAL_SUCCEEDED : proto::FINAL_FAILED);
  return made;
}

}  // namespace heddle::interop
