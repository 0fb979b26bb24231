#include "runtime/system_settings.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/io/middleman.hpp>
#include <caf/scheduler/coordinator.hpp>
#include <caf/timespan.hpp>

#include "runtime/net/node_identity.hpp"
#include "runtime/sharing_policy.hpp"

namespace heddle::runtime {

void apply(caf::actor_system_config& config, const SystemSettings& settings) {
  // Idle threads use no processor time. The throughput bound keeps an actor with a long mailbox from delaying the
  // timers of others.
  config.module_factories.push_back([](caf::actor_system& system) -> caf::actor_system::module* {
    return new caf::scheduler::coordinator<SharingPolicy>{system};
  });
  config.set("scheduler.max-threads", static_cast<std::size_t>(settings.scheduler_threads));
  config.set("scheduler.max-throughput", std::size_t{100});
  if (settings.has_network) apply_network(config, settings);
}

void apply_network(caf::actor_system_config& config, const SystemSettings& settings) {
  config.load<caf::io::middleman>();
  config.set("middleman.workers", std::size_t{0});
  // Must be equal on both sides of a connection. Without them a frozen peer is never detected.
  const auto span = [](Duration time) { return std::chrono::duration_cast<caf::timespan>(time); };
  config.set("middleman.heartbeat-interval", span(settings.heartbeat_interval));
  config.set("middleman.connection-timeout", span(settings.connection_timeout));
  config.set("middleman.app-identifiers", std::vector<std::string>{"heddle-1"});
  set_node_identity(config, {settings.identity_high, settings.identity_low});
}

}  // namespace heddle::runtime
