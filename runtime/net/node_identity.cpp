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

caf::node_id node_id_of(const NodeIdentity& identity) {
  caf::node_id::default_data::host_id_type host{};
  for (std::size_t i = 0; i < host.size(); ++i)
    host[i] = static_cast<std::uint8_t>((i < 8 ? identity.high : identity.low) >> (8 * (i % 8)));
  return caf::make_node_id(static_cast<std::uint32_t>((identity.low >> 32) ^ identity.high) | 1U, host);
}

std::optional<NodeIdentity> identity_of(const caf::actor_system& system) {
  const caf::node_id node = system.node();
  const auto* data = node ? dynamic_cast<const caf::node_id::default_data*>(&*node) : nullptr;
  if (data == nullptr) return std::nullopt;
  NodeIdentity identity;
  for (std::size_t i = 16; i-- > 0;) {
    auto& half = i < 8 ? identity.high : identity.low;
    half = half << 8 | data->host_id()[i];
  }
  return node_id_of(identity) == node ? std::optional{identity} : std::nullopt;
}

void set_node_identity(caf::actor_system_config& config, const NodeIdentity& identity) {
  config.module_factories.push_back([identity](caf::actor_system& system) -> caf::actor_system::module* {
    return new caf::net::middleman(system, node_id_of(identity));
  });
}

}  // namespace heddle::runtime
