// All messages that the Client sends, its monitors, its timer, and its background work.
#include <algorithm>
#include <utility>

#include "actors/client/client.hpp"

namespace heddle::actors {
namespace {

using namespace std::chrono_literals;

constexpr auto cluster_patience = 20s;
constexpr auto driver_patience = 1s;      // per attempt; the process of the Driver may be stopped, so it is repeated
constexpr auto connector_patience = 10s;  // for the answer of the connector, beyond that of the connection

}  // namespace

void Client::begin() {
  ClientEffects effects;
  protocol_.begin(effects);
  for (auto& effect : effects) std::visit([this](auto& each) { apply(each); }, effect);
}

void Client::apply_effects(Instant now, ClientEffects& effects) {
  for (auto& effect : effects) std::visit([this](auto& each) { apply(each); }, effect);
  arm_tick(now);
}

/// Keeps a tick that is armed for an earlier time, because its handler arms the next one.
void Client::arm_tick(Instant now) {
  const auto due = protocol_.next_due();
  if (!due) return tick_.cancel();
  if (tick_.is_armed() && tick_due_ <= *due) return;
  tick_due_ = *due;
  tick_.arm<ClientTick>(self_, std::max(*due - now, Duration{0}));
}

// -- the ResourceManager -----------------------------------------------------------------------------

void Client::apply(const ConnectCluster&) {
  self_
      ->request(tools_.connector, cluster_patience + connector_patience,
                ConnectPeer{start_.resource_manager_address, to_milliseconds(cluster_patience)})
      .then(
          [this](const caf::strong_actor_ptr& found) {
            const auto handle = caf::actor_cast<ResourceManagerActor>(found);
            self_->monitor(handle);
            on_connected(handle);
          },
          [this](const caf::error&) { on_unreachable(); });
}

void Client::apply(const SubmitToCluster&) { self_->send(resource_manager_, start_.submission); }

void Client::apply(const KillAtCluster& effect) {
  self_->send(resource_manager_, KillApplication{start_.application, effect.reason});
}

// -- the Driver ----------------------------------------------------------------------------------------

void Client::apply(const ConnectDriver& effect) {
  driver_ = nullptr;
  self_
      ->request(tools_.connector, driver_patience + connector_patience,
                ConnectPeer{effect.address, to_milliseconds(driver_patience)})
      .then(
          [this, attempt = effect.attempt](const caf::strong_actor_ptr& found) {
            const auto handle = caf::actor_cast<DriverActor>(found);
            self_->monitor(handle);
            on_driver_connected(attempt, handle);
          },
          [this, attempt = effect.attempt](const caf::error&) { on_driver_unreachable(attempt); });
}

void Client::apply(SubmitToDriver& effect) { self_->send(driver_, std::move(effect.job)); }

void Client::apply(const CancelAtDriver& effect) {
  self_->send(driver_, CancelJob{effect.job, "cancelled by the user"});
}

void Client::apply(const StopAtDriver& effect) { self_->send(driver_, StopDriver{effect.succeeded, {}}); }

void Client::apply(const FailAtDriver& effect) { self_->send(driver_, FailJobs{effect.text}); }

// -- the session, background work -------------------------------------------------------------------------

void Client::apply(ReportToSession& effect) { ports_.listener->on_report(std::move(effect.report)); }

void Client::apply(const EndCluster&) {
  ports_.background->run([end = ports_.end_cluster, client = ClientRoleActor{self_}] {
    end();
    caf::anon_send(client, ClusterGone{});
  });
}

void Client::apply(const SettleOutput& effect) {
  ports_.background->run([settle = ports_.settle_output, effect, client = ClientRoleActor{self_}] {
    caf::anon_send(client, settle(effect));
  });
}

}  // namespace heddle::actors
