// The client's side of a local cluster: its processes, the application, and in client mode the Driver. With framework
// classic it has a JobTracker and TaskTrackers, and no Driver.
#include "apps/session/cluster_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include "apps/job_files/job_packages.hpp"
#include "apps/queues/scheduler_choice.hpp"
#include "apps/roles/background_thread.hpp"
#include "apps/roles/driver_host.hpp"
#include "apps/roles/file_systems_of.hpp"
#include "apps/roles/leftover_watch.hpp"
#include "apps/roles/make_roles.hpp"
#include "apps/roles/role_runtime.hpp"
#include "apps/roles/role_settings.hpp"
#include "apps/roles/role_tools.hpp"
#include "apps/roles/session_files.hpp"
#include "apps/session/descriptor_room.hpp"
#include "apps/session/framework_choice.hpp"
#include "apps/session/job_input.hpp"
#include "apps/session/job_waiter.hpp"
#include "apps/session/local_cluster.hpp"
#include "apps/session/many_jobs.hpp"
#include "apps/session/resource_validation.hpp"
#include "apps/session/settled_output.hpp"
#include "apps/session/shared_cluster.hpp"
#include "apps/session/terminal_job.hpp"
#include "apps/session/topology_hosts.hpp"
#include "config/files/settings_text.hpp"
#include "config/text/environment.hpp"
#include "work/files/file_systems.hpp"
#include "work/output/output_commit.hpp"

namespace heddle::apps {
namespace {

using namespace std::chrono_literals;

/// Prepared parts of a session: ids, folders, files and processes.
struct ClusterParts {
  ApplicationId application;
  std::unique_ptr<LeftoverWatch> watch;
  std::unique_ptr<WorkingFolder> folder;
  std::string state_folder;
  std::unique_ptr<ports::EventSink> events;
  std::string event_log;
  std::unique_ptr<LocalCluster> cluster;
  ports::TransportKey transport_key;  // of the cluster
};

bool is_classic(const SessionOptions& options) { return options.framework == config::Framework::classic; }

std::string user_of(const config::Settings& settings) {
  const auto named = settings.application().user;
  return named.empty() ? config::read_environment().user : named;
}

bool is_yarn(const SessionOptions& options) { return options.framework == config::Framework::yarn; }

/// Otherwise the master container has it, or there is none.
bool has_own_driver(const SessionOptions& options) {
  return !options.is_cluster_deploy && options.framework == config::Framework::driver;
}

/// Outputs that another process writes belong to this one, because the application ends with it.
std::string owner_of_outputs(const ClusterParts& parts) {
  return work::write_owner(work::this_process_owner(parts.application));
}

/// Notifies a Client that all nodes are lost. Detached at the end of the session, because the watch of the nodes can
/// outlive it.
class NodeLossNotifier {
public:
  explicit NodeLossNotifier(ClientRoleActor client) : client_{std::move(client)} {}
  void notify(const std::string& text) {
    const std::lock_guard lock{mutex_};
    if (client_) caf::anon_send(client_, NodesLost{text});
  }
  void detach() {
    const std::lock_guard lock{mutex_};
    client_ = nullptr;
  }

private:
  std::mutex mutex_;
  ClientRoleActor client_;
};

class ClusterSession final : public ClusterRoles {
public:
  ClusterSession(const SessionOptions& options, ClusterParts parts, caf::actor_system* of_others)
      : options_{options},
        size_rules_{task_size_rules(options_)},
        user_{user_of(options_.settings)},
        parts_{std::move(parts)},
        replicas_{options.topology, options.settings.input().block_bytes},
        files_(file_systems_of(options.settings, PathRules::local, options.is_interrupted)),
        world_{options.settings, std::move(parts_.events),
               NetworkPlace{parts_.transport_key, "client", has_own_driver(options)}, of_others},
        is_embedded_{of_others != nullptr},
        has_succeeded_{is_embedded_} {
    if (is_embedded_) waiter_.drop_reports();
    waiter_.watch_descriptors();
    if (has_own_driver(options_))
      driver_host_.emplace(world_, driver_launch(), commit_of_driver(), options_.is_interrupted);
    background_.emplace();
  }

