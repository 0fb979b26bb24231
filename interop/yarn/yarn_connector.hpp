// The connector of a process whose cluster is Hadoop. It answers the addresses below with the links to Hadoop, and any
// other address as its inner connector does.
#pragma once

#include <caf/fwd.hpp>
#include <map>
#include <string>
#include <string_view>

#include "caf_compat/peer.hpp"

namespace heddle::interop {

/// Address of a ResourceManager for clients.
inline constexpr std::string_view client_scheme = "yarn-client:";
/// Address of a ResourceManager for masters: "yarn-scheduler:host:port,host:port".
inline constexpr std::string_view scheduler_scheme = "yarn-scheduler:";

/// The link that answers each scheme.
using SchemeLinks = std::map<std::string, caf::strong_actor_ptr>;

[[nodiscard]] PeerConnectorActor spawn_yarn_connector(caf::actor_system& system, const PeerConnectorActor& inner,
                                                      const SchemeLinks& links);

}  // namespace heddle::interop
