// All messages that the ResourceManager sends, its monitors and its timers.
#include <caf/send.hpp>
#include <utility>

#include "actors/resource_manager/resource_manager.hpp"

namespace heddle::actors {

void ResourceManager::apply_effects() {
  // apply() handles no message, so effects_ gets no new effects meanwhile.
  for (auto& effect : std::exchange(effects_, {})) std::visit([this](auto& each) { apply(each); }, effect);
}

bool ResourceManager::has_sender() const { return self_->current_sender() != nullptr; }

// -- nodes -------------------------------------------------------------------------------------------

void ResourceManager::apply(const AddNode& effect) {
  auto handle = caf::actor_cast<NodeManagerActor>(self_->current_sender());
  self_->monitor(handle);
  nodes_.insert_or_assign(effect.node, std::move(handle));
}

void ResourceManager::apply(const DropNode& effect) { nodes_.erase(effect.node); }

void ResourceManager::apply(SendToNode& effect) {
  const auto node = nodes_.find(effect.node);
  if (node == nodes_.end()) return;
  std::visit([&](auto& each) { self_->send(node->second, std::move(each)); }, effect.message);
}

void ResourceManager::apply(ReplyToNode& effect) {
  const auto node = caf::actor_cast<NodeManagerActor>(self_->current_sender());
  std::visit([&](auto& each) { self_->send(node, std::move(each)); }, effect.message);
}

// -- peers of applications ---------------------------------------------------------------------------

void ResourceManager::apply(const AddClient& effect) {
  auto client = caf::actor_cast<ClientActor>(self_->current_sender());
  self_->monitor(client);
  clients_.insert_or_assign(effect.application, std::move(client));
}

void ResourceManager::apply(const AddMaster& effect) {
  auto master = caf::actor_cast<ApplicationMasterActor>(self_->current_sender());
  self_->monitor(master);
  masters_.insert_or_assign(effect.application, std::move(master));
}

void ResourceManager::apply(const AddAllocator& effect) {
  allocators_.insert_or_assign(effect.application, caf::actor_cast<AllocatorActor>(self_->current_sender()));
}

void ResourceManager::apply(const DropApplication& effect) {
  clients_.erase(effect.application);
  masters_.erase(effect.application);
  allocators_.erase(effect.application);
}

void ResourceManager::apply(SendToApplicant& effect) {
  const auto client = clients_.find(effect.application);
  if (client == clients_.end()) return;
  std::visit([&](auto& each) { self_->send(client->second, std::move(each)); }, effect.message);
}

void ResourceManager::apply(SendToMaster& effect) {
  const auto master = masters_.find(effect.application);
  if (master != masters_.end()) self_->send(master->second, effect.message);
}

void ResourceManager::apply(ReplyToMaster& effect) {
  const auto master = caf::actor_cast<ApplicationMasterActor>(self_->current_sender());
  std::visit([&](auto& each) { self_->send(master, std::move(each)); }, effect.message);
}

void ResourceManager::apply(SendToAllocator& effect) {
  const auto allocator = allocators_.find(effect.application);
  if (allocator == allocators_.end()) return;
  std::visit([&](auto& each) { self_->send(allocator->second, std::move(each)); }, effect.message);
}

void ResourceManager::apply(ReplyToAllocator& effect) {
  self_->send(caf::actor_cast<AllocatorActor>(self_->current_sender()), std::move(effect.message));
}

// -- groups of users -----------------------------------------------------------------------------

/// The callback runs on a thread of UserGroups, maybe after this actor has ended; hence the weak pointer.
void ResourceManager::apply(const LookUpGroups& effect) {
  const auto self = caf::actor_cast<caf::weak_actor_ptr>(self_);
  state_.start.groups->look_up(effect.user, [self, user = effect.user] {
    if (const auto alive = caf::actor_cast<caf::strong_actor_ptr>(self))
      caf::anon_send(caf::actor_cast<ResourceManagerActor>(alive), GroupsFound{user});
  });
}

void ResourceManager::arm_tick(Instant now) { tick_.arm<ResourceManagerTick>(self_, now, state_.next_due()); }

void ResourceManager::arm_offers_tick() {
  if (const auto sleep = state_.scheduler->continuous_sleep()) offers_tick_.arm<ContinuousOffersTick>(self_, *sleep);
}

}  // namespace heddle::actors
