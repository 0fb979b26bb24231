// Reads the frames of CAF's protocol (BASP, version 3) in the decrypted stream of a connection before CAF does, because
// CAF 0.17.6 trusts them: a frame can name any actor of the process, carry any type, and make it allocate 4 GiB. Pure:
// no CAF, no socket. The first violation ends the connection.
//
//   frame: operation u8, 0 u8, 0 u8, flags u8, payload size u32, operation data u64, sender u64, receiver u64, payload
//   Numbers are big-endian. Passed on are: handshakes, direct messages with one message of heddle, an error or nothing,
//   monitor and down operations, heartbeats.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace heddle::runtime {

/// Bytes of the CAF node id of a process, as frames carry them, from the random bits of its incarnation.
[[nodiscard]] std::string node_bytes(std::uint64_t incarnation_high, std::uint64_t incarnation_low);

/// Numbers of actors that a peer may address. Thread-safe.
class ActorNumbers {
public:
  void insert(std::uint64_t actor);
  [[nodiscard]] bool contains(std::uint64_t actor) const;

private:
  mutable std::mutex mutex_;
  std::set<std::uint64_t> actors_;
};

struct GuardRules {
  bool is_server = false;  // this process accepted the connection
  std::string own_node;    // node_bytes of this process
  std::string peer_node;   // and of the peer, from its hello
  std::uint32_t payload_max = 16U << 20;
};

class FrameGuard {
public:
  enum class Action : std::uint8_t { pass, swallow, wait, refuse };
  /// What to do with the first bytes of the stream that are not decided yet.
  struct Decision {
    Action action = Action::wait;
    std::size_t bytes = 0;  // pass, swallow: that many; wait: at least that many bytes are needed
    const char* why = "";   // refuse
  };

  /// `published`: actors of the roles that this process has published. `shown`: actors whose handles it has sent to
  /// this peer; the guard adds to them. Both outlive the guard.
  FrameGuard(GuardRules rules, const ActorNumbers& published, ActorNumbers& shown);

  /// Decides about `bytes`, which start at the first undecided byte of the stream. After pass and swallow the next call
  /// starts behind those bytes.
  [[nodiscard]] Decision decide(std::string_view bytes);
  /// Bytes of the current payload that decide() passes without a look.
  [[nodiscard]] std::size_t passing() const { return passing_; }
  /// Passes bytes of the current payload; at most passing().
  void pass(std::size_t bytes) { passing_ -= bytes; }

  /// Follows the stream to the peer: the senders in it become addressable.
  void follow_outgoing(std::string_view bytes);

private:
  struct Header;
  [[nodiscard]] const char* check_header(const Header& header) const;
  [[nodiscard]] const char* check_payload(const Header& header, std::string_view payload);
  [[nodiscard]] const char* check_message(std::string_view payload) const;
  [[nodiscard]] const char* check_nodes(std::string_view payload) const;
  [[nodiscard]] bool is_reachable(std::uint64_t actor) const;

  GuardRules rules_;
  const ActorNumbers& published_;
  ActorNumbers& shown_;
  int handshakes_ = 0;
  bool is_greeted_ = false;
  std::size_t passing_ = 0;
  // outgoing
  std::array<char, 32> head_{};
  std::size_t head_bytes_ = 0;
  std::size_t outgoing_left_ = 0;
};

}  // namespace heddle::runtime
