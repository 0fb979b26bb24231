// Archives in the format ustar (POSIX.1-1988), which any tar unpacks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "ports/file_system.hpp"

namespace heddle::work {

/// A file of an archive.
struct TarEntry {
  std::string name;  // in the archive, at most 100 bytes
  std::string path;  // of the local file
  std::int64_t bytes = 0;
};

/// Size of the archive.
[[nodiscard]] std::int64_t tar_bytes(const std::vector<TarEntry>& entries);

/// Writes the archive, and closes `to`. Archives of the same files are equal: owners, times and permissions are not
/// those of the files. Fails if a file cannot be read, has another size, or its name or size does not fit the format.
[[nodiscard]] Result<Done> write_tar(const std::vector<TarEntry>& entries, ports::ByteSink& to);

}  // namespace heddle::work
