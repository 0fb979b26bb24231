#include "apps/session/followed_application.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <caf/actor_cast.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <utility>

#include "apps/job_files/staging_folder.hpp"
#include "apps/roles/file_systems_of.hpp"
#include "apps/roles/role_tools.hpp"
#include "apps/roles/session_files.hpp"
#include "apps/session/settled_output.hpp"
#include "apps/session/yarn_applications.hpp"
#include "interop/yarn/yarn_connector.hpp"
#include "ports/standard_error.hpp"
#include "work/files/process_owner.hpp"

namespace heddle::apps {
namespace {

using namespace std::chrono_literals;

constexpr auto orderly_end = 30s;  // of an application whose jobs have ended
constexpr auto killed_end = 10s;
constexpr auto answer_time = 5s;  // of the ResourceManager, when the end of the application matters
constexpr auto acceptance_time = 5min;

template <class Handle>
void end(caf::scoped_actor& self, const Handle& actor) {
  caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  self->wait_for(actor);
}

/// True after this span.
IsCancelled after(std::chrono::steady_clock::duration span) {
  return [until = std::chrono::steady_clock::now() + span] { return std::chrono::steady_clock::now() >= until; };
}

}  // namespace

FollowedApplication::FollowedApplication(SessionOptions options, YarnParts parts)
    : options_{std::move(options)},
      parts_{std::move(parts)},
      files_(file_systems_of(options_.settings, PathRules::hadoop, options_.is_interrupted)),
      world_{options_.settings, std::move(parts_.events), NetworkPlace{parts_.transport_key, "client"}} {
  waiter_.watch_descriptors();
  background_.emplace();
}

FollowedApplication::~FollowedApplication() {
  if (client_) caf::anon_send(client_, LeaveApplication{});
  if (is_submitted_) end_application();
  background_.reset();
  caf::scoped_actor self{world_.system()};
  // They use members of this object.
  if (client_) end(self, std::exchange(client_, nullptr));
  if (link_) end(self, std::exchange(link_, nullptr));
  world_.stop_connecting();
  if (!is_staged_ || (is_submitted_ && !is_over_)) return;
  if (const auto removed = remove_staging_folder(files_, staging_folder()); !removed)
    ports::write_error_line(removed.error().text);
}

Result<Done> FollowedApplication::submit(std::vector<SubmitJob>& jobs, bool is_followed,
                                         const IsCancelled& is_cancelled) {
  is_staged_ = true;
  if (auto written = write_jobs(jobs); !written)
    return Error{written.error().code, fmt::format("cannot write the jobs for the master container: {}; "
                                                   "heddle.yarn.staging_dir names another folder",
                                                   written.error().text)};
  link_ = interop::spawn_submission_link(world_.system(), submission_link_settings(parts_, options_.settings),
                                         world_.tools(), &parts_.cluster->client());
  world_.use_connector(interop::spawn_yarn_connector(
      world_.system(), world_.tools().connector,
      {{std::string{interop::client_scheme}, caf::actor_cast<caf::strong_actor_ptr>(link_)}}));
  client_ =
      make_client({world_.system(), world_.tools()}, client_launch(is_followed), options_.settings, client_ports());
  auto submitted = waiter_.wait_for_submission(is_cancelled);
  is_submitted_ = submitted.has_value();
  return submitted;
}

Result<Done> FollowedApplication::leave_when_accepted(const IsCancelled& is_cancelled) {
  if (auto answered = waiter_.wait_for_answer(acceptance_time, is_cancelled); !answered) return answered;
  if (const auto over = waiter_.end_of_application()) return *over;
  caf::anon_send_exit(client_, caf::exit_reason::user_shutdown);  // it would kill the application
  client_ = nullptr;
  is_staged_ = false;
  is_submitted_ = false;
  return Done{};
}

std::string FollowedApplication::fetch_event_log() {
  if (!options_.settings.event_log().enabled || waiter_.driver_attempt() == 0) return {};
  const auto log = driver_log_name(waiter_.driver_attempt()) + ".jsonl";
  const auto to = parts_.state_folder + "/" + log;
  const auto copied = copy_file(files_, staging_folder() + "/" + log, to);
  if (copied) return to;
  if (copied.error().code == Errc::not_found) return {};  // the master was killed
  ports::write_error_line(fmt::format("the event log of the jobs is in the log folder of the master container only: {}",
                                      copied.error().text));
  return {};
}

// -- the staging folder ---------------------------------------------------------------------------

Result<Done> FollowedApplication::write_jobs(std::vector<SubmitJob>& jobs) {
  if (auto prepared = prepare_staging(parts_, files_); !prepared) return prepared;
  return write_staging_folder(files_, staging_folder(), jobs);
}

// -- the end --------------------------------------------------------------------------------------

/// False also if the ResourceManager does not say.
bool FollowedApplication::has_ended(const ApplicationId& application) {
  const auto report = parts_.cluster->application(application, after(answer_time), {});
  return report ? report->is_over : report.error().code == Errc::not_found;
}

void FollowedApplication::end_application() {
  caf::anon_send(link_, interop::ReportSoon{});
  if (is_over_ || waits_for_end(orderly_end)) return;
  ports::write_error_line(
      fmt::format("application {} has not ended yet; follow it with: heddle wait --master yarn {}", name(), name()));
}

bool FollowedApplication::waits_for_end(Duration patience) {
  const auto until = world_.clock().now() + patience;
  while (!waiter_.is_application_over() && world_.clock().now() < until) static_cast<void>(waiter_.next(20ms));
  is_over_ = waiter_.is_application_over() && has_ended(id());
  return is_over_;
}

ClientLaunch FollowedApplication::client_launch(bool is_followed) const {
  ClientLaunch launch;
  launch.resource_manager_address = interop::client_scheme;
  launch.application = id();
  launch.name = options_.name;
  launch.user = parts_.cluster->user();
  launch.racks = parts_.application.racks;
  launch.owner = work::write_owner(work::application_owner(id()));
  launch.staging_folder = staging_folder();
  launch.is_followed = is_followed;
  return launch;
}

/// The background thread ends before the members that these functions use.
actors::ClientPorts FollowedApplication::client_ports() {
  actors::ClientPorts ports;
  ports.listener = &waiter_;
  ports.background = &*background_;
  // No master may write the outputs any more before they are settled.
  ports.end_cluster = [this] {
    ApplicationReport application;
    application.id = id();
    YarnApplications applications{*parts_.cluster, after(killed_end), {}, {}};
    static_cast<void>(applications.cancel(application, "the client has ended"));
    is_over_ = has_ended(id());
  };
  ports.settle_output = [this,
                         owner = OutputOwner{options_.settings, id(), staging_folder(), work::application_owner(id()),
                                             options_.is_interrupted}](const actors::SettleOutput& left) {
    if (!is_over_)
      return OutputSettled{left.request, false, "the ResourceManager does not say whether the application has ended"};
    const auto settled = settle_output(owner, left.paths, left.attempt);
    return OutputSettled{left.request, settled.is_committed, settled.text};
  };
  return ports;
}

}  // namespace heddle::apps
