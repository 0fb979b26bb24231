#include "interop/yarn/launch_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "config/text/environment.hpp"

namespace heddle::interop {
namespace {

void set_variable(proto::ContainerLaunchContext& context, std::string_view name, std::string_view value) {
  auto& variable = *context.add_environment();
  variable.set_key(std::string{name});
  variable.set_value(std::string{value});
}

/// Splits scheme://[host[:port]]/path.
std::optional<proto::Url> parse_url(std::string_view text) {
  const auto colon = text.find("://");
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const auto rest = text.substr(colon + 3);
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  auto host = rest.substr(0, slash);
  std::int32_t port = -1;  // none, as in Hadoop
  if (const auto at = host.rfind(':'); at != std::string_view::npos) {
    const auto digits = host.substr(at + 1);
    const auto [stop, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (fault != std::errc{} || stop != digits.data() + digits.size()) return std::nullopt;
    host = host.substr(0, at);
  }
  proto::Url url;
  url.set_scheme(std::string{text.substr(0, colon)});
  if (!host.empty()) url.set_host(std::string{host});
  url.set_port(port);
  url.set_file(std::string{rest.substr(slash)});
  return url;
}

/// bash expands the values of variables and the command line.
bool is_plain(std::string_view text) { return text.find_first_of("\"\\$`'\n\r") == std::string_view::npos; }

}  // namespace

Result<proto::ContainerLaunchContext> program_context(const std::vector<LaunchFile>& files, const std::string& user) {
  if (!is_plain(user))
    return Error{Errc::usage, fmt::format("the user name \"{}\" has a character that bash expands", user)};
  proto::ContainerLaunchContext context;
  for (const auto& file : files) {
    auto url = parse_url(file.url);
    if (!url)
      return Error{Errc::usage, fmt::format("\"{}\" is no URL of a file that a NodeManager can read", file.url)};
    auto& linked = *context.add_local_resources();
    linked.set_key(file.name);
    auto& resource = *linked.mutable_value();
    *resource.mutable_resource() = std::move(*url);
    resource.set_size(file.bytes);
    resource.set_timestamp(file.modified_ms);
    resource.set_type(file.is_archive ? proto::RESOURCE_ARCHIVE : proto::RESOURCE_FILE);
    resource.set_visibility(proto::VISIBLE_TO_USER);
  }
  set_variable(context, "LD_LIBRARY_PATH", config::container_library_path);
  set_variable(context, "HADOOP_USER_NAME", user);
  set_variable(context, "MALLOC_ARENA_MAX", "2");  // each arena reserves 64 MiB of address space
  return context;
}

proto::ContainerLaunchContext launch_context(proto::ContainerLaunchContext program, const LaunchSpec& spec,
                                             CredentialFile credentials) {
  std::erase_if(credentials.secrets,
                [](const auto& secret) { return secret.first == launch_secret || secret.first == program_secret; });
  credentials.secrets.emplace_back(launch_secret, write_launch_spec(spec));
  if (std::holds_alternative<ApplicationMasterLaunch>(spec.role))
    credentials.secrets.emplace_back(program_secret, program.SerializeAsString());
  program.set_tokens(write_token_file(credentials));
  program.add_command(fmt::format("exec ./{} heddle-role container {} 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr",
                                  program_name, role_name(spec)));
  return program;
}

}  // namespace heddle::interop
