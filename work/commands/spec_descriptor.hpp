// How a launch spec reaches the process of a role: a file in memory without a name, which the process inherits as one
// more descriptor, reads once and closes. Nobody else on the machine can open it, unlike arguments and environment.
#pragma once

#include <string>
#include <vector>

#include "model/launch_spec.hpp"
#include "work/files/file_handle.hpp"

namespace heddle::work {

/// The spec in a file that can be read and not changed any more; its number is none of the inherited descriptors'.
[[nodiscard]] Result<FileHandle> make_spec_descriptor(const LaunchSpec& spec);

/// PROGRAM heddle-role ROLE --spec-fd N: how a role is started whose spec is handed over as spec_descriptor.
[[nodiscard]] std::vector<std::string> role_arguments(const std::string& program, const LaunchSpec& spec);

/// Reads the spec and closes the descriptor.
[[nodiscard]] Result<LaunchSpec> read_spec_descriptor(int descriptor);

/// The same of the descriptor that these arguments name; they begin with the name of the role.
[[nodiscard]] Result<LaunchSpec> read_spec_of_arguments(const std::vector<std::string>& arguments);

}  // namespace heddle::work
