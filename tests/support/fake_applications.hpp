// A ResourceManager that knows some applications, and the folder of its configuration, which HADOOP_CONF_DIR names.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "interop/hadoop/proto/yarn_protocols.pb.h"
#include "interop/yarn/yarn_ids.hpp"
#include "interop/yarn/yarn_records.hpp"
#include "tests/support/fake_rpc_server.hpp"
#include "tests/support/scratch_folder.hpp"

namespace heddle::tests {

struct FakeApplication {
  ApplicationId id;
  std::string name;
  std::string type;
  interop::proto::ApplicationState state = interop::proto::APPLICATION_RUNNING;
  interop::proto::FinalStatus final_status = interop::proto::FINAL_UNDEFINED;
  std::string diagnostics = {};
  int kills = 0;
};

class FakeApplications {
public:
  static constexpr int kills_needed = 2;  // calls of forceKillApplication until an application has ended

  explicit FakeApplications(FakeServerSettings settings = {})
      : server_{[this](const FakeCall& call) { return answer(call); }, std::move(settings)} {
    const auto property = [this](const char* name) {
      return std::string{"<property><name>"} + name + "</name><value>" + server_.address() + "</value></property>";
    };
    folder_.write("yarn-site.xml", "<configuration>" + property("yarn.resourcemanager.address") +
                                       property("yarn.resourcemanager.scheduler.address") + "</configuration>");
    ::setenv("HADOOP_CONF_DIR", folder_.path().c_str(), 1);
    ::setenv("HADOOP_USER_NAME", "ann", 1);
  }
  ~FakeApplications() {
    ::unsetenv("HADOOP_CONF_DIR");
    ::unsetenv("HADOOP_USER_NAME");
  }
  FakeApplications(const FakeApplications&) = delete;
  FakeApplications& operator=(const FakeApplications&) = delete;

  [[nodiscard]] const work::ScratchFolder& configuration() const { return folder_; }
  /// "host:port" of the NodeManagers of all containers.
  void set_node_page(const std::string& page) {
    const std::lock_guard lock{mutex_};
    node_page_ = page;
  }
  void add(const FakeApplication& application) {
    const std::lock_guard lock{mutex_};
    applications_[application.id] = application;
  }
  void end(const ApplicationId& id, interop::proto::FinalStatus status) {
    const std::lock_guard lock{mutex_};
    applications_.at(id).state = interop::proto::APPLICATION_FINISHED;
    applications_.at(id).final_status = status;
  }
  void refuse_kills(const std::string& text) {
    const std::lock_guard lock{mutex_};
    refusal_ = text;
  }
  /// An empty text accepts them again.
  void refuse_submissions(const std::string& text) {
    const std::lock_guard lock{mutex_};
    refused_submission_ = text;
  }
  /// State of the applications that are submitted from now on.
  void set_submitted_state(interop::proto::ApplicationState state) {
    const std::lock_guard lock{mutex_};
    submitted_state_ = state;
  }
  [[nodiscard]] const FakeRpcServer& server() const { return server_; }
  [[nodiscard]] int count_of(const std::string& method) const {
    const auto calls = server_.calls();
    return static_cast<int>(
        std::count_if(calls.begin(), calls.end(), [&](const FakeCall& call) { return call.method == method; }));
  }

private:
  FakeAnswer answer(const FakeCall& call) {
    const std::lock_guard lock{mutex_};
    if (call.method == "getApplications") return list(call.request);
    if (call.method == "getApplicationReport") return report(call.request);
    if (call.method == "getApplicationAttempts") return attempts(call.request);
    if (call.method == "getContainers") return containers(call.request);
    if (call.method == "forceKillApplication") return kill(call.request);
    if (call.method == "getNewApplication") return new_application();
    if (call.method == "getClusterNodes") return nodes();
    if (call.method == "submitApplication") return submit(call.request);
    return exception_of("java.io.IOException", "unexpected call of " + call.method);
  }

  static void fill(interop::proto::ApplicationReport& report, const FakeApplication& from) {
    *report.mutable_application_id() = interop::to_proto(from.id);
    report.set_name(from.name);
    report.set_application_type(from.type);
    report.set_user("ann");
    report.set_queue("root.etl");
    report.set_state(from.state);
    report.set_final_status(from.final_status);
    report.set_diagnostics(from.diagnostics);
    report.set_progress(interop::is_final(from.state) ? 1.0F : 0.25F);
    report.set_start_time(1'700'000'001'000);
    if (interop::is_final(from.state)) report.set_finish_time(1'700'000'003'500);
  }

  FakeAnswer list(const std::string& bytes) const {
    interop::proto::GetApplicationsRequest request;
    request.ParseFromString(bytes);
    interop::proto::GetApplicationsResponse response;
    for (const auto& [id, application] : applications_) {
      const auto& types = request.types();
      const auto& states = request.states();
      if (!types.empty() && std::find(types.begin(), types.end(), application.type) == types.end()) continue;
      if (!states.empty() && std::find(states.begin(), states.end(), application.state) == states.end()) continue;
      fill(*response.add_applications(), application);
    }
    return answer_of(response);
  }

