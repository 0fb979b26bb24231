#include "interop/yarn/yarn_connector.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace heddle::interop {
namespace {

PeerConnectorActor::behavior_type yarn_connector(PeerConnectorActor::pointer self, const PeerConnectorActor& inner,
                                                 const SchemeLinks& links) {
  return {
      [self, inner, links](const ConnectPeer& message) -> caf::result<caf::strong_actor_ptr> {
        for (const auto& [scheme, link] : links)
          if (message.address.starts_with(scheme)) return link;
        return self->delegate(inner, message);
      },
      [](const RetryConnect&) {},  // of the inner connector
  };
}

}  // namespace

PeerConnectorActor spawn_yarn_connector(caf::actor_system& system, const PeerConnectorActor& inner,
                                        const SchemeLinks& links) {
  return system.spawn(yarn_connector, inner, links);
}

}  // namespace heddle::interop
