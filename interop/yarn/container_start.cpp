#include "interop/yarn/container_start.hpp"

#include <fmt/format.h>

#include <string>

#include "interop/yarn/launch_context.hpp"
#include "interop/yarn/yarn_ids.hpp"

namespace heddle::interop {
namespace {

/// The first folder of a list that is separated by commas.
std::string first_folder(const std::string& folders) { return folders.substr(0, folders.find(',')); }

Result<Done> check_folder(std::string_view variable, const std::string& folder) {
  if (folder.starts_with('/')) return Done{};
  return Error{Errc::usage,
               fmt::format("{} begins with \"{}\"; expected the absolute path of a folder, as a NodeManager "
                           "sets it",
                           variable, folder)};
}

}  // namespace

Result<LaunchSpec> container_spec(const config::ContainerVariables& variables, const CredentialFile& credentials) {
  const auto name = parse_container_name(variables.container);
  if (!name) return name.error();
  if (variables.host.empty()) return Error{Errc::usage, "NM_HOST is not set; only a NodeManager starts this process"};
  const auto local = first_folder(variables.local_folders);
  const auto logs = first_folder(variables.log_folders);
  if (auto checked = check_folder("LOCAL_DIRS", local); !checked) return checked.error();
  if (auto checked = check_folder("LOG_DIRS", logs); !checked) return checked.error();
  const auto* bytes = credentials.secret(launch_secret);
  if (bytes == nullptr)
    return Error{Errc::corrupt,
                 fmt::format("the token file {} has no secret {}; the container was not started by heddle",
                             variables.token_file, launch_secret)};
  auto spec = read_launch_spec(*bytes);
  if (!spec) return spec;
  spec->log_directory = logs;
  spec->container.container = name->container;
  spec->container.attempt = name->attempt;
  spec->container.host = variables.host;
  spec->container.directory = local;
  return spec;
}

}  // namespace heddle::interop
