// Which process sent a message, as the transport has proven it. Null in a world without a network.
#pragma once

#include <caf/actor_control_block.hpp>
#include <optional>

#include "ports/secure_transport.hpp"

namespace heddle::runtime {

class PeerIdentities {
public:
  PeerIdentities() = default;
  virtual ~PeerIdentities() = default;
  PeerIdentities(const PeerIdentities&) = delete;
  PeerIdentities& operator=(const PeerIdentities&) = delete;

  /// The process of `sender`, such as self->current_sender(); none: it is in this process, or its connection is closed.
  [[nodiscard]] virtual std::optional<ports::Peer> who(const caf::strong_actor_ptr& sender) const = 0;
};

}  // namespace heddle::runtime
