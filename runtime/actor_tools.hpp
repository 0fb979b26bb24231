// What every role is handed by whoever spawns it: time, chance, events, and the way to other processes.
#pragma once

#include "caf_compat/peer.hpp"
#include "model/random_stream.hpp"
#include "ports/clock.hpp"
#include "ports/event_sink.hpp"

namespace heddle::runtime {

/// Clock and events outlive the actor. A role that never leaves its process has no connector.
struct ActorTools {
  const ports::Clock* clock = nullptr;
  ports::EventSink* events = nullptr;
  RandomStream random{0};
  PeerConnectorActor connector;
  bool checks_invariants = false;  // roles check their tables after each message: slow, for tests
};

}  // namespace heddle::runtime
