// First bytes of a connection between actor systems, from each end, after the handshake of TLS:
//   "HDH1", protocol u32, incarnation u64 u64, length of cluster u16, length of role u16, cluster, role
// Numbers are little-endian.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "model/result.hpp"
#include "ports/secure_transport.hpp"

namespace heddle::work {

inline constexpr std::size_t hello_head_bytes = 28;
inline constexpr std::size_t hello_text_bytes_max = 256;  // of cluster, and of role

[[nodiscard]] std::string write_hello(const ports::PeerHello& hello);
/// Number of bytes after the head. Errc::corrupt if `head` is not the head of a hello.
[[nodiscard]] Result<std::size_t> hello_rest_bytes(std::string_view head);
/// Reads a whole hello.
[[nodiscard]] Result<ports::PeerHello> read_hello(std::string_view bytes);

/// Errc::refused, with both values, if the two processes cannot work together.
[[nodiscard]] Result<Done> check_hello(const ports::PeerHello& own, const ports::PeerHello& peer);

}  // namespace heddle::work
