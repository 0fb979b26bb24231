#include "actors/client/client_protocol.hpp"

#include <algorithm>
#include <utility>

#include "model/assert.hpp"

namespace heddle::actors {
namespace {

using namespace std::chrono_literals;

constexpr Duration kill_after = 4s;  // a live Driver ends a cancelled job at once
constexpr Duration give_up_after = 8s;
constexpr const char* cancelled = "cancelled by the user";
constexpr std::int32_t later_attempts_max = 1'000;  // far above the limit of any cluster

bool is_legal(ClientPhase from, ClientPhase to) {
  switch (to) {
    case ClientPhase::connecting: return false;
    case ClientPhase::submitted: return from == ClientPhase::connecting;
    case ClientPhase::running: return from == ClientPhase::submitted || from == ClientPhase::connecting;
    case ClientPhase::ending:
    case ClientPhase::leaving: return from <= ClientPhase::running;
    case ClientPhase::over: return from != ClientPhase::over;
  }
  return false;
}

void report(ClientReport what, ClientEffects& effects) { effects.push_back(ReportToSession{std::move(what)}); }

}  // namespace

ClientProtocol::ClientProtocol(ClientRules rules)
    : rules_{std::move(rules)},
      phase_{rules_.has_cluster ? ClientPhase::connecting : ClientPhase::running},
      link_{rules_.has_own_driver} {}

void ClientProtocol::enter(ClientPhase next) {
  HEDDLE_ASSERT(is_legal(phase_, next), "illegal transition between client phases");
  phase_ = next;
}

bool ClientProtocol::is_live() const { return phase_ <= ClientPhase::running; }

void ClientProtocol::begin(ClientEffects& effects) {
  constexpr std::int32_t only_attempt = 1;
  if (!rules_.has_cluster) return;
  if (!rules_.is_classic()) return effects.push_back(ConnectCluster{});
  static_cast<void>(link_.on_driver_ready(only_attempt, rules_.job_tracker));
  effects.push_back(ConnectJobService{only_attempt, rules_.job_tracker});
}

// -- the ResourceManager ---------------------------------------------------------------------------

void ClientProtocol::on_cluster_reached(ClientEffects& effects) {
  if (phase_ != ClientPhase::connecting) return;
  enter(ClientPhase::submitted);
  effects.push_back(SubmitToCluster{});
  report(ApplicationSubmitted{}, effects);
}

void ClientProtocol::on_cluster_unreachable(ClientEffects& effects) {
  if (phase_ == ClientPhase::connecting) give_up({Errc::unreachable, "the ResourceManager cannot be reached"}, effects);
}

void ClientProtocol::on_resource_manager_lost(ClientEffects& effects) {
  lose_cluster({Errc::failed, std::string{cluster_lost}}, effects);
}

void ClientProtocol::on_nodes_lost(const NodesLost& message, ClientEffects& effects) {
  lose_cluster({Errc::unreachable, message.text}, effects);
}

/// A Driver in this process still ends its jobs and settles their outputs.
void ClientProtocol::lose_cluster(Error why, ClientEffects& effects) {
  if (!is_live() || !link_.is_own()) return give_up(std::move(why), effects);
  if (why_) return;
  why_ = why;
  effects.push_back(FailAtDriver{why.text});
  report(ClusterUnusable{std::move(why)}, effects);
}

void ClientProtocol::on_application_accepted(const ApplicationAccepted& message, ClientEffects& effects) {
  if (phase_ != ClientPhase::submitted) return;
  enter(ClientPhase::running);
  report(message, effects);
}

void ClientProtocol::on_application_refused(const ApplicationRefused& message, ClientEffects& effects) {
  give_up({Errc::refused, message.text}, effects);
}

/// The job service sends JobFinished before it ends the application. Both arrive on connections of their own.
void ClientProtocol::on_application_ended(const ApplicationEnded& message, ClientEffects& effects) {
  if (rules_.ends_with_jobs() && link_.is_connected() && is_live() && requests_.has_accepted()) ended_ = message;
  else end_application(message, effects);
}

void ClientProtocol::end_application(const ApplicationEnded& message, ClientEffects& effects) {
  if (rules_.follows_jobs && message.succeeded && is_live() && !requests_.is_empty()) return end_as_succeeded(effects);
  const auto* unnamed =
      requests_.size() == 1 ? "the application ended before its job" : "the application ended before its jobs";
  give_up({Errc::failed, message.text.empty() ? unnamed : message.text}, effects);
}

/// The application succeeds only if all its jobs do.
void ClientProtocol::end_as_succeeded(ClientEffects& effects) {
  enter(ClientPhase::over);
  why_ = Error{Errc::refused, "the application has ended"};
  report(ApplicationOver{*why_}, effects);
  report(Notice{std::string{ended_unseen}}, effects);
  while (!requests_.is_empty()) {
    JobFinished finished;
    finished.status = JobStatus::succeeded;
    end_request(requests_.all().begin()->first, finished, effects);
  }
}

/// Unfinished jobs of the earlier Driver are submitted when the new one is connected.
void ClientProtocol::on_driver_ready(const DriverReady& message, ClientEffects& effects) {
  if (!is_live() || !link_.on_driver_ready(message.attempt.attempt, message.address)) return;
  requests_.hold_all();
  report(DriverAttempt{link_.attempt()}, effects);
  effects.push_back(ConnectJobService{link_.attempt(), link_.address()});
}

// -- the job service -----------------------------------------------------------------------------

void ClientProtocol::on_job_service_reached(std::int32_t attempt, ClientEffects& effects) {
  if (!link_.on_reached(attempt) || !is_live()) return;
  if (phase_ == ClientPhase::connecting) {
    enter(ClientPhase::running);
    report(ApplicationSubmitted{}, effects);
  }
  if (rules_.follows_jobs) return follow(effects);
  for (const auto request : requests_.in(RequestPhase::held)) submit(request, effects);
}

/// The job service has the jobs already.
void ClientProtocol::follow(ClientEffects& effects) {
  for (const auto request : requests_.in(RequestPhase::held)) static_cast<void>(requests_.submit(request, true));
  effects.push_back(FollowAtDriver{});
}

/// A Driver of this application attempt may still start to listen. A JobTracker listens before it gives its address.
void ClientProtocol::on_job_service_unreachable(Instant now, std::int32_t attempt, ClientEffects& effects) {
  if (rules_.is_classic())
    return give_up(phase_ == ClientPhase::connecting ? Error{Errc::unreachable, std::string{job_tracker_unreachable}}
                                                     : Error{Errc::failed, std::string{job_tracker_lost}},
                   effects);
  link_.on_unreachable(now, attempt);
}

/// Wait: the ResourceManager names the next Driver, or reports the end of the application.
void ClientProtocol::on_job_service_lost(ClientEffects& effects) {
  if (!link_.on_lost() || !is_live()) return;
  if (rules_.is_classic() && !rules_.recovers_jobs)
    return give_up({Errc::failed, std::string{job_tracker_lost}}, effects);
  if (rules_.is_classic()) return follow_job_tracker(effects);
  if (ended_) return end_application(*ended_, effects);
  requests_.hold_all();
}

/// The local cluster starts the next JobTracker at the same address. Its jobs are those of the lost one.
void ClientProtocol::follow_job_tracker(ClientEffects& effects) {
  requests_.hold_all();
  report(Notice{std::string{job_tracker_returns}}, effects);
  static_cast<void>(link_.on_driver_ready(link_.attempt() + 1, rules_.job_tracker));
  report(DriverAttempt{link_.attempt()}, effects);
  effects.push_back(ConnectJobService{link_.attempt(), link_.address()});
}

void ClientProtocol::submit(std::int64_t request, ClientEffects& effects) {
  effects.push_back(SubmitToJobService{requests_.submit(request, link_.is_own())});
}

void ClientProtocol::on_job_accepted(const JobAccepted& message, ClientEffects& effects) {
  const auto* request = requests_.find(message.request);
  if (request == nullptr || request->phase != RequestPhase::submitted) return;
  requests_.accept(message.request, message.job);
  report(message, effects);
  if (cancelled_at_ && is_live() && !rules_.follows_jobs) effects.push_back(CancelAtJobService{message.job});
}

void ClientProtocol::on_job_progress(const JobProgress& message, ClientEffects& effects) {
  if (requests_.find(message.job) != nullptr) report(message, effects);
}

void ClientProtocol::on_notice(const Notice& message, ClientEffects& effects) { report(message, effects); }

/// A job service that failed settles no output. In a process of its own it is replaced, or reported as lost, when that
/// process has ended.
void ClientProtocol::on_job_finished(const JobFinished& message, ClientEffects& effects) {
  if (message.service_failed && link_.is_own()) return give_up({Errc::failed, message.text}, effects);
  if (message.service_failed) return report(Notice{message.text}, effects);
  if (const auto* request = requests_.find(message.job); request != nullptr) {
    has_ended_job_ = true;
    end_request(request->job.request, message, effects);
    if (ended_ && is_live() && requests_.is_empty()) end_application(*ended_, effects);
  }
}

void ClientProtocol::end_request(std::int64_t request, Result<JobFinished> end, ClientEffects& effects) {
  requests_.remove(request);
  report(RequestEnded{request, std::move(end)}, effects);
  if (!requests_.is_empty()) return;
  cancelled_at_.reset();
  if (phase_ == ClientPhase::ending) enter(ClientPhase::over);
}

// -- the session -----------------------------------------------------------------------------------

void ClientProtocol::on_run_job(RunJob message, ClientEffects& effects) {
  if (!is_live() || why_)
    return report(RequestEnded{message.job.request, why_.value_or(Error{Errc::refused, "the application is ending"})},
                  effects);
  const auto request = message.job.request;
  has_several_jobs_ |= !requests_.is_empty();
  requests_.add(std::move(message.job));
  if (!link_.is_connected()) return;
  if (rules_.follows_jobs) follow(effects);
  else submit(request, effects);
}

/// Cancels a job that no Driver has accepted by killing the application, unless the Driver of this process accepts it
/// in time. Jobs of a master container are cancelled by killing it: they are its whole application.
void ClientProtocol::on_cancel_jobs(Instant now, ClientEffects& effects) {
  if (!is_live() || requests_.is_empty() || cancelled_at_) return;
  cancelled_at_ = now;
  if (rules_.follows_jobs) return kill(effects);
  for (const auto request : requests_.in(RequestPhase::accepted))
    effects.push_back(CancelAtJobService{requests_.find(request)->id});
  if (!link_.is_own() && !requests_.has_accepted()) kill(effects);
}

/// A JobTracker gets no more than CancelJob: the end of its cluster is all that can follow.
void ClientProtocol::kill(ClientEffects& effects) {
  is_killed_ = true;
  if (!rules_.is_classic()) effects.push_back(KillAtCluster{cancelled});
}

void ClientProtocol::on_leave_application(const LeaveApplication& message, ClientEffects& effects) {
  if (!is_live()) return;
  const bool is_known = phase_ != ClientPhase::connecting;
  const bool ends_by_itself = rules_.ends_with_jobs() && has_ended_job_ && requests_.is_empty();
  requests_.clear();
  cancelled_at_.reset();
  if (rules_.is_classic()) {
    enter(ClientPhase::over);
    return report(ApplicationOver{{Errc::refused, "the session has ended"}}, effects);
  }
  if (link_.is_connected() && rules_.follows_jobs) effects.push_back(StopFollowingAtDriver{});
  if (link_.is_connected() && !rules_.ends_with_jobs())
    effects.push_back(StopAtDriver{message.succeeded, message.text});
  else if (is_known && !ends_by_itself) effects.push_back(KillAtCluster{"the client has ended"});
  enter(is_known && !why_ ? ClientPhase::leaving : ClientPhase::over);
}

// -- ends without a Driver ------------------------------------------------------------------------

void ClientProtocol::give_up(Error why, ClientEffects& effects) {
  if (phase_ == ClientPhase::ending || phase_ == ClientPhase::over) return;
  why_ = why;
  report(ApplicationOver{why}, effects);
  if (rules_.is_driver_shared) effects.push_back(FailAtDriver{why.text});
  if (requests_.is_empty()) return enter(ClientPhase::over);
  if (rules_.settles_outputs) {
    enter(ClientPhase::ending);
    return effects.push_back(EndCluster{});
  }
  enter(ClientPhase::over);
  while (!requests_.is_empty()) end_request(requests_.all().begin()->first, why, effects);
}

/// The end of a job whose commit was not decided.
JobFinished ClientProtocol::unended() const {
  JobFinished finished;
  finished.status = is_killed_ ? JobStatus::cancelled : JobStatus::failed;
  finished.text = why_->text;
  return finished;
}

void ClientProtocol::on_cluster_gone(ClientEffects& effects) {
  if (phase_ != ClientPhase::ending) return;
  if (requests_.is_empty()) return enter(ClientPhase::over);
  for (const auto phase : {RequestPhase::held, RequestPhase::submitted, RequestPhase::accepted})
    for (const auto number : requests_.in(phase)) {
      const auto& request = *requests_.find(number);
      const bool may_have_run = rules_.follows_jobs ? why_->code != Errc::refused : request.was_submitted();
      if (!may_have_run) {
        end_request(number, is_killed_ ? Result<JobFinished>{unended()} : Result<JobFinished>{*why_}, effects);
        continue;
      }
      // The Client may not have seen each restart of a JobTracker, and each attempt of an application that it follows.
      const auto later = rules_.recovers_jobs || rules_.follows_jobs ? later_attempts_max : 1;
      effects.push_back(SettleOutput{number, request.output_paths, link_.is_own() ? 2 : link_.attempt() + later});
      requests_.settle(number);
    }
}

void ClientProtocol::on_output_settled(const OutputSettled& message, ClientEffects& effects) {
  const auto* request = requests_.find(message.request);
  if (request == nullptr || request->phase != RequestPhase::settling) return;
  auto finished = unended();
  finished.job = request->id;
  if (message.is_committed) {
    report(Notice{why_->text + "; its commit had been decided, and the client has completed it"}, effects);
    finished.status = JobStatus::succeeded;
    finished.text.clear();
  } else if (!message.text.empty()) {
    finished.text += "; its incomplete output could not be removed: " + message.text;
  } else if (rules_.follows_jobs && has_several_jobs_ && request->output_paths.empty() && !is_killed_) {
    finished.text += success_unknown;
  }
  const bool is_error = finished.status == JobStatus::failed && (link_.is_own() || why_->code == Errc::unreachable);
  end_request(message.request,
              is_error ? Result<JobFinished>{Error{why_->code, finished.text}} : Result<JobFinished>{finished},
              effects);
}

// -- timer -----------------------------------------------------------------------------------------

std::optional<Instant> ClientProtocol::next_due() const {
  if (!is_live()) return std::nullopt;
  auto due = link_.next_due();
  if (!cancelled_at_ || !rules_.has_cluster) return due;
  const auto of_cancel = *cancelled_at_ + (is_killed_ ? give_up_after : kill_after);
  return due ? std::min(*due, of_cancel) : of_cancel;
}

void ClientProtocol::on_tick(Instant now, ClientEffects& effects) {
  if (!is_live()) return;
  if (link_.on_tick(now)) effects.push_back(ConnectJobService{link_.attempt(), link_.address()});
  if (!cancelled_at_ || !rules_.has_cluster) return;
  if (!is_killed_ && now >= *cancelled_at_ + kill_after) kill(effects);
  if (now >= *cancelled_at_ + give_up_after)
    give_up(
        {Errc::cancelled, std::string{rules_.is_classic() ? cancelled_without_job_tracker : cancelled_without_answer}},
        effects);
}

}  // namespace heddle::actors
