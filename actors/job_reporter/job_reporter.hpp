// Passes reports about the jobs of a master container on to the clients that follow them.
// Receives from: Client (through the Driver), its own process. Sends to: Client.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <cstdint>
#include <functional>
#include <map>

#include "actors/job_reporter/follower_wait.hpp"
#include "actors/job_reporter/report_book.hpp"
#include "messages/handles.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

struct JobReporterStart {
  bool is_followed = false;  // a client is about to follow the jobs
  /// Called once, after JobsReported: no client is waited for any more. `is_confirmed`: none is missing a report.
  std::function<void(bool is_confirmed)> on_over{};
};

class JobReporter {
public:
  using Handle = JobReporterActor;
  JobReporter(JobReporterActor::pointer self, JobReporterStart start, runtime::ActorTools tools);
  JobReporterActor::behavior_type make_behavior();

private:
  void on_follow_jobs();
  void on_stop_following();
  void on_jobs_reported();
  void on_job_reporter_tick(const JobReporterTick& message);
  void on_client_down(const caf::actor_addr& client);
  template <class Report>
  void on_report(const Report& report);
  void end_if_over(Instant now);
  // -- effects (job_reporter_effects.cpp) ------------------------------------------------------
  void add_follower(const ClientActor& client);
  template <class Report>
  void send_to_all(const Report& report);
  void arm_tick(Instant now);

  JobReporterActor::pointer self_;
  JobReporterStart start_;
  runtime::ActorTools tools_;
  ReportBook book_;
  FollowerWait wait_;
  std::map<caf::actor_addr, ClientActor> followers_;
  bool is_over_ = false;
  runtime::DeadlineTimer tick_;
};

[[nodiscard]] JobReporterActor spawn_job_reporter(caf::actor_system& system, const JobReporterStart& start,
                                                  const runtime::ActorTools& tools);

}  // namespace heddle::actors