  ~ClusterSession() override {
    if (client_) caf::anon_send(client_, LeaveApplication{has_succeeded_});
    if (is_submitted_) wait_for_end();
    background_.reset();
    parts_.cluster.reset();
    driver_host_.reset();
    if (node_loss_) node_loss_->detach();
    world_.stop_connecting();
    if (!client_) return;
    caf::anon_send_exit(client_, caf::exit_reason::user_shutdown);
    caf::scoped_actor self{world_.system()};
    self->wait_for(client_);  // the client uses the waiter, and an actor system of an embedding program continues
    client_ = nullptr;
  }

  /// Connects to the ResourceManager and submits the application, whose containers start in the background; or connects
  /// to the JobTracker.
  [[nodiscard]] Result<Done> submit(const IsCancelled& is_cancelled) {
    if (driver_host_ && driver_host_->address().empty())
      return Error{Errc::unreachable, "cannot open a port for the Driver"};
    client_ = make_client({world_.system(), world_.tools()}, client_launch(), options_.settings, client_ports());
    node_loss_ = std::make_shared<NodeLossNotifier>(client_);
    auto& nodes = options_.cluster ? options_.cluster->nodes() : parts_.cluster->nodes();
    nodes.on_all_ended([loss = node_loss_](const std::string& text) { loss->notify(text); });
    if (auto submitted = wait_for_submission(is_cancelled); !submitted) return submitted;
    is_submitted_ = true;
    // A JobTracker answers with its jobs only.
    return options_.cluster && !is_classic(options_) ? waiter_.wait_for_answer(20s, is_cancelled) : Done{};
  }

  [[nodiscard]] Result<std::vector<JobFinished>> run_all(const std::vector<JobGraph>& graphs,
                                                         const JobCallbacks& callbacks) override {
    std::vector<SubmitJob> jobs;
    for (const auto& graph : graphs) {
      auto job = prepare(graph);
      if (!job) return job.error();
      if (auto stored = store_package(*job); !stored) return stored.error();
      jobs.push_back(std::move(*job));
    }
    auto ended = run_jobs(waiter_, client_, std::move(jobs), callbacks);
    has_succeeded_ = ended && std::all_of(ended->begin(), ended->end(),
                                          [](const auto& end) { return end.status == JobStatus::succeeded; });
    return ended;
  }

  [[nodiscard]] Result<JobFinished> run(JobGraph graph, const JobCallbacks& callbacks) override {
    auto job = prepare(std::move(graph));
    if (!job) return job.error();
    if (auto stored = store_package(*job); !stored) return stored.error();
    auto finished = run_job_with_terminal(waiter_, client_, std::move(*job), options_.settings, callbacks);
    has_succeeded_ = finished && finished->status == JobStatus::succeeded;
    return finished;
  }

  [[nodiscard]] std::string output_path(const std::string& written) const override {
    const auto resolved = files_.resolve(written, ports::PathKind::plain);
    return resolved ? *resolved : written;
  }
  [[nodiscard]] std::string event_log() const override {
    if (has_own_driver(options_) || !options_.settings.event_log().enabled) return parts_.event_log;
    if (is_classic(options_) && options_.cluster)
      return options_.cluster->log_directory() + "/" + driver_log_name(1) + ".jsonl";
    return parts_.state_folder + "/" + driver_log_name(waiter_.driver_attempt()) + ".jsonl";
  }
  [[nodiscard]] std::string application() const override { return to_string(parts_.application); }
  [[nodiscard]] std::string task_logs() const override {
    return task_log_folder(options_.settings, parts_.state_folder, parts_.application);
  }

private:
  [[nodiscard]] const DriverActor& driver() const override { return driver_host_->driver(); }
  /// Ends also when the master has ended: the Client would try for a long time to connect to it.
  [[nodiscard]] Result<Done> wait_for_submission(const IsCancelled& is_cancelled) {
    const auto master = options_.cluster ? options_.cluster->master_exit() : parts_.cluster->master_exit();
    const auto is_cancelled_by_user = [&is_cancelled] { return is_cancelled && is_cancelled(); };
    auto submitted = waiter_.wait_for_submission([&] { return is_cancelled_by_user() || !master->text().empty(); });
    const bool is_given_up = !submitted && submitted.error().code == Errc::cancelled;
    if (is_given_up && !is_cancelled_by_user()) return Error{Errc::unreachable, master->text()};
    return submitted;
  }
  [[nodiscard]] Result<SubmitJob> prepare(JobGraph graph) const override {
    auto fits = options_.framework == config::Framework::driver ? size_tasks(graph, options_, size_rules_)
                                                                : check_job(graph, options_);
    if (!fits) return fits.error();
    auto job = prepare_job(std::move(graph), options_.settings, files_, replicas_.is_empty() ? nullptr : &replicas_);
    if (job) job->user = user_;
    return job;
  }

