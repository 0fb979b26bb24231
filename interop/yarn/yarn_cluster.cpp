#include "interop/yarn/yarn_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <future>
#include <utility>

#include "config/text/environment.hpp"
#include "interop/hadoop/proto/yarn_protocols.pb.h"
#include "interop/yarn/application_reports.hpp"
#include "interop/yarn/yarn_connector.hpp"
#include "interop/yarn/yarn_ids.hpp"
#include "interop/yarn/yarn_records.hpp"

namespace heddle::interop {
namespace {

constexpr std::int64_t default_connect_wait_ms = 900'000;

Error without_configuration() {
  return {Errc::usage,
          "--master yarn needs the configuration of the Hadoop cluster: set HADOOP_CONF_DIR to the folder with "
          "core-site.xml and yarn-site.xml"};
}

}  // namespace

Result<std::unique_ptr<YarnCluster>> YarnCluster::configure(std::optional<std::int64_t> connect_wait_ms,
                                                            const AnswerWait& answer_wait) {
  const auto folder = config::read_environment().hadoop_conf_folder;
  if (folder.empty()) return without_configuration();
  const auto site = read_hadoop_site(folder, {});
  if (!site) return site.error();
  if (auto checked = check_security(*site); !checked) return checked.error();
  const auto clients = resource_manager_addresses(*site, ResourceManagerService::client);
  if (!clients) return clients.error();
  const auto schedulers = resource_manager_addresses(*site, ResourceManagerService::scheduler);
  if (!schedulers) return schedulers.error();
  const auto wait = site->number("yarn.resourcemanager.connect.max-wait.ms", default_connect_wait_ms);
  if (!wait) return wait.error();

  std::unique_ptr<YarnCluster> made{new YarnCluster{*site, answer_wait}};
  made->user_ = hadoop_user();
  made->scheduler_address_ = fmt::format("{}{}", scheduler_scheme, fmt::join(*schedulers, ","));
  made->connect_wait_ms_ = connect_wait_ms.value_or(*wait);
  RpcTarget target;
  target.addresses = *clients;
  target.protocol = application_client_protocol;
  target.user = made->user_;
  RetryRules retries;
  retries.give_up_after_ms = made->connect_wait_ms_;
  made->client_ = std::make_unique<RpcClient>(made->thread_, std::move(target), retries,
                                              [cluster = made.get()](const RpcFault& fault) {
                                                const std::lock_guard lock{cluster->mutex_};
                                                cluster->last_fault_ = describe(fault, "ResourceManager");
                                              });
  return made;
}

std::string YarnCluster::last_fault() const {
  const std::lock_guard lock{mutex_};
  return last_fault_.empty() ? "the ResourceManager does not answer" : last_fault_;
}

template <class Response, class Request>
Result<Response> YarnCluster::call(std::string_view method, const Request& request, const IsCancelled& is_cancelled,
                                   const OnNotice& on_notice) {
  const auto answer = std::make_shared<std::promise<RpcResult<Response>>>();
  auto arrival = answer->get_future();
  client_->call<Response>(method, request, {},
                          [answer](RpcResult<Response> result) { answer->set_value(std::move(result)); });
  auto notice_at = std::chrono::steady_clock::now() + wait_.notice_after;
  bool is_noticed = false;
  while (arrival.wait_for(wait_.look_interval) != std::future_status::ready) {
    if (is_cancelled && is_cancelled())
      return Error{Errc::cancelled, "cancelled by the user while heddle waited for the ResourceManager"};
    if (is_noticed || !on_notice || std::chrono::steady_clock::now() < notice_at) continue;
    is_noticed = true;
    on_notice(
        Notice{fmt::format("waiting up to {} s for the ResourceManager: {}", connect_wait_ms_ / 1000, last_fault())});
  }
  auto result = arrival.get();
  if (!result) return to_error(result.fault(), "ResourceManager");
  return std::move(*result);
}

Result<NewYarnApplication> YarnCluster::new_application(const IsCancelled& is_cancelled, const OnNotice& on_notice) {
  using proto::GetClusterNodesResponse;
  using proto::GetNewApplicationResponse;
  const auto created = call<GetNewApplicationResponse>("getNewApplication", proto::Empty{}, is_cancelled, on_notice);
  if (!created) return created.error();
  proto::GetClusterNodesRequest running;
  running.add_states(proto::NS_RUNNING);
  const auto nodes = call<GetClusterNodesResponse>("getClusterNodes", running, is_cancelled, on_notice);
  if (!nodes) return nodes.error();
  NewYarnApplication made;
  made.application = application_of(created->application_id());
  made.maximum = resource_of(created->capability_max());
  for (const auto& node : nodes->nodes()) made.nodes.push_back(resource_of(node.capability()));
  made.racks = racks_of(*nodes);
  return made;
}

// -- applications ---------------------------------------------------------------------------------

Result<std::vector<ApplicationReport>> YarnCluster::applications(const std::vector<std::string>& types, bool with_ended,
                                                                 const IsCancelled& is_cancelled,
                                                                 const OnNotice& on_notice) {
  constexpr std::array active{proto::APPLICATION_NEW, proto::APPLICATION_NEW_SAVING, proto::APPLICATION_SUBMITTED,
                              proto::APPLICATION_ACCEPTED, proto::APPLICATION_RUNNING};
  proto::GetApplicationsRequest request;
  for (const auto& type : types) request.add_types(type);
  if (!with_ended)
    for (const auto state : active) request.add_states(state);
  const auto listed = call<proto::GetApplicationsResponse>("getApplications", request, is_cancelled, on_notice);
  if (!listed) return listed.error();
  std::vector<ApplicationReport> made;
  for (const auto& report : listed->applications()) made.push_back(application_report(report));
  std::sort(made.begin(), made.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return made;
}

Result<ApplicationReport> YarnCluster::application(const ApplicationId& application, const IsCancelled& is_cancelled,
                                                   const OnNotice& on_notice) {
  proto::GetApplicationReportRequest request;
  *request.mutable_application_id() = to_proto(application);
  const auto answer =
      call<proto::GetApplicationReportResponse>("getApplicationReport", request, is_cancelled, on_notice);
  if (!answer) return answer.error();
  return application_report(answer->report());
}

Result<std::vector<ApplicationAttemptReport>> YarnCluster::attempts(const ApplicationId& application,
                                                                    const IsCancelled& is_cancelled,
                                                                    const OnNotice& on_notice) {
  proto::GetApplicationAttemptsRequest request;
  *request.mutable_application_id() = to_proto(application);
  const auto answer =
      call<proto::GetApplicationAttemptsResponse>("getApplicationAttempts", request, is_cancelled, on_notice);
  if (!answer) return answer.error();
  return attempt_reports(*answer);
}

Result<std::vector<ContainerReport>> YarnCluster::containers(const AttemptId& attempt, const IsCancelled& is_cancelled,
                                                             const OnNotice& on_notice) {
  proto::GetContainersRequest request;
  *request.mutable_attempt_id() = to_proto(attempt);
  const auto answer = call<proto::GetContainersResponse>("getContainers", request, is_cancelled, on_notice);
  if (!answer) return answer.error();
  return container_reports(*answer);
}

Result<bool> YarnCluster::kill(const ApplicationId& application, const std::string& reason,
                               const IsCancelled& is_cancelled, const OnNotice& on_notice) {
  proto::ForceKillApplicationRequest request;
  *request.mutable_application_id() = to_proto(application);
  request.set_diagnostics(reason);
  const auto answer =
      call<proto::ForceKillApplicationResponse>("forceKillApplication", request, is_cancelled, on_notice);
  if (!answer) return answer.error();
  return answer->is_kill_completed();
}

Result<std::vector<std::string>> YarnCluster::node_pages(const IsCancelled& is_cancelled, const OnNotice& on_notice) {
  proto::GetClusterNodesRequest running;
  running.add_states(proto::NS_RUNNING);
  const auto nodes = call<proto::GetClusterNodesResponse>("getClusterNodes", running, is_cancelled, on_notice);
  if (!nodes) return nodes.error();
  std::vector<std::string> made;
  for (const auto& node : nodes->nodes()) made.push_back("http://" + node.http_address());
  return made;
}

}  // namespace heddle::interop
