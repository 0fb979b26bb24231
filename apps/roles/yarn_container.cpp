#include "apps/roles/yarn_container.hpp"

#include <fmt/format.h>

#include <caf/actor_cast.hpp>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "config/table/setting_rows.hpp"
#include "config/text/environment.hpp"
#include "config/text/text_file.hpp"
#include "interop/yarn/container_start.hpp"
#include "interop/yarn/launch_context.hpp"
#include "interop/yarn/resource_manager_link.hpp"
#include "interop/yarn/yarn_connector.hpp"

namespace heddle::apps {
namespace {

Result<interop::CredentialFile> read_credentials(const config::ContainerVariables& variables) {
  if (variables.token_file.empty())
    return Error{Errc::usage, "HADOOP_TOKEN_FILE_LOCATION is not set; only a NodeManager starts this process"};
  const auto bytes = config::read_text_file(variables.token_file);
  if (!bytes) return bytes.error();
  return interop::parse_token_file(variables.token_file, *bytes);
}

std::vector<std::string> scheduler_addresses(const std::string& address) {
  std::vector<std::string> made;
  for (const auto part : config::split_words(std::string_view{address}.substr(interop::scheduler_scheme.size()), ','))
    made.emplace_back(part);
  return made;
}

Error missing(const config::ContainerVariables& variables, std::string_view what) {
  return {Errc::corrupt, fmt::format("the token file {} has no {}", variables.token_file, what)};
}

}  // namespace

Result<LaunchSpec> read_container_spec() {
  const auto variables = config::read_container_variables();
  const auto credentials = read_credentials(variables);
  if (!credentials) return credentials.error();
  return interop::container_spec(variables, *credentials);
}

bool is_on_yarn(const LaunchSpec& spec) {
  return spec.container.resource_manager_address.starts_with(interop::scheduler_scheme);
}

Result<std::unique_ptr<YarnMasterLinks>> YarnMasterLinks::make(RoleRuntime& world, const LaunchSpec& spec) {
  const auto variables = config::read_container_variables();
  auto credentials = read_credentials(variables);
  if (!credentials) return credentials.error();
  // An unmanaged master: no NodeManager removes its folder, and its client may be killed.
  if (std::error_code ignored; variables.container.empty()) std::filesystem::remove(variables.token_file, ignored);
  const auto* token = credentials->token_of_kind(interop::master_token_kind);
  if (token == nullptr) return missing(variables, "token of the application attempt");
  const auto* program = credentials->secret(interop::program_secret);
  if (program == nullptr) return missing(variables, "secret with the files of the program");

  std::unique_ptr<YarnMasterLinks> links{new YarnMasterLinks};
  interop::ResourceManagerLinkSettings settings;
  settings.addresses = scheduler_addresses(spec.container.resource_manager_address);
  settings.token = *token;
  settings.user = variables.user;
  settings.retries.give_up_after_ms = to_milliseconds(world.settings().yarn().connect_wait);
  interop::NodeManagerLinkSettings of_nodes;
  of_nodes.program = *program;
  of_nodes.transport_key = {spec.cluster, spec.cluster_secret};
  of_nodes.credentials = std::move(*credentials);
  of_nodes.retries.give_up_after_ms = to_milliseconds(world.settings().yarn_allocator().executor_start_timeout);
  const auto nodes = interop::spawn_node_manager_link(world.system(), of_nodes, world.tools(), &links->thread_);
  const auto resource_manager =
      interop::spawn_resource_manager_link(world.system(), settings, world.tools(), &links->thread_, nodes);
  world.use_connector(interop::spawn_yarn_connector(
      world.system(), world.tools().connector,
      {{std::string{interop::scheduler_scheme}, caf::actor_cast<caf::strong_actor_ptr>(resource_manager)},
       {std::string{interop::node_scheme}, caf::actor_cast<caf::strong_actor_ptr>(nodes)}}));
  return links;
}

}  // namespace heddle::apps