  [[nodiscard]] static FakeAnswer unknown(const ApplicationId& id) {
    return exception_of("org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException",
                        "Application with id '" + to_string(id) + "' doesn't exist in RM.");
  }

  FakeAnswer report(const std::string& bytes) const {
    interop::proto::GetApplicationReportRequest request;
    request.ParseFromString(bytes);
    const auto found = applications_.find(interop::application_of(request.application_id()));
    if (found == applications_.end()) return unknown(interop::application_of(request.application_id()));
    interop::proto::GetApplicationReportResponse response;
    fill(*response.mutable_report(), found->second);
    return answer_of(response);
  }

  FakeAnswer attempts(const std::string& bytes) const {
    interop::proto::GetApplicationAttemptsRequest request;
    request.ParseFromString(bytes);
    const AttemptId attempt{interop::application_of(request.application_id()), 1};
    interop::proto::GetApplicationAttemptsResponse response;
    auto& report = *response.add_attempts();
    *report.mutable_attempt_id() = interop::to_proto(attempt);
    const bool is_over = interop::is_final(applications_.at(attempt.application).state);
    report.set_state(is_over ? interop::proto::ATTEMPT_FINISHED : interop::proto::ATTEMPT_RUNNING);
    *report.mutable_master_container() = interop::to_proto(ContainerId{1}, attempt);
    return answer_of(response);
  }

  FakeAnswer containers(const std::string& bytes) const {
    interop::proto::GetContainersRequest request;
    request.ParseFromString(bytes);
    const auto attempt = interop::attempt_of(request.attempt_id());
    interop::proto::GetContainersResponse response;
    for (const auto number : {1, 2}) {
      auto& report = *response.add_containers();
      const auto host = "h" + std::to_string(number);
      const auto page = "http://" + (node_page_.empty() ? host + ":8042" : node_page_);
      *report.mutable_container_id() = interop::to_proto(ContainerId{number}, attempt);
      report.mutable_node_id()->set_host(host);
      report.mutable_node_id()->set_port(8041);
      report.set_state(interop::proto::C_RUNNING);
      report.set_node_http_address(page);
      report.set_log_url(page + "/node/containerlogs/" + interop::container_name(report.container_id()) + "/ann");
    }
    return answer_of(response);
  }

  FakeAnswer kill(const std::string& bytes) {
    interop::proto::ForceKillApplicationRequest request;
    request.ParseFromString(bytes);
    if (!refusal_.empty()) return exception_of("org.apache.hadoop.security.AccessControlException", refusal_);
    auto& application = applications_.at(interop::application_of(request.application_id()));
    interop::proto::ForceKillApplicationResponse response;
    response.set_is_kill_completed(++application.kills >= kills_needed);
    if (response.is_kill_completed()) {
      application.state = interop::proto::APPLICATION_KILLED;
      application.final_status = interop::proto::FINAL_KILLED;
      application.diagnostics = request.diagnostics();
    }
    return answer_of(response);
  }

  /// With the number behind the largest one.
  FakeAnswer new_application() const {
    const ApplicationId last = applications_.empty() ? ApplicationId{1700000000000, 0} : applications_.rbegin()->first;
    interop::proto::GetNewApplicationResponse response;
    *response.mutable_application_id() = interop::to_proto(ApplicationId{last.cluster_start, last.number + 1});
    *response.mutable_capability_max() = interop::to_proto(Resource{4096, 4});
    return answer_of(response);
  }

  static FakeAnswer nodes() {
    interop::proto::GetClusterNodesResponse response;
    auto& node = *response.add_nodes();
    node.mutable_node_id()->set_host("h1");
    *node.mutable_capability() = interop::to_proto(Resource{8192, 4});
    return answer_of(response);
  }

  FakeAnswer submit(const std::string& bytes) {
    if (!refused_submission_.empty())
      return exception_of("org.apache.hadoop.yarn.exceptions.YarnException", refused_submission_);
    interop::proto::SubmitApplicationRequest request;
    request.ParseFromString(bytes);
    const auto id = interop::application_of(request.context().application_id());
    auto& made = applications_[id];
    made = {id, request.context().application_name(), "HEDDLE", submitted_state_};
    made.kills = kills_needed - 1;  // the next call ends it: a client that leaves does not repeat its call
    return answer_of(interop::proto::Empty{});
  }

  std::mutex mutex_;
  std::map<ApplicationId, FakeApplication> applications_;
  interop::proto::ApplicationState submitted_state_ = interop::proto::APPLICATION_ACCEPTED;
  std::string node_page_;
  std::string refusal_;
  std::string refused_submission_;
  work::ScratchFolder folder_;
  FakeRpcServer server_;
};

}  // namespace heddle::tests
