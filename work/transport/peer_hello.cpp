#include "work/transport/peer_hello.hpp"

#include <fmt/format.h>

#include "model/sealed_bytes.hpp"

namespace heddle::work {
namespace {

constexpr std::string_view magic = "HDH1";

Error no_hello() { return {Errc::corrupt, "the peer did not send the hello of heddle"}; }

}  // namespace

std::string write_hello(const ports::PeerHello& hello) {
  const auto cluster = hello.cluster.substr(0, hello_text_bytes_max);
  const auto role = hello.role.substr(0, hello_text_bytes_max);
  return std::string{magic} + little_endian(hello.protocol, 4) + little_endian(hello.incarnation_high, 8) +
         little_endian(hello.incarnation_low, 8) + little_endian(cluster.size(), 2) + little_endian(role.size(), 2) +
         cluster + role;
}

Result<std::size_t> hello_rest_bytes(std::string_view head) {
  if (head.size() < hello_head_bytes || head.substr(0, magic.size()) != magic) return no_hello();
  const auto cluster = from_little_endian(head.substr(24, 2));
  const auto role = from_little_endian(head.substr(26, 2));
  if (cluster > hello_text_bytes_max || role > hello_text_bytes_max) return no_hello();
  return static_cast<std::size_t>(cluster + role);
}

Result<ports::PeerHello> read_hello(std::string_view bytes) {
  const auto rest = hello_rest_bytes(bytes);
  if (!rest || bytes.size() != hello_head_bytes + *rest) return no_hello();
  const auto cluster = static_cast<std::size_t>(from_little_endian(bytes.substr(24, 2)));
  ports::PeerHello hello;
  hello.protocol = static_cast<std::uint32_t>(from_little_endian(bytes.substr(4, 4)));
  hello.incarnation_high = from_little_endian(bytes.substr(8, 8));
  hello.incarnation_low = from_little_endian(bytes.substr(16, 8));
  hello.cluster = bytes.substr(hello_head_bytes, cluster);
  hello.role = bytes.substr(hello_head_bytes + cluster);
  return hello;
}

Result<Done> check_hello(const ports::PeerHello& own, const ports::PeerHello& peer) {
  if (peer.protocol != own.protocol)
    return Error{Errc::refused, fmt::format("it speaks protocol {} and this process protocol {}; use the same version "
                                            "of heddle in both",
                                            peer.protocol, own.protocol)};
  if (peer.cluster != own.cluster)
    return Error{Errc::refused,
                 fmt::format("it belongs to cluster '{}' and this process to cluster '{}'", peer.cluster, own.cluster)};
  return Done{};
}

}  // namespace heddle::work
