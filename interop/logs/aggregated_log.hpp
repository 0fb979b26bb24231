// A file into which one NodeManager has collected the logs of the containers of an application. It is a TFile
// (tfile_index.hpp) whose entries are key and value:
//
//   size of the key, key: its length in 2 bytes and the name of the container (or another name, such as VERSION)
//   value in parts: size of the part, negative if others follow, and its bytes
//
// The value of a container has for each log file: name and length, as texts with their lengths in 2 bytes, and content.
#pragma once

#include <string>

#include "interop/logs/log_visitor.hpp"
#include "ports/file_system.hpp"

namespace heddle::interop {

/// Visits all log files of one data block, which has `bytes` bytes. Containers with `host` and `place`.
[[nodiscard]] Result<Done> visit_log_block(ports::ByteSource& block, std::int64_t bytes, const LogFile& origin,
                                           LogVisitor& visitor);

/// Visits all log files, in their order. The name of the file is host and port of its node. Errors name the path.
/// Errc::corrupt for a damaged file, Errc::refused for a compressed one. Needs no memory for contents.
[[nodiscard]] Result<Done> visit_aggregated_log(const ports::FileSystem& files, const ports::FileStatus& file,
                                                LogVisitor& visitor);

}  // namespace heddle::interop
