// The client's way to a Driver in the master container: found through DriverReady, once per attempt of the application.
#pragma once

#include <caf/actor_system.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "caf_compat/peer.hpp"
#include "messages/handles.hpp"

namespace heddle::apps {

/// Keeps the jobs that are under way: each Driver that comes up is told of them, as long as nobody has ended them.
class RemoteDriver {
public:
  RemoteDriver(caf::actor_system& system, PeerConnectorActor connector, ClientActor client)
      : system_{system}, connector_{std::move(connector)}, client_{std::move(client)} {}

  /// Connects to the Driver of a new attempt and submits the jobs that its predecessor did not end.
  void on_driver_ready(const DriverReady& word);
  /// Tries again where the last connect failed a while ago: a Driver whose process was stopped for some seconds lives
  /// on and waits for its jobs. Called often.
  void connect_again();
  void submit(SubmitJob job);
  /// The job of this request has ended, by whatever way.
  void forget_job(std::int64_t request) { jobs_.erase(request); }
  /// One that is under way.
  [[nodiscard]] const SubmitJob& job(std::int64_t request) const { return jobs_.at(request); }
  [[nodiscard]] const DriverActor& handle() const { return driver_; }
  /// Of the application, as the newest Driver named it; 0: there was none.
  [[nodiscard]] std::int32_t attempt() const { return attempt_; }

private:
  void connect();
  void tell(SubmitJob& job);

  caf::actor_system& system_;
  PeerConnectorActor connector_;
  ClientActor client_;
  std::string address_;  // of the newest Driver
  std::chrono::steady_clock::time_point next_try_;
  DriverActor driver_;
  std::int32_t attempt_ = 0;
  std::map<std::int64_t, SubmitJob> jobs_;  // by request
};

}  // namespace heddle::apps
