// All messages that the YarnAllocator sends, its monitors and its timer.
#include <utility>

#include "actors/yarn_allocator/yarn_allocator.hpp"

namespace heddle::actors {
namespace {

/// Time to connect to a peer.
constexpr Duration connect_patience = std::chrono::seconds{10};

}  // namespace

void YarnAllocator::apply_effects() {
  // apply() handles no message, so effects_ gets no new effects meanwhile.
  for (auto& effect : std::exchange(effects_, {})) std::visit([this](auto& each) { apply(each); }, effect);
}

// -- connections -----------------------------------------------------------------------------------

void YarnAllocator::connect_peers() {
  const auto patience = to_milliseconds(connect_patience);
  self_->request(tools_.connector, 2 * connect_patience, ConnectPeer{state_.start.resource_manager_address, patience})
      .then(
          [this](const caf::strong_actor_ptr& found) {
            resource_manager_ = caf::actor_cast<ResourceManagerActor>(found);
            self_->monitor(resource_manager_);
            on_resource_manager_found(true);
          },
          [this](const caf::error&) { on_resource_manager_found(false); });
  if (driver_) return self_->monitor(driver_);
  self_->request(tools_.connector, 2 * connect_patience, ConnectPeer{state_.start.driver_address, patience})
      .then(
          [this](const caf::strong_actor_ptr& found) {
            driver_ = caf::actor_cast<DriverActor>(found);
            self_->monitor(driver_);
            on_driver_found(true);
          },
          [this](const caf::error&) { on_driver_found(false); });
}

void YarnAllocator::apply(const OpenNodeConnection& effect) {
  self_->request(tools_.connector, 2 * connect_patience, ConnectPeer{effect.address, to_milliseconds(connect_patience)})
      .then(
          [this, address = effect.address](const caf::strong_actor_ptr& found) {
            const auto node = caf::actor_cast<NodeManagerActor>(found);
            self_->monitor(node);
            nodes_.insert_or_assign(address, node);
            on_node_found(address, true);
          },
          [this, address = effect.address](const caf::error&) { on_node_found(address, false); });
}

void YarnAllocator::apply(const ConnectMaster&) {
  master_ = caf::actor_cast<ApplicationMasterActor>(self_->current_sender());
  self_->monitor(master_);
}

// -- messages --------------------------------------------------------------------------------------

void YarnAllocator::apply(SendToDriver& effect) {
  if (!driver_) return;
  std::visit([this](auto& each) { self_->send(driver_, std::move(each)); }, effect.message);
}

void YarnAllocator::apply(SendAllocateRequest& effect) { self_->send(resource_manager_, std::move(effect.request)); }

void YarnAllocator::apply(SendToNodeManager& effect) {
  const auto node = nodes_.find(effect.address);
  if (node == nodes_.end()) return;
  std::visit([&](auto& each) { self_->send(node->second, std::move(each)); }, effect.message);
}

void YarnAllocator::apply(const LeaveApplication& effect) {
  self_->send(master_, effect.end);
  self_->quit();
}

// -- timer -----------------------------------------------------------------------------------------

void YarnAllocator::apply(const ArmReporterTick& effect) { reporter_tick_.arm<ReporterTick>(self_, effect.delay); }

void YarnAllocator::apply(const CancelReporterTick&) { reporter_tick_.cancel(); }

}  // namespace heddle::actors
