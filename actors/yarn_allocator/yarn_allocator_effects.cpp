// All messages that the YarnAllocator sends, its monitors and its timer.
#include <utility>

#include "actors/yarn_allocator/yarn_allocator.hpp"
#include "runtime/net/connect_peer.hpp"

namespace heddle::actors {
namespace {

constexpr Duration peer_patience = std::chrono::seconds{10};

}  // namespace

void YarnAllocator::apply_effects() {
  // apply() handles no message, so effects_ gets no new effects meanwhile.
  for (auto& effect : std::exchange(effects_, {})) std::visit([this](auto& each) { apply(each); }, effect);
}

// -- connections -----------------------------------------------------------------------------------

void YarnAllocator::connect_peers() {
  runtime::connect_peer<ApplicationMasterServiceActor>(self_, tools_.connector, state_.start.resource_manager_address,
                                                       peer_patience,
                                                       [this](const ApplicationMasterServiceActor& found) {
                                                         resource_manager_ = found;
                                                         on_resource_manager_found(static_cast<bool>(found));
                                                       });
  if (driver_) return self_->monitor(driver_);
  runtime::connect_peer<DriverActor>(self_, tools_.connector, state_.start.driver_address, peer_patience,
                                     [this](const DriverActor& found) {
                                       driver_ = found;
                                       on_driver_found(static_cast<bool>(found));
                                     });
}

void YarnAllocator::apply(const OpenNodeConnection& effect) {
  runtime::connect_peer<ContainerManagementActor>(
      self_, tools_.connector, effect.address, peer_patience,
      [this, address = effect.address](const ContainerManagementActor& found) {
        if (found) nodes_.insert_or_assign(address, found);
        on_node_found(address, static_cast<bool>(found));
      });
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

void YarnAllocator::apply(const RegisterMasterAgain&) { self_->send(master_, RegistrationLost{}); }

void YarnAllocator::apply(const LeaveApplication& effect) {
  self_->send(master_, effect.end);
  self_->quit();
}

// -- timer -----------------------------------------------------------------------------------------

void YarnAllocator::apply(const ArmReporterTick& effect) { reporter_tick_.arm<ReporterTick>(self_, effect.delay); }

void YarnAllocator::apply(const CancelReporterTick&) { reporter_tick_.cancel(); }

}  // namespace heddle::actors
