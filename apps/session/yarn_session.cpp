#include "apps/session/yarn_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <caf/actor_cast.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <optional>
#include <utility>

#include "apps/job_files/staging_folder.hpp"
#include "apps/roles/background_thread.hpp"
#include "apps/roles/driver_host.hpp"
#include "apps/roles/file_systems_of.hpp"
#include "apps/roles/make_roles.hpp"
#include "apps/roles/role_runtime.hpp"
#include "apps/roles/role_settings.hpp"
#include "apps/roles/role_tools.hpp"
#include "apps/roles/session_files.hpp"
#include "apps/roles/unmanaged_master.hpp"
#include "apps/session/job_input.hpp"
#include "apps/session/job_waiter.hpp"
#include "apps/session/many_jobs.hpp"
#include "apps/session/resource_validation.hpp"
#include "apps/session/settled_output.hpp"
#include "apps/session/terminal_job.hpp"
#include "apps/session/yarn_parts.hpp"
#include "interop/yarn/submission_link.hpp"
#include "interop/yarn/yarn_connector.hpp"
#include "ports/standard_error.hpp"

namespace heddle::apps {
namespace {

using namespace std::chrono_literals;

constexpr auto orderly_end = 5s;  // until the master has unregistered; then the application is killed
constexpr auto killed_end = 10s;

class YarnSession final : public Session {
public:
  YarnSession(const SessionOptions& options, YarnParts parts)
      : options_{options},
        size_rules_{task_size_rules(options_)},
        parts_{std::move(parts)},
        files_(file_systems_of(options_.settings, PathRules::hadoop, options_.is_interrupted)),
        world_{options_.settings, std::move(parts_.events), NetworkPlace{parts_.transport_key, "client", true}} {
    waiter_.watch_descriptors();
    driver_host_.emplace(world_, DriverLaunch{id(), 1, parts_.application.racks, {}, true}, commit_of_driver(),
                         options_.is_interrupted);
    background_.emplace();
  }

  ~YarnSession() override {
    if (client_) caf::anon_send(client_, LeaveApplication{has_succeeded_});
    end_application();
    background_.reset();
    driver_host_.reset();
    remove_shipped_files();
    caf::scoped_actor self{world_.system()};
    // They use members of this object.
    if (client_) end(self, std::exchange(client_, nullptr));
    if (link_) end(self, std::exchange(link_, nullptr));
    master_.reset();
    world_.stop_connecting();
  }

  /// Submits the application; its containers start in the background.
  [[nodiscard]] Result<Done> submit(const IsCancelled& is_cancelled) {
    if (driver_host_->address().empty()) return Error{Errc::unreachable, "cannot open a port for the driver"};
    auto how = submission_link_settings(parts_, options_.settings);
    if (has_unmanaged_master(options_)) {
      how.rules.is_unmanaged = true;
      how.start_master = [this](const LaunchSpec& spec, const interop::CredentialFile& credentials) {
        start_master(spec, credentials);
      };
    }
    link_ = interop::spawn_submission_link(world_.system(), how, world_.tools(), &parts_.cluster->client());
    world_.use_connector(interop::spawn_yarn_connector(
        world_.system(), world_.tools().connector,
        {{std::string{interop::client_scheme}, caf::actor_cast<caf::strong_actor_ptr>(link_)}}));
    client_ = make_client({world_.system(), world_.tools()}, client_launch(), options_.settings, client_ports());
    auto submitted = waiter_.wait_for_submission(is_cancelled);
    is_submitted_ = submitted.has_value();
    return submitted;
  }

  [[nodiscard]] Result<JobFinished> run(JobGraph graph, const JobCallbacks& callbacks) override {
    auto job = prepare(std::move(graph), callbacks.on_notice);
    if (!job) return job.error();
    auto finished = run_job_with_terminal(waiter_, client_, std::move(*job), options_.settings, callbacks);
    has_succeeded_ = finished && finished->status == JobStatus::succeeded;
    return finished;
  }

  [[nodiscard]] Result<std::vector<JobFinished>> run_all(const std::vector<JobGraph>& graphs,
                                                         const JobCallbacks& callbacks) override {
    std::vector<SubmitJob> jobs;
    for (const auto& graph : graphs) {
      auto job = prepare(graph, callbacks.on_notice);
      if (!job) return job.error();
      jobs.push_back(std::move(*job));
    }
    auto ended = run_jobs(waiter_, client_, std::move(jobs), callbacks);
    has_succeeded_ = ended && std::all_of(ended->begin(), ended->end(),
                                          [](const auto& end) { return end.status == JobStatus::succeeded; });
    return ended;
  }

  [[nodiscard]] std::string output_path(const std::string& written) const override {
    const auto resolved = files_.resolve(written, ports::PathKind::plain);
    return resolved ? *resolved : written;
  }
  [[nodiscard]] std::string event_log() const override { return parts_.event_log; }
  [[nodiscard]] std::string application() const override { return to_string(id()); }
  /// The logs of tasks are on the nodes, beside those of their containers.
  [[nodiscard]] std::string task_logs() const override { return {}; }

private:
  [[nodiscard]] const ApplicationId& id() const { return parts_.application.application; }

