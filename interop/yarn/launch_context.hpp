// Launch contexts of containers on YARN: files, environment, command line and secrets.
//
// The secret `heddle.launch` is the launch spec of the role. The secret `heddle.program` is a launch context that the
// master copies for its executors. Neither is in the environment, whose values bash expands, nor in the command line,
// which other users can read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interop/hadoop/proto/yarn_records.pb.h"
#include "interop/hadoop/token_file.hpp"
#include "model/launch_spec.hpp"
#include "model/result.hpp"

namespace heddle::interop {

inline constexpr std::string_view launch_secret = "heddle.launch";
inline constexpr std::string_view program_secret = "heddle.program";
inline constexpr std::string_view master_token_kind = "YARN_AM_RM_TOKEN";

/// A file that the NodeManager copies into its cache, once for all applications of a user, and links into the folder of
/// the container. Its script starts a process for each link.
struct LaunchFile {
  std::string name;  // in the folder of the container; of an archive: the folder with its files
  std::string url;   // "file:///usr/bin/heddle", "hdfs://host:8020/user/u/.heddle/1f00"
  std::int64_t bytes = 0;
  std::int64_t modified_ms = 0;  // since 1970; the NodeManager refuses a file that has changed
  bool is_archive = false;       // unpacked in the cache; the name in the URL ends with ".tar"
};

/// Name of the program in the folder of a container.
inline constexpr std::string_view program_name = "heddle";
/// Name of the folder with its libraries, if they come as an archive.
inline constexpr std::string_view libraries_name = "libraries";

/// Files and environment, equal for all containers of an application. Errc::usage for a URL of another form.
[[nodiscard]] Result<proto::ContainerLaunchContext> program_context(const std::vector<LaunchFile>& files,
                                                                    const std::string& user);

/// The context of one container: `program` with the command of the role and the secrets. `credentials`: tokens for the
/// process of the container.
[[nodiscard]] proto::ContainerLaunchContext launch_context(proto::ContainerLaunchContext program,
                                                           const LaunchSpec& spec, CredentialFile credentials);

}  // namespace heddle::interop
