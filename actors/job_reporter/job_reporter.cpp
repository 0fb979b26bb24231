// Message handlers of the JobReporter. job_reporter_effects.cpp sends.
#include "actors/job_reporter/job_reporter.hpp"

#include <utility>

#include "runtime/spawn_role.hpp"

namespace heddle::actors {

JobReporter::JobReporter(JobReporterActor::pointer self, JobReporterStart start, runtime::ActorTools tools)
    : self_{self}, start_{std::move(start)}, tools_{std::move(tools)}, wait_{start_.is_followed, tools_.clock->now()} {}

JobReporterActor::behavior_type JobReporter::make_behavior() {
  self_->set_down_handler([this](const caf::down_msg& message) { on_client_down(message.source); });
  return {
      [this](const FollowJobs&) { on_follow_jobs(); },
      [this](const StopFollowing&) { on_stop_following(); },
      [this](const JobAccepted& message) { on_report(message); },
      [this](const JobProgress& message) { on_report(message); },
      [this](const JobFinished& message) { on_report(message); },
      [this](const Notice& message) { send_to_all(message); },
      [this](const JobsReported&) { on_jobs_reported(); },
      [this](const JobReporterTick& message) { on_job_reporter_tick(message); },
  };
}

void JobReporter::on_follow_jobs() {
  const auto& sender = self_->current_sender();
  if (!sender) return;
  wait_.on_followed();
  add_follower(caf::actor_cast<ClientActor>(sender));
  arm_tick(tools_.clock->now());
}

void JobReporter::on_stop_following() {
  const auto& sender = self_->current_sender();
  if (!sender) return;
  wait_.on_confirmed();
  on_client_down(sender->address());
}

void JobReporter::on_client_down(const caf::actor_addr& client) {
  if (followers_.erase(client) > 0) end_if_over(tools_.clock->now());
}

template <class Report>
void JobReporter::on_report(const Report& report) {
  book_.add(report);
  send_to_all(report);
}

void JobReporter::on_jobs_reported() {
  const Instant now = tools_.clock->now();
  wait_.on_reported(now);
  end_if_over(now);
}

void JobReporter::on_job_reporter_tick(const JobReporterTick& message) {
  if (tick_.accept(message.epoch)) end_if_over(tools_.clock->now());
}

void JobReporter::end_if_over(Instant now) {
  if (is_over_) return;
  is_over_ = wait_.is_over(now, followers_.size());
  if (!is_over_) return arm_tick(now);
  if (start_.on_over) start_.on_over(wait_.is_confirmed());
}

JobReporterActor spawn_job_reporter(caf::actor_system& system, const JobReporterStart& start,
                                    const runtime::ActorTools& tools) {
  return runtime::spawn_role<JobReporter>(system, start, tools);
}

}  // namespace heddle::actors
