// CAF 0.17.6 derives the node id from hardware addresses and the process id. Only a class with this name (a friend of
// actor_system) can change it.
#include "runtime/net/node_identity.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/node_id.hpp>
#include <cstring>

namespace caf::net {

class middleman : public actor_system::module {
public:
  middleman(actor_system& system, node_id identity) : system_{system}, identity_{std::move(identity)} {}
  void init(actor_system_config&) override { system_.node_ = identity_; }
  void start() override {}
  void stop() override {}
  [[nodiscard]] id_t id() const override { return module::network_manager; }
  void* subtype_ptr() override { return this; }

private:
  actor_system& system_;
  node_id identity_;
};

}  // namespace caf::net

namespace heddle::runtime {

caf::node_id node_identity(std::uint64_t high, std::uint64_t low) {
  caf::node_id::default_data::host_id_type host{};
  for (std::size_t i = 0; i < host.size(); ++i)
    host[i] = static_cast<std::uint8_t>((i < 8 ? high : low) >> (8 * (i % 8)));
  return caf::make_node_id(static_cast<std::uint32_t>((low >> 32) ^ high) | 1U, host);
}

void set_node_identity(caf::actor_system_config& config, std::uint64_t high, std::uint64_t low) {
  config.module_factories.push_back([high, low](caf::actor_system& system) -> caf::actor_system::module* {
    return new caf::net::middleman(system, node_identity(high, low));
  });
}

}  // namespace heddle::runtime
