// Copies files between file systems.
#pragma once

#include <cstdint>

#include "model/result.hpp"
#include "ports/file_system.hpp"

namespace heddle::work {

/// Copies the rest of `from` to `to`, and closes `to`.
[[nodiscard]] Result<Done> copy_bytes(ports::ByteSource& from, ports::ByteSink& to);

/// The same without the close; returns the number of bytes.
[[nodiscard]] Result<std::int64_t> append_bytes(ports::ByteSource& from, ports::ByteSink& to);

}  // namespace heddle::work
