// Requests and responses of YARN as messages of heddle, and the reverse. Pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "interop/hadoop/credential_token.hpp"
#include "interop/hadoop/proto/yarn_protocols.pb.h"
#include "messages/allocator.hpp"
#include "messages/application_master.hpp"
#include "messages/client.hpp"
#include "messages/container_source.hpp"
#include "model/resources.hpp"

namespace heddle::interop {

/// Scheme of the addresses of Hadoop's NodeManagers: "yarn-node:host:port".
inline constexpr std::string_view node_scheme = "yarn-node:";

[[nodiscard]] CredentialToken token_of(const proto::Token& token);
[[nodiscard]] proto::Resource to_proto(const Resource& resource);
[[nodiscard]] Resource resource_of(const proto::Resource& resource);
/// "host:port".
[[nodiscard]] std::string address_of(const proto::NodeId& node);

/// Numbers of the nodes of an application, in the order of their first appearance.
class NodeNumbers {
public:
  [[nodiscard]] NodeId number(const std::string& address);

private:
  std::map<std::string, NodeId> numbers_;
};

// -- submission -----------------------------------------------------------------------------------

/// What an application is submitted with, beside its SubmitApplication.
struct SubmissionRules {
  ApplicationId application;
  std::string type;               // shown by the ResourceManager
  std::vector<std::string> tags;  // of the application
  bool is_unmanaged = false;      // the client starts the master
};

/// `master`: context of the master container; empty for an unmanaged master.
[[nodiscard]] proto::SubmitApplicationRequest submission_request(const SubmitApplication& submission,
                                                                 const SubmissionRules& rules,
                                                                 proto::ContainerLaunchContext master);

[[nodiscard]] constexpr bool is_final(proto::ApplicationState state) {
  return state == proto::APPLICATION_FINISHED || state == proto::APPLICATION_FAILED ||
         state == proto::APPLICATION_KILLED;
}
/// The ResourceManager has accepted the application: it waits for its master container or runs.
[[nodiscard]] constexpr bool is_accepted(proto::ApplicationState state) {
  return state == proto::APPLICATION_ACCEPTED || state == proto::APPLICATION_RUNNING ||
         state == proto::APPLICATION_FINISHED;
}
/// Diagnostics of a container or an attempt without line ends at their end. If the dynamic loader of a node refused the
/// program, because the glibc of the node is too old, a sentence that says so comes first.
[[nodiscard]] std::string explained_diagnostics(std::string diagnostics);
/// End of an application in a final state, with its explained diagnostics.
[[nodiscard]] ApplicationEnded ended_application(const proto::ApplicationReport& report);
/// `text` has the diagnostics of the last attempt; adds those of the attempts before it.
[[nodiscard]] std::string with_earlier_attempts(const std::string& text, std::int32_t last,
                                                const proto::GetApplicationAttemptsResponse& attempts);

/// Rack of each host.
[[nodiscard]] std::map<std::string, std::string> racks_of(const proto::GetClusterNodesResponse& nodes);

// -- the master -----------------------------------------------------------------------------------

[[nodiscard]] RegisteredApplicationMaster registered_master(const proto::RegisterApplicationMasterResponse& response,
                                                            const std::string& token);
[[nodiscard]] proto::AllocateRequest to_proto(const AllocateRequest& request);
[[nodiscard]] AllocateResponse allocate_response(const proto::AllocateResponse& response, NodeNumbers& nodes);
[[nodiscard]] proto::FinishApplicationMasterRequest to_proto(const FinishApplication& finish);

}  // namespace heddle::interop
