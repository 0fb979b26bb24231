// All messages that the Client sends, its monitors, its timer, and its background work.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "actors/client/client.hpp"
#include "runtime/net/connect_peer.hpp"

namespace heddle::actors {
namespace {

using namespace std::chrono_literals;

constexpr auto cluster_patience = 20s;
constexpr auto driver_patience = 1s;  // per try; the process of the Driver may be stopped, so it is repeated

}  // namespace

void Client::begin() {
  ClientEffects effects;
  protocol_.begin(effects);
  for (auto& effect : effects) std::visit([this](auto& each) { apply(each); }, effect);
}

void Client::apply_effects(Instant now, ClientEffects& effects) {
  for (auto& effect : effects) std::visit([this](auto& each) { apply(each); }, effect);
  if (tools_.checks_invariants) protocol_.requests().check_invariants();
  arm_tick(now);
}

void Client::arm_tick(Instant now) { tick_.arm<ClientTick>(self_, now, protocol_.next_due()); }

// -- the ResourceManager -----------------------------------------------------------------------------

void Client::apply(const ConnectCluster&) {
  runtime::connect_peer<ApplicationClientServiceActor>(self_, tools_.connector, start_.resource_manager_address,
                                                       cluster_patience,
                                                       [this](const ApplicationClientServiceActor& found) {
                                                         if (found) on_connected(found);
                                                         else on_unreachable();
                                                       });
}

void Client::apply(const SubmitToCluster&) { self_->send(resource_manager_, start_.submission); }

void Client::apply(const KillAtCluster& effect) {
  self_->send(resource_manager_, KillApplication{start_.application, effect.reason});
}

// -- the job service ---------------------------------------------------------------------------------

void Client::apply(const ConnectJobService& effect) {
  job_service_ = nullptr;
  const auto patience = start_.job_tracker_address.empty() ? driver_patience : cluster_patience;
  runtime::connect_peer<JobServiceActor>(self_, tools_.connector, effect.address, patience,
                                         [this, attempt = effect.attempt](const JobServiceActor& found) {
                                           if (found) on_job_service_connected(attempt, found);
                                           else on_job_service_unreachable(attempt);
                                         });
}

void Client::apply(SubmitToJobService& effect) { self_->send(job_service_, std::move(effect.job)); }

void Client::apply(const CancelAtJobService& effect) {
  self_->send(job_service_, CancelJob{effect.job, "cancelled by the user"});
}

/// Precondition: the job service is a Driver. Until this message it keeps the application open for further jobs.
void Client::apply(const StopAtDriver& effect) {
  self_->send(caf::actor_cast<DriverActor>(job_service_), StopDriver{effect.succeeded, effect.text});
}

void Client::apply(const FollowAtDriver&) { self_->send(caf::actor_cast<DriverActor>(job_service_), FollowJobs{}); }

void Client::apply(const StopFollowingAtDriver&) {
  self_->send(caf::actor_cast<DriverActor>(job_service_), StopFollowing{});
}

void Client::apply(const FailAtDriver& effect) { self_->send(start_.driver, FailJobs{effect.text}); }

// -- the session, background work -------------------------------------------------------------------------

void Client::apply(ReportToSession& effect) { ports_.listener->on_report(std::move(effect.report)); }

void Client::apply(const EndCluster&) {
  ports_.background->run([end = ports_.end_cluster, client = ClientRoleActor{self_}] {
    try {
      end();
    } catch (const std::exception&) {  // such as bad_alloc: the processes end with their connections
    }
    caf::anon_send(client, ClusterGone{});
  });
}

void Client::apply(const SettleOutput& effect) {
  ports_.background->run([settle = ports_.settle_output, effect, client = ClientRoleActor{self_}] {
    try {
      caf::anon_send(client, settle(effect));
    } catch (const std::exception& why) {  // such as bad_alloc
      caf::anon_send(client,
                     OutputSettled{effect.request, false,
                                   fmt::format("'{}/_temporary' may be left, because work on the output failed: {}",
                                               fmt::join(effect.paths, "/_temporary', '"), why.what())});
    }
  });
}

}  // namespace heddle::actors
