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

#include "apps/roles/background_thread.hpp"
#include "apps/roles/driver_host.hpp"
#include "apps/roles/file_systems_of.hpp"
#include "apps/roles/make_roles.hpp"
#include "apps/roles/role_runtime.hpp"
#include "apps/roles/role_settings.hpp"
#include "apps/roles/session_files.hpp"
#include "apps/session/job_input.hpp"
#include "apps/session/job_waiter.hpp"
#include "apps/session/many_jobs.hpp"
#include "apps/session/program_staging.hpp"
#include "apps/session/resource_validation.hpp"
#include "apps/session/settled_output.hpp"
#include "apps/session/terminal_job.hpp"
#include "apps/session/yarn_cluster.hpp"
#include "config/table/setting_rows.hpp"
#include "interop/yarn/launch_context.hpp"
#include "interop/yarn/submission_link.hpp"
#include "interop/yarn/yarn_connector.hpp"
#include "work/files/program_files.hpp"

namespace heddle::apps {
namespace {

using namespace std::chrono_literals;

constexpr auto report_interval_begin = 100ms;
constexpr auto waiting_notice_after = 5s;
constexpr auto orderly_end = 5s;  // until the master has unregistered; then the application is killed
constexpr auto killed_end = 10s;

/// Prepared parts of a session.
struct YarnParts {
  std::unique_ptr<YarnCluster> cluster;
  NewYarnApplication application;
  std::string program;  // launch context of the containers
  ports::TransportKey transport_key;
  std::string state_folder;
  std::unique_ptr<ports::EventSink> events;
  std::string event_log;
};

class YarnSession final : public Session {
public:
  YarnSession(const SessionOptions& options, YarnParts parts)
      : options_{options},
        size_rules_{task_size_rules(options_)},
        parts_{std::move(parts)},
        files_(file_systems_of(options_.settings, PathRules::hadoop)),
        world_{options_.settings, std::move(parts_.events), NetworkPlace{parts_.transport_key, "client", true}} {
    waiter_.watch_descriptors();
    driver_host_.emplace(world_, DriverLaunch{id(), 1, parts_.application.racks, {}, true}, commit_of_driver());
    background_.emplace();
  }

  ~YarnSession() override {
    if (client_) caf::anon_send(client_, LeaveApplication{has_succeeded_});
    end_application();
    background_.reset();
    driver_host_.reset();
    caf::scoped_actor self{world_.system()};
    // They use members of this object.
    if (client_) end(self, std::exchange(client_, nullptr));
    if (link_) end(self, std::exchange(link_, nullptr));
    caf::anon_send_exit(caf::actor_cast<caf::actor>(world_.tools().connector), caf::exit_reason::user_shutdown);
  }

  /// Submits the application; its containers start in the background.
  [[nodiscard]] Result<Done> submit(const IsCancelled& is_cancelled) {
    if (driver_host_->address().empty()) return Error{Errc::unreachable, "cannot open a port for the driver"};
    link_ = interop::spawn_submission_link(world_.system(), link_settings(), world_.tools(), &parts_.cluster->client());
    world_.use_connector(interop::spawn_yarn_connector(
        world_.system(), world_.tools().connector,
        {{std::string{interop::client_scheme}, caf::actor_cast<caf::strong_actor_ptr>(link_)}}));
    client_ = make_client({world_.system(), world_.tools()}, client_launch(), options_.settings, client_ports());
    auto submitted = waiter_.wait_for_submission(is_cancelled);
    is_submitted_ = submitted.has_value();
    return submitted;
  }

  [[nodiscard]] Result<JobFinished> run(JobGraph graph, const JobCallbacks& callbacks) override {
    auto job = prepare(std::move(graph));
    if (!job) return job.error();
    auto finished = run_job_with_terminal(waiter_, client_, std::move(*job), options_.settings, callbacks);
    has_succeeded_ = finished && finished->status == JobStatus::succeeded;
    return finished;
  }

