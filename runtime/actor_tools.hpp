// Tools that every role gets when it is spawned: clock, event log, random stream and peer connector.
#pragma once

#include "caf_compat/peer.hpp"
#include "model/random_stream.hpp"
#include "ports/clock.hpp"
#include "ports/event_sink.hpp"
#include "runtime/peer_identities.hpp"

namespace heddle::runtime {

/// Tools of one role. Clock and events outlive the actor. The connector is empty for roles of a local master.
struct ActorTools {
  const ports::Clock* clock = nullptr;
  ports::EventSink* events = nullptr;
  RandomStream random{0};
  PeerConnectorActor connector;
  bool checks_invariants = false;         // heddle.debug.check_invariants: check all tables after each message; slow
  const PeerIdentities* peers = nullptr;  // says which process sent a message; null without a network
};

}  // namespace heddle::runtime
