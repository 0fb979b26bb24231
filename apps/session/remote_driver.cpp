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
  caf::scoped_actor self{world_.system()};
  // A Driver that is lost again before it can be reached is followed by another DriverReady, or by the application's
  // end.
  self->request(world_.tools().connector, 10s, ConnectPeer{word.address, 5'000})
      .receive([this](const caf::strong_actor_ptr& found) { driver_ = caf::actor_cast<DriverActor>(found); },
               [](const caf::error&) {});
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