  /// A JobTracker or MapReduceMaster reads the package of a job from a file in the working folder.
  [[nodiscard]] Result<Done> store_package(SubmitJob& job) {
    if (options_.framework == config::Framework::driver) return Done{};
    job.package_file = fmt::format("{}/job-{}.package", parts_.folder->path(), ++stored_packages_);
    return save_job_package(job.package_file, job.package);
  }

  /// Waits, with a limit, until the ResourceManager has reported the end of the application, so that all processes can
  /// end in order.
  void wait_for_end() {
    const auto patience = world_.clock().now() + 3s;
    while (!waiter_.is_application_over() && world_.clock().now() < patience) static_cast<void>(waiter_.next(100ms));
  }

  [[nodiscard]] ClientLaunch client_launch() const {
    ClientLaunch launch;
    auto& master = is_classic(options_) ? launch.job_tracker_address : launch.resource_manager_address;
    master = options_.cluster ? options_.cluster->master_address() : parts_.cluster->master_address();
    launch.application = parts_.application;
    launch.name = options_.name;
    launch.user = config::read_environment().user;
    launch.log_directory = parts_.state_folder;
    launch.racks = racks();
    if (driver_host_) launch.driver = OwnDriver{driver_host_->driver(), driver_host_->address()};
    launch.owner = owner_of_outputs(parts_);
    launch.is_driver_shared = is_embedded_;
    launch.has_map_reduce_master = is_yarn(options_);
    return launch;
  }

  /// The background thread ends before the members that these functions use.
  [[nodiscard]] actors::ClientPorts client_ports() {
    actors::ClientPorts ports;
    ports.listener = &waiter_;
    ports.background = &*background_;
    ports.end_cluster = [this] {
      parts_.cluster.reset();
      driver_host_.reset();  // completes a commit that has started
    };
    ports.settle_output = [owner = output_owner()](const actors::SettleOutput& left) {
      const auto settled = settle_output(owner, left.paths, left.attempt);
      return OutputSettled{left.request, settled.is_committed, settled.text};
    };
    return ports;
  }

  /// The TaskTrackers of a shared cluster work for all its applications, so no application owns the outputs.
  [[nodiscard]] OutputOwner output_owner() const {
    if (is_classic(options_) && options_.cluster)
      return {options_.settings, {}, options_.cluster->log_directory(), {}, options_.is_interrupted};
    return {options_.settings, parts_.application, parts_.state_folder, {}, options_.is_interrupted};
  }

  [[nodiscard]] std::map<std::string, std::string> racks() const {
    std::map<std::string, std::string> made;
    for (const auto& host : cluster_hosts(options_)) made.emplace(host.name, host.rack);
    return made;
  }

  /// Finished commits are recorded, so that the Client can find out what a lost Driver committed.
  [[nodiscard]] work::OutputCommitSettings commit_of_driver() const {
    auto made = commit_settings(options_.settings, parts_.application);
    made.journal = parts_.state_folder;
    return made;
  }

  [[nodiscard]] DriverLaunch driver_launch() const { return {parts_.application, 1, racks(), {}}; }

