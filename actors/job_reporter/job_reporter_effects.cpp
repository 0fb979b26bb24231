// All messages that the JobReporter sends, its monitors and its timer.
#include "actors/job_reporter/job_reporter.hpp"

namespace heddle::actors {

/// The client first gets the reports so far: JobAccepted of a job before all others.
void JobReporter::add_follower(const ClientActor& client) {
  if (followers_.emplace(client.address(), client).second) self_->monitor(client);
  for (const auto& [job, reports] : book_.jobs()) {
    self_->send(client, reports.accepted);
    if (reports.progress) self_->send(client, *reports.progress);
    if (reports.end) self_->send(client, *reports.end);
  }
}

template <class Report>
void JobReporter::send_to_all(const Report& report) {
  for (const auto& [address, client] : followers_) self_->send(client, report);
}

template void JobReporter::send_to_all(const JobAccepted& report);
template void JobReporter::send_to_all(const JobProgress& report);
template void JobReporter::send_to_all(const JobFinished& report);
template void JobReporter::send_to_all(const Notice& report);

void JobReporter::arm_tick(Instant now) {
  tick_.arm<JobReporterTick>(self_, now, is_over_ ? std::nullopt : wait_.next_due(followers_.size()));
}

}  // namespace heddle::actors