  [[nodiscard]] Result<std::vector<JobFinished>> run_all(const std::vector<JobGraph>& graphs,
                                                         const JobCallbacks& callbacks) override {
    std::vector<SubmitJob> jobs;
    for (const auto& graph : graphs) {
      auto job = prepare(graph);
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

  [[nodiscard]] Result<SubmitJob> prepare(JobGraph graph) const {
    if (auto fits = size_tasks(graph, options_, size_rules_); !fits) return fits.error();
    auto job = prepare_job(std::move(graph), options_.settings, files_, nullptr);
    if (job) job->user = parts_.cluster->user();
    return job;
  }

  template <class Handle>
  static void end(caf::scoped_actor& self, const Handle& actor) {
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    self->wait_for(actor);
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

  [[nodiscard]] interop::SubmissionLinkSettings link_settings() const {
    const auto section = options_.settings.yarn();
    interop::SubmissionLinkSettings made;
    made.rules = {id(), "HEDDLE", {}};
    for (const auto tag : config::split_words(section.tags, ',')) made.rules.tags.emplace_back(tag);
    made.program = parts_.program;
    made.token = random_token();
    made.transport_key = parts_.transport_key;
    made.scheduler_address = parts_.cluster->scheduler_address();
    made.report_interval = section.report_interval;
    made.report_interval_begin = std::min<Duration>(section.report_interval, report_interval_begin);
    made.waiting_time = waiting_notice_after;
    return made;
  }

  [[nodiscard]] ClientLaunch client_launch() const {
    ClientLaunch launch;
    launch.resource_manager_address = interop::client_scheme;
    launch.application = id();
    launch.name = options_.name;
    launch.user = parts_.cluster->user();
    launch.racks = parts_.application.racks;
    launch.driver = OwnDriver{driver_host_->driver(), driver_host_->address()};
    return launch;
  }

  /// The background thread ends before the members that these functions use.
  [[nodiscard]] actors::ClientPorts client_ports() {
    actors::ClientPorts ports;
    ports.listener = &waiter_;
    ports.background = &*background_;
    ports.end_cluster = [this] { driver_host_.reset(); };  // completes a commit that has started
    ports.settle_output =
        [owner = OutputOwner{options_.settings, id(), parts_.state_folder}](const actors::SettleOutput& left) {
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
  mutable work::FileSystems files_;
  JobWaiter waiter_;
  RoleRuntime world_;
  std::optional<DriverHost> driver_host_;
  std::optional<BackgroundThread> background_;
  interop::SubmissionLinkActor link_;
  ClientRoleActor client_;
  bool is_submitted_ = false;
  bool has_succeeded_ = false;
};

/// Uploads the program, unless nodes read it under the path that it has here.
Result<std::vector<interop::LaunchFile>> place_program(const config::Settings& settings) {
  const auto program = work::program_files();
  if (!program) return program.error();
  const auto wanted = settings.yarn().staging_folder;
  if (wanted == "local") return local_program(*program);
  auto files = file_systems_of(settings, PathRules::hadoop);
  const auto folder = files.resolve(wanted.empty() ? ".heddle" : wanted, ports::PathKind::plain);
  if (!folder) return folder.error();
  const bool has_default = !ports::read_path(*folder).scheme.empty();  // otherwise fs.defaultFS is local
  return has_default || !wanted.empty() ? stage_program(*program, files, *folder) : local_program(*program);
}

Result<std::string> program_of(const config::Settings& settings, const std::string& user) {
  const auto files = place_program(settings);
  if (!files) return files.error();
  const auto context = interop::program_context(*files, user);
  if (!context) return context.error();
  return context->SerializeAsString();
}

/// Settings that the cluster decides, unless the user does.
Result<Done> adopt_cluster(config::Settings& settings, const YarnParts& parts) {
  constexpr const char* kinds_key = "heddle.resource_manager.resource_kinds";
  constexpr const char* wait_key = "heddle.yarn.connect_wait";
  if (!settings.is_set(wait_key))
    if (auto set = settings.set(wait_key, fmt::format("{}ms", parts.cluster->connect_wait_ms()),
                                config::Origin::derived, "yarn-site.xml");
        !set)
      return set;
  // The Driver listens where the cluster reaches this host, not on every interface.
  constexpr const char* bind_key = "heddle.driver.bind_address";
  if (!settings.is_set(bind_key))
    if (auto set = settings.set(bind_key, parts.cluster->client().local_host(), config::Origin::derived,
                                "the connection to the ResourceManager");
        !set)
      return set;
  if (settings.is_set(kinds_key)) return Done{};
  std::vector<std::string> kinds;
  for (const auto& [name, amount] : parts.application.maximum.others) kinds.push_back(name);
  return settings.set(kinds_key, fmt::format("{}", fmt::join(kinds, ",")), config::Origin::derived,
                      "the ResourceManager");
}

Result<YarnParts> make_parts(SessionOptions& options, const IsCancelled& is_cancelled, const OnNotice& on_notice) {
  YarnParts parts;
  std::optional<std::int64_t> wait;
  if (options.settings.is_set("heddle.yarn.connect_wait")) wait = to_milliseconds(options.settings.yarn().connect_wait);
  auto cluster = YarnCluster::configure(wait);
  if (!cluster) return cluster.error();
  parts.cluster = std::move(*cluster);
  auto created = parts.cluster->new_application(is_cancelled, on_notice);
  if (!created) return created.error();
  parts.application = std::move(*created);
  if (auto adopted = adopt_cluster(options.settings, parts); !adopted) return adopted.error();
  if (auto fits = check_containers(options, parts.application.maximum, parts.application.nodes); !fits)
    return fits.error();
  if (parts.application.nodes.empty() && on_notice)
    on_notice(Notice{"the cluster has no running NodeManager; the application waits for one"});
  parts.transport_key = new_transport_key(to_string(parts.application.application));
  auto program = program_of(options.settings, parts.cluster->user());
  if (!program) return program.error();
  parts.program = std::move(*program);
  auto state = make_state_folder(options.settings, to_string(parts.application.application));
  if (!state) return state.error();
  parts.state_folder = std::move(*state);
  auto events = open_event_log(options.settings, parts.state_folder, "events", parts.event_log);
  if (!events) return events.error();
  parts.events = std::move(*events);
  return parts;
}

}  // namespace

Result<std::unique_ptr<Session>> open_yarn_session(const SessionOptions& options, const IsCancelled& is_cancelled,
                                                   const OnNotice& on_notice) {
  auto own = options;
  auto parts = make_parts(own, is_cancelled, on_notice);
  if (!parts) return parts.error();
  auto session = std::make_unique<YarnSession>(own, std::move(*parts));
  if (auto submitted = session->submit(is_cancelled); !submitted) return submitted.error();
  return std::unique_ptr<Session>{std::move(session)};
}

}  // namespace heddle::apps