  SessionOptions options_;
  TaskSizeRules size_rules_;
  std::string user_;  // of the jobs
  ClusterParts parts_;
  TopologyReplicas replicas_;
  mutable work::FileSystems files_;
  JobWaiter waiter_;
  RoleRuntime world_;
  std::optional<DriverHost> driver_host_;  // client mode
  std::optional<BackgroundThread> background_;
  ClientRoleActor client_;
  std::shared_ptr<NodeLossNotifier> node_loss_;
  std::int64_t stored_packages_ = 0;
  bool is_submitted_ = false;
  bool is_embedded_;
  bool has_succeeded_;  // an embedding program that sends jobs to the Driver gets their results itself
};

Result<ClusterParts> make_parts(const SessionOptions& options, const IsCancelled& is_cancelled) {
  // Checks the queue file here, where the error reaches the user.
  if (!is_classic(options))
    if (const auto scheduler = make_resource_scheduler(options.settings, Instant{}); !scheduler)
      return scheduler.error();
  ClusterParts parts;
  parts.application = options.cluster ? options.cluster->next_id() : ApplicationId{wall_clock_ms(), 1};
  auto folder = WorkingFolder::make(options.settings);
  if (!folder) return folder.error();
  parts.folder = std::move(*folder);
  parts.watch = LeftoverWatch::start(parts.folder->path(), role_patience);
  auto state = options.cluster ? make_state_folder(options.settings, to_string(parts.application))
                               : claim_state_folder(options.settings, parts.application);
  if (!state) return state.error();
  parts.state_folder = std::move(*state);
  std::string client_log;  // without a Driver here, another process writes the log of the jobs
  auto events = has_own_driver(options)
                    ? open_event_log(options.settings, parts.state_folder, "events", parts.event_log)
                    : open_event_log(options.settings, parts.state_folder, "client", client_log);
  if (!events) return events.error();
  parts.events = std::move(*events);
  if (options.cluster) {
    parts.transport_key = options.cluster->transport_key();
    return parts;
  }
  if (auto room = check_descriptor_room(cluster_hosts(options).size()); !room) return room.error();
  LocalClusterOptions cluster;
  cluster.directory = parts.folder->path();
  cluster.log_directory = parts.state_folder;
  cluster.hosts = cluster_hosts(options);
  cluster.settings = config::write_settings(options.settings);
  const auto start = parts.application.cluster_start;
  cluster.transport_key = parts.transport_key = new_cluster_key(start);
  cluster.processes = is_classic(options) ? classic_processes(start, options.settings, owner_of_outputs(parts))
                                          : yarn_processes(start, cluster.hosts.size());
  auto started = LocalCluster::start(cluster, is_cancelled);
  if (!started) return started.error();
  parts.cluster = std::move(*started);
  return parts;
}

}  // namespace

namespace {

Result<std::unique_ptr<ClusterSession>> open(const SessionOptions& options, const IsCancelled& is_cancelled,
                                             caf::actor_system* of_others) {
  std::unique_lock<std::mutex> submission_lock;
  if (options.cluster) submission_lock = options.cluster->submission_lock();
  auto parts = make_parts(options, is_cancelled);
  if (!parts) return parts.error();
  auto session = std::make_unique<ClusterSession>(options, std::move(*parts), of_others);
  if (auto submitted = session->submit(is_cancelled); !submitted) return submitted.error();
  return session;
}

}  // namespace

Result<std::unique_ptr<Session>> open_cluster_session(const SessionOptions& options, const IsCancelled& is_cancelled) {
  auto session = open(options, is_cancelled, nullptr);
  if (!session) return session.error();
  return std::unique_ptr<Session>{std::move(*session)};
}

Result<std::unique_ptr<ClusterRoles>> open_cluster_roles(const SessionOptions& options, caf::actor_system& system,
                                                         const IsCancelled& is_cancelled) {
  auto session = open(options, is_cancelled, &system);
  if (!session) return session.error();
  return std::unique_ptr<ClusterRoles>{std::move(*session)};
}

}  // namespace heddle::apps
