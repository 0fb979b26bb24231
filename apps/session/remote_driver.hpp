// The client's way to a Driver in the master container: found through DriverReady, once per attempt of the application.
#pragma once

#include <optional>

#include "apps/session/process_world.hpp"
#include "messages/handles.hpp"

namespace heddle::apps {

/// Keeps the job that is under way: each Driver that comes up is told of it, as long as nobody has ended it.
class RemoteDriver {
public:
  RemoteDriver(ProcessWorld& world, ClientActor client) : world_{world}, client_{std::move(client)} {}

  /// Connects to the Driver of a new attempt and submits the job that its predecessor did not end.
  void on_driver_ready(const DriverReady& word);
  void submit(SubmitJob job);
  /// The job has ended, by whatever way.
  void forget_job() { job_.reset(); }
  [[nodiscard]] const std::optional<SubmitJob>& job() const { return job_; }
  [[nodiscard]] const DriverActor& handle() const { return driver_; }
  /// Of the application, as the newest Driver named it; 0: there was none.
  [[nodiscard]] std::int32_t attempt() const { return attempt_; }

private:
  void tell();

  ProcessWorld& world_;
  ClientActor client_;
  DriverActor driver_;
  std::int32_t attempt_ = 0;
  std::optional<SubmitJob> job_;
};

}  // namespace heddle::apps
