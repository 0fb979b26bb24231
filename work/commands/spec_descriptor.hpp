// Passes the launch spec to a role process in an anonymous memory file, whose descriptor the process inherits, reads
// once and closes. Unlike arguments and environment, no other user can read it.
#pragma once

#include <string>
#include <vector>

#include "model/launch_spec.hpp"
#include "work/files/file_handle.hpp"

namespace heddle::work {

/// Writes the spec to a sealed memory file. Its descriptor is larger than the inherited descriptors.
[[nodiscard]] Result<FileHandle> make_spec_descriptor(const LaunchSpec& spec);

/// Command line of a role process: PROGRAM heddle-role ROLE --spec-fd N, with N = spec_descriptor.
[[nodiscard]] std::vector<std::string> role_arguments(const std::string& program, const LaunchSpec& spec);

/// Reads the spec and closes the descriptor. Fails with Errc::corrupt.
[[nodiscard]] Result<LaunchSpec> read_spec_descriptor(int descriptor);

/// Reads the spec from the descriptor in `arguments` (ROLE --spec-fd N).
[[nodiscard]] Result<LaunchSpec> read_spec_of_arguments(const std::vector<std::string>& arguments);

}  // namespace heddle::work