  [[nodiscard]] Result<SubmitJob> prepare(JobGraph graph, const OnNotice& on_notice) {
    if (auto fits = size_tasks(graph, options_, size_rules_); !fits) return fits.error();
    auto job =
        prepare_job(std::move(graph), options_.settings, files_, nullptr, ask_about_ends(*parts_.cluster, on_notice));
    if (!job) return job;
    job->user = parts_.cluster->user();
    if (auto shipped = ship_files(*job); !shipped)
      return Error{shipped.error().code, fmt::format("cannot copy the files that the job ships to the staging folder: "
                                                     "{}; heddle.yarn.staging_dir names another folder",
                                                     shipped.error().text)};
    return job;
  }

  /// Nodes do not have the files of this host.
  [[nodiscard]] Result<Done> ship_files(SubmitJob& job) {
    if (!ships_local_files(job)) return Done{};
    if (!copies_) {
      if (auto prepared = prepare_staging(parts_, files_); !prepared) return prepared;
      copies_.emplace(files_, staging_folder(parts_));
    }
    return copies_->ship(job);
  }

  void remove_shipped_files() {
    if (!copies_) return;
    if (const auto removed = remove_staging_folder(files_, staging_folder(parts_)); !removed)
      ports::write_error_line(removed.error().text);
  }

  template <class Handle>
  static void end(caf::scoped_actor& self, const Handle& actor) {
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    self->wait_for(actor);
  }

  /// Called by the link.
  void start_master(LaunchSpec spec, const interop::CredentialFile& credentials) {
    spec.container.host = parts_.cluster->client().local_host();
    master_.emplace(own_program(), parts_.state_folder, parts_.cluster->user(),
                    [link = link_, id = id()](const std::string& text) {
                      caf::anon_send(link, KillApplication{id, text});
                    });
    master_->start(spec, credentials);
  }

  /// Waits, with a limit, until the ResourceManager reports the end. Kills an application whose master does not end it,
  /// because it has none yet, or a frozen one.
  void end_application() {
    if (!is_submitted_) return;
    caf::anon_send(link_, interop::ReportSoon{});
    if (waits_for_end(orderly_end)) return;
    caf::anon_send(link_, KillApplication{id(), "the client has ended"});
    if (!waits_for_end(killed_end))
      fmt::print(stderr,
                 "heddle: the ResourceManager has not confirmed the end of application {}; check it with: yarn "
                 "application -status {}\n",
                 application(), application());
  }

  [[nodiscard]] bool waits_for_end(Duration patience) {
    const auto until = world_.clock().now() + patience;
    while (!waiter_.is_application_over() && world_.clock().now() < until) static_cast<void>(waiter_.next(20ms));
    return waiter_.is_application_over();
  }

  [[nodiscard]] ClientLaunch client_launch() const {
    ClientLaunch launch;
    launch.resource_manager_address = interop::client_scheme;
    launch.application = id();
    launch.name = options_.name;
    launch.user = parts_.cluster->user();
    launch.racks = parts_.application.racks;
    launch.driver = OwnDriver{driver_host_->driver(), driver_host_->address()};
    launch.staging_folder = staging_folder(parts_);
    return launch;
  }

  /// The background thread ends before the members that these functions use.
  [[nodiscard]] actors::ClientPorts client_ports() {
    actors::ClientPorts ports;
    ports.listener = &waiter_;
    ports.background = &*background_;
    ports.end_cluster = [this] { driver_host_.reset(); };  // completes a commit that has started
    ports.settle_output = [owner =
                               OutputOwner{options_.settings, id(), parts_.state_folder, {}, options_.is_interrupted}](
                              const actors::SettleOutput& left) {
      const auto settled = settle_output(owner, left.paths, left.attempt);
      return OutputSettled{left.request, settled.is_committed, settled.text};
    };
    return ports;
  }

  [[nodiscard]] work::OutputCommitSettings commit_of_driver() const {
    auto made = commit_settings(options_.settings, id());
    made.journal = parts_.state_folder;
    return made;
  }

  SessionOptions options_;
  TaskSizeRules size_rules_;
  YarnParts parts_;
  work::FileSystems files_;
  std::optional<ShippedCopies> copies_;  // empty until a job ships files of this host
  JobWaiter waiter_;
  RoleRuntime world_;
  std::optional<DriverHost> driver_host_;
  std::optional<BackgroundThread> background_;
  interop::SubmissionLinkActor link_;
  std::optional<UnmanagedMaster> master_;
  ClientRoleActor client_;
  bool is_submitted_ = false;
  bool has_succeeded_ = false;
};

}  // namespace

Result<std::unique_ptr<Session>> open_yarn_session(const SessionOptions& options, const IsCancelled& is_cancelled,
                                                   const OnNotice& on_notice) {
  auto own = options;
  auto parts = make_yarn_parts(own, is_cancelled, on_notice);
  if (!parts) return parts.error();
  auto session = std::make_unique<YarnSession>(own, std::move(*parts));
  if (auto submitted = session->submit(is_cancelled); !submitted) return submitted.error();
  return std::unique_ptr<Session>{std::move(session)};
}

}  // namespace heddle::apps
