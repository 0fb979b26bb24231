// CAF's connections over a secure transport. Everything that listens or connects for an actor system goes through here:
// CAF's own ports are never opened. Each connection is read through a FrameGuard.
#pragma once

#include <caf/actor.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "ports/secure_transport.hpp"
#include "runtime/net/node_identity.hpp"
#include "runtime/peer_identities.hpp"

namespace heddle::runtime {

struct PeerNetworkSettings {
  NodeIdentity identity;  // of the actor system
  std::uint32_t frame_bytes_max = 16U << 20;
};

struct PeerNetworkState;

/// Network of one actor system, which must have a middleman and must outlive this object.
class PeerNetwork final : public PeerIdentities {
public:
  PeerNetwork(caf::actor_system& system, std::unique_ptr<ports::SecureTransport> transport,
              const PeerNetworkSettings& settings);
  /// Closes the ports of published actors. Open connections stay open until the actor system ends.
  ~PeerNetwork() override;

  /// Publishes an actor and returns its address, or an error. `port` and `is_reusable`: as for SecureTransport::listen.
  template <class Handle>
  [[nodiscard]] Result<std::string> publish(const Handle& actor, std::uint16_t port = 0, bool is_reusable = false) {
    return publish(caf::actor_cast<caf::strong_actor_ptr>(actor),
                   system_.message_types(caf::detail::type_list<Handle>{}), port, is_reusable);
  }

  /// Actor that connects: (connect_atom, host:port) is answered by the node, the published actor and its interface.
  [[nodiscard]] const caf::actor& dialler() const { return dialler_; }

  [[nodiscard]] std::optional<ports::Peer> who(const caf::strong_actor_ptr& sender) const override;

private:
  [[nodiscard]] Result<std::string> publish(caf::strong_actor_ptr actor, std::set<std::string> interface,
                                            std::uint16_t port, bool is_reusable);

  caf::actor_system& system_;
  std::shared_ptr<PeerNetworkState> state_;
  std::shared_ptr<ports::SecureTransport> transport_;
  caf::actor dialler_;
  std::vector<std::uint16_t> ports_;  // of published actors
};

}  // namespace heddle::runtime
