#include "apps/session/remote_driver.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace heddle::apps {

using namespace std::chrono_literals;

void RemoteDriver::on_driver_ready(const DriverReady& word) {
  if (word.attempt.attempt <= attempt_) return;
  attempt_ = word.attempt.attempt;
  driver_ = nullptr;
  address_ = word.address;
  connect();
}

void RemoteDriver::connect_again() {
  if (driver_ || address_.empty() || std::chrono::steady_clock::now() < next_try_) return;
  connect();
}

void RemoteDriver::connect() {
  caf::scoped_actor self{system_};
  // Short: the caller's thread also has to hear of a cancellation. A Driver that is lost before it can be reached is
  // followed by another DriverReady, or by the application's end.
  self->request(connector_, 7s, ConnectPeer{address_, 1'000})
      .receive([this](const caf::strong_actor_ptr& found) { driver_ = caf::actor_cast<DriverActor>(found); },
               [](const caf::error&) {});
  next_try_ = std::chrono::steady_clock::now() + 500ms;
  for (auto& [request, job] : jobs_) tell(job);
}

void RemoteDriver::submit(SubmitJob job) {
  const auto request = job.request;
  tell(jobs_.insert_or_assign(request, std::move(job)).first->second);
}

void RemoteDriver::tell(SubmitJob& job) {
  if (!driver_) return;
  caf::send_as(client_, driver_, job);
  ++job.earlier_drivers;
}

}  // namespace heddle::apps
