// The client's side of a local cluster: its processes, the application, and in client mode the Driver.
#include "apps/session/cluster_session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <filesystem>
#include <future>
#include <map>
#include <mutex>
#include <optional>

#include "apps/roles/container_extras.hpp"
#include "apps/roles/driver_home.hpp"
#include "apps/roles/leftover_watch.hpp"
#include "apps/roles/process_world.hpp"
#include "apps/roles/role_settings.hpp"
#include "apps/roles/role_tools.hpp"
#include "apps/roles/scheduler_choice.hpp"
#include "apps/roles/session_files.hpp"
#include "apps/session/descriptor_room.hpp"
#include "apps/session/job_input.hpp"
#include "apps/session/job_waiter.hpp"
#include "apps/session/local_cluster.hpp"
#include "apps/session/many_jobs.hpp"
#include "apps/session/remote_driver.hpp"
#include "apps/session/settled_output.hpp"
#include "apps/session/shared_cluster.hpp"
#include "apps/session/size_check.hpp"
#include "apps/session/topology_hosts.hpp"
#include "config/files/settings_text.hpp"
#include "config/text/environment.hpp"
#include "work/files/file_store.hpp"
#include "work/output/output_commit.hpp"
#include "work/terminal/terminal_server.hpp"

namespace heddle::apps {
namespace {

using namespace std::chrono_literals;

/// What was found and made before the session itself.
struct ClusterParts {
  ApplicationId application;
  std::unique_ptr<LeftoverWatch> watch;
  std::unique_ptr<WorkingFolder> folder;
  std::string state_folder;
  std::unique_ptr<ports::EventSink> events;
  std::string event_log;
  std::unique_ptr<LocalCluster> cluster;
};

/// Tells a waiter that the cluster is lost, as long as there is one: what watches the cluster may outlive the session.
class ClusterLoss {
public:
  explicit ClusterLoss(JobWaiter& waiter) : waiter_{&waiter} {}
  void tell(const Error& why) {
    const std::lock_guard lock{mutex_};
    if (waiter_ != nullptr) waiter_->on_cluster_lost(why);
  }
  void forget() {
    const std::lock_guard lock{mutex_};
    waiter_ = nullptr;
  }

private:
  std::mutex mutex_;
  JobWaiter* waiter_;
};

class ClusterSession final : public ClusterRoles {
public:
  ClusterSession(const SessionOptions& options, ClusterParts parts, caf::actor_system* of_others)
      : options_{options},
        parts_{std::move(parts)},
        replicas_{options.topology, options.settings.input().block_bytes},
        world_{options.settings, std::move(parts_.events), of_others},
        has_succeeded_{of_others != nullptr} {
    client_ = actors::spawn_client(world_.system(), &waiter_);
    waiter_.watch_descriptors();
    if (options.is_cluster_deploy) remote_.emplace(world_.system(), world_.tools().connector, client_);
    else home_.emplace(world_, driver_start(), commit_of_driver());
    if (of_others != nullptr)
      waiter_.tell_end_to(
          [driver = home_->driver()](const std::string& why) { caf::anon_send(driver, AllocationFailed{why}); });
  }

  ~ClusterSession() override {
    const StopDriver stop{has_succeeded_, {}};
    if (home_) caf::anon_send(home_->driver(), stop);
    else if (remote_ && remote_->handle()) caf::anon_send(remote_->handle(), stop);
    else if (resource_manager_)
      caf::anon_send(resource_manager_, KillApplication{parts_.application, "its client leaves"});
    if (is_submitted_ && !over_) wait_for_end();
    parts_.cluster.reset();
    home_.reset();
    for (const auto& actor : {caf::actor_cast<caf::actor>(client_), connector()})
      caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    loss_->forget();
    caf::scoped_actor self{world_.system()};
    self->wait_for(client_);  // it speaks to the waiter; a system that is not ours goes on
    remote_.reset();
    client_ = nullptr;
    resource_manager_ = nullptr;
  }

  /// Reaches the ResourceManager and submits the application; its containers start in the background.
  [[nodiscard]] Result<Done> submit(const IsCancelled& is_cancelled) {
    if (home_ && home_->address().empty())
      return Error{Errc::unreachable, "no port on the loopback can be had for the driver"};
    const auto found = connect_peer(resource_manager_address(), is_cancelled);
    if (!found) return found.error();
    resource_manager_ = caf::actor_cast<ResourceManagerActor>(*found);
    caf::actor_cast<caf::actor>(resource_manager_)->attach_functor([loss = loss_] {
      loss->tell(Error{Errc::failed, std::string{cluster_lost}});
    });
    auto& nodes = options_.cluster ? options_.cluster->nodes() : parts_.cluster->nodes();
    nodes.on_all_ended([loss = loss_](const std::string& text) { loss->tell(Error{Errc::unreachable, text}); });
    caf::send_as(client_, resource_manager_, submission());
    is_submitted_ = true;
    return options_.cluster ? waiter_.wait_for_answer(20s, is_cancelled) : Done{};
  }

  [[nodiscard]] Result<std::vector<JobFinished>> run_all(const std::vector<JobGraph>& graphs,
                                                         const JobCallbacks& callbacks) override {
    if (over_) return *over_;
    std::vector<SubmitJob> jobs;
    for (const auto& graph : graphs) {
      auto job = prepare(graph);
      if (!job) return job.error();
      jobs.push_back(std::move(*job));
    }
    const auto first = waiter_.begin(jobs.size());
    for (std::size_t number = 0; number < jobs.size(); ++number)
      jobs[number].request = first + static_cast<std::int64_t>(number);
    auto ended =
        home_ ? run_all_here(std::move(jobs), first, callbacks) : run_all_there(std::move(jobs), first, callbacks);
    has_succeeded_ = ended && std::all_of(ended->begin(), ended->end(),
                                          [](const auto& end) { return end.status == JobStatus::succeeded; });
    return ended;
  }

  [[nodiscard]] Result<JobFinished> run(JobGraph graph, const JobCallbacks& callbacks) override {
    if (over_) return *over_;
    auto job = prepare(std::move(graph));
    if (!job) return job.error();
    std::unique_ptr<work::TerminalServer> terminal;
    for (auto& stage : job->graph.stages) {
      if (!stage.pass_through) continue;
      auto lent = work::TerminalServer::start(fmt::format("{:016x}{:016x}", random_bits(), random_bits()), STDIN_FILENO,
                                              STDOUT_FILENO, STDERR_FILENO);
      if (!lent) return lent.error();
      terminal = std::move(*lent);
      stage.terminal = terminal->terminal();
    }
    job->request = waiter_.begin(1);
    auto finished = home_ ? run_here(std::move(*job), callbacks) : run_there(std::move(*job), callbacks);
    if (terminal) terminal->finish([&callbacks] { return callbacks.is_cancelled && callbacks.is_cancelled(); });
    has_succeeded_ = finished && finished->status == JobStatus::succeeded;
    return finished;
  }

  [[nodiscard]] std::string event_log() const override {
    if (!remote_ || !options_.settings.event_log().enabled) return parts_.event_log;
    return parts_.state_folder + "/" + driver_log_name(remote_->attempt()) + ".jsonl";
  }
  [[nodiscard]] std::string application() const override { return to_string(parts_.application); }
  [[nodiscard]] std::string task_logs() const override {
    return task_log_folder(options_.settings, parts_.state_folder, parts_.application);
  }

private:
  [[nodiscard]] const std::string& resource_manager_address() const {
    return options_.cluster ? options_.cluster->resource_manager_address() : parts_.cluster->resource_manager_address();
  }
  /// The ResourceManager's handle. Blocks; ends early when the user cancels.
  [[nodiscard]] Result<caf::strong_actor_ptr> connect_peer(const std::string& address,
                                                           const IsCancelled& is_cancelled) {
    auto answer = std::make_shared<std::promise<caf::strong_actor_ptr>>();
    auto found = answer->get_future();
    const auto request =
        world_.system().spawn([answer, address, connector = world_.tools().connector](caf::event_based_actor* self) {
          self->request(connector, 30s, ConnectPeer{address, 20'000})
              .then([answer](const caf::strong_actor_ptr& handle) { answer->set_value(handle); },
                    [answer](const caf::error&) { answer->set_value(nullptr); });
        });
    while (found.wait_for(50ms) != std::future_status::ready) {
      if (!is_cancelled || !is_cancelled()) continue;
      caf::anon_send_exit(request, caf::exit_reason::kill);
      return Error{Errc::cancelled, std::string{cancelled_while_opening}};
    }
    auto handle = found.get();
    if (!handle) return Error{Errc::unreachable, "the ResourceManager cannot be reached"};
    return handle;
  }
  [[nodiscard]] caf::actor connector() { return caf::actor_cast<caf::actor>(world_.tools().connector); }

  [[nodiscard]] const DriverActor& driver() const override { return home_->driver(); }
  [[nodiscard]] Result<SubmitJob> prepare(JobGraph graph) const override {
    if (auto fits = size_tasks(graph, options_); !fits) return fits.error();
    return prepare_job(std::move(graph), options_.settings, files_, replicas_.is_empty() ? nullptr : &replicas_);
  }

  void kill_application(bool& is_killed) {
    caf::anon_send(resource_manager_, KillApplication{parts_.application, "cancelled by the user"});
    is_killed = true;
  }

  /// What a wait needs where the Driver is ours. `is_killed` tells that the Driver has not ended what was cancelled.
  [[nodiscard]] JobHooks hooks_here(std::int64_t request, bool& is_killed) {
    const auto driver = home_->driver();
    JobHooks hooks;
    hooks.cancel = [driver](JobId id) { caf::anon_send(driver, CancelJob{id, "cancelled by the user"}); };
    hooks.on_cluster_lost = [driver](const std::string& text) { caf::anon_send(driver, AllocationFailed{text}); };
    hooks.request = request;
    hooks.kill = [this, &is_killed] { kill_application(is_killed); };
    return hooks;
  }

  /// The same where it is in the master container. `is_killed` tells that there was no Driver yet to cancel anything.
  [[nodiscard]] JobHooks hooks_there(std::int64_t request, bool& is_killed) {
    const auto cancel = [this, &is_killed](JobId id) {
      if (id.is_none()) caf::anon_send(resource_manager_, KillApplication{parts_.application, "cancelled by the user"});
      else if (remote_->handle()) caf::anon_send(remote_->handle(), CancelJob{id, "cancelled by the user"});
      is_killed = id.is_none();
    };
    return {cancel,
            [this](const DriverReady& word) { remote_->on_driver_ready(word); },
            {},
            request,
            [this] { remote_->connect_again(); },
            [this, &is_killed] { kill_application(is_killed); }};
  }

  [[nodiscard]] Result<JobFinished> run_here(SubmitJob job, const JobCallbacks& callbacks) {
    bool is_killed = false;
    const JobToSettle left{output_paths(job), true};
    const auto request = job.request;
    caf::send_as(client_, home_->driver(), std::move(job));
    auto finished = wait_for_job(waiter_, callbacks, hooks_here(request, is_killed));
    return finished ? finished : settle_job(left, finished.error(), is_killed, callbacks);
  }

  [[nodiscard]] Result<JobFinished> run_there(SubmitJob job, const JobCallbacks& callbacks) {
    bool is_killed = false;
    const auto request = job.request;
    remote_->submit(std::move(job));
    auto finished = wait_for_job(waiter_, callbacks, hooks_there(request, is_killed));
    if (!finished) finished = settle_job(left_there(request), finished.error(), is_killed, callbacks);
    remote_->forget_job(request);
    return finished;
  }

  [[nodiscard]] Result<std::vector<JobFinished>> run_all_here(std::vector<SubmitJob> jobs, std::int64_t first,
                                                              const JobCallbacks& callbacks) {
    bool is_killed = false;
    std::vector<JobToSettle> left;
    for (auto& job : jobs) {
      left.push_back({output_paths(job), true});
      caf::send_as(client_, home_->driver(), std::move(job));
    }
    auto end = wait_for_jobs(waiter_, left.size(), callbacks, {hooks_here(first, is_killed), {}});
    if (!end.over) return ends_of(std::move(end));
    for (std::size_t number = 0; number < left.size(); ++number) {
      if (end.ended[number]) continue;
      auto settled = settle_job(left[number], Error{Errc::failed, end.over->text}, is_killed, callbacks);
      if (!settled) return settled.error();
      end.ended[number] = std::move(*settled);
    }
    end.over.reset();
    return ends_of(std::move(end));
  }

  [[nodiscard]] Result<std::vector<JobFinished>> run_all_there(std::vector<SubmitJob> jobs, std::int64_t first,
                                                               const JobCallbacks& callbacks) {
    bool is_killed = false;
    const auto count = jobs.size();
    for (auto& job : jobs) remote_->submit(std::move(job));
    const auto forget = [this, first](std::size_t number) {
      remote_->forget_job(first + static_cast<std::int64_t>(number));
    };
    auto end = wait_for_jobs(waiter_, count, callbacks, {hooks_there(first, is_killed), forget});
    for (std::size_t number = 0; number < count; ++number) {
      if (end.ended[number]) continue;
      auto settled = settle_job(left_there(first + static_cast<std::int64_t>(number)),
                                Error{Errc::failed, end.over->text}, is_killed, callbacks);
      if (!settled) return settled.error();
      end.ended[number] = std::move(*settled);
      forget(number);
    }
    end.over.reset();
    return ends_of(std::move(end));
  }

  /// A job without an end, and whether a Driver may have begun it.
  struct JobToSettle {
    std::vector<std::string> paths;
    bool was_submitted = false;
  };
  [[nodiscard]] static std::vector<std::string> output_paths(const SubmitJob& job) {
    std::vector<std::string> paths;
    for (const auto& stage : job.graph.stages)
      if (stage.output) paths.push_back(stage.output->path);
    return paths;
  }
  [[nodiscard]] JobToSettle left_there(std::int64_t request) const {
    const auto& job = remote_->job(request);
    return {output_paths(job), job.earlier_drivers > 0};
  }

  /// No Driver will say what became of the job. The cluster is the client's own, so it ends it, with a Driver in this
  /// process, and then looks what was decided: a commit that stands is finished, everything else is discarded.
  [[nodiscard]] Result<JobFinished> settle_job(const JobToSettle& job, const Error& why, bool is_killed,
                                               const JobCallbacks& callbacks) {
    const bool is_here = !options_.is_cluster_deploy;
    over_ = why;
    parts_.cluster.reset();
    home_.reset();  // finishes a commit that it has begun
    JobFinished finished;
    finished.status = is_killed ? JobStatus::cancelled : JobStatus::failed;
    finished.text = why.text;
    if (!job.was_submitted) return is_killed ? Result<JobFinished>{finished} : Result<JobFinished>{why};
    const auto attempt = remote_ ? remote_->attempt() + 1 : 2;
    const auto settled =
        settle_output({options_.settings, parts_.application, parts_.state_folder}, job.paths, attempt);
    if (settled.is_committed) {
      if (callbacks.on_notice)
        callbacks.on_notice({why.text + "; the commit of its output had been decided and is finished now"});
      finished.status = JobStatus::succeeded;
      finished.text.clear();
    } else if (!settled.text.empty()) {
      finished.text += "; what it left of its output could not be removed: " + settled.text;
    }
    if (finished.status == JobStatus::failed && (is_here || why.code == Errc::unreachable))
      return Error{why.code, finished.text};
    return finished;
  }

  /// Until the ResourceManager has told the end of the application, so that everything leaves in order; bounded.
  void wait_for_end() {
    const auto patience = world_.clock().now() + 3s;
    while (!waiter_.is_application_over() && world_.clock().now() < patience) static_cast<void>(waiter_.next(100ms));
  }

  [[nodiscard]] SubmitApplication submission() const {
    const auto application = options_.settings.application();
    SubmitApplication message;
    message.name = options_.name;
    message.queue = application.queue;
    message.user = application.user.empty() ? config::read_environment().user : application.user;
    message.master = {application.master_memory_mib, application.master_cores};
    message.attempts_max = static_cast<std::int32_t>(application.attempts_max);
    message.master_extras = master_extras(options_.settings, !home_);
    message.node_label = application.executor_node_label;
    message.priority = static_cast<std::int32_t>(application.priority);
    message.launch = {config::write_settings(options_.settings), parts_.state_folder, master_launch()};
    return message;
  }

  [[nodiscard]] ApplicationMasterLaunch master_launch() const {
    ApplicationMasterLaunch launch;
    launch.holds_driver = !home_;
    if (home_) launch.driver_address = home_->address();
    else launch.owner = work::write_owner(work::this_process_owner(parts_.application));
    launch.racks = racks();
    return launch;
  }

  [[nodiscard]] std::map<std::string, std::string> racks() const {
    std::map<std::string, std::string> made;
    for (const auto& host : cluster_hosts(options_)) made.emplace(host.name, host.rack);
    return made;
  }

  /// Finished commits are noted, for the case that this client has to look what its Driver decided.
  [[nodiscard]] work::OutputCommitSettings commit_of_driver() const {
    auto made = commit_settings(options_.settings, parts_.application);
    made.journal = parts_.state_folder;
    return made;
  }

  [[nodiscard]] actors::DriverSettings driver_start() const {
    auto made = driver_settings(options_.settings);
    made.application = parts_.application;
    made.build_id = build_id();
    made.racks = racks();
    return made;
  }

  SessionOptions options_;
  ClusterParts parts_;
  TopologyReplicas replicas_;
  mutable work::LocalFileStore files_;  // holds nothing of its own
  JobWaiter waiter_;
  std::shared_ptr<ClusterLoss> loss_ = std::make_shared<ClusterLoss>(waiter_);
  ProcessWorld world_;
  ClientActor client_;
  ResourceManagerActor resource_manager_;
  std::optional<DriverHome> home_;      // client mode
  std::optional<RemoteDriver> remote_;  // cluster mode
  bool is_submitted_ = false;
  std::optional<Error> over_;   // the cluster was ended before its jobs
  bool has_succeeded_ = false;  // who tells the Driver of jobs itself hears of their ends itself
};

Result<ClusterParts> make_parts(const SessionOptions& options, const IsCancelled& is_cancelled) {
  // A wrong queue file is found here, where there is somebody to tell.
  if (const auto scheduler = make_resource_scheduler(options.settings, Instant{}); !scheduler) return scheduler.error();
  ClusterParts parts;
  parts.application = options.cluster ? options.cluster->take_id() : ApplicationId{wall_clock_ms(), 1};
  auto folder = WorkingFolder::make(options.settings);
  if (!folder) return folder.error();
  parts.folder = std::move(*folder);
  parts.watch = LeftoverWatch::start(parts.folder->path(), role_patience);
  auto state = options.cluster ? make_state_folder(options.settings, to_string(parts.application))
                               : claim_state_folder(options.settings, parts.application);
  if (!state) return state.error();
  parts.state_folder = std::move(*state);
  if (options.is_cluster_deploy) {
    parts.events = std::make_unique<runtime::NoEvents>();  // the Driver writes the log, in the master container
  } else {
    auto events = open_event_log(options.settings, parts.state_folder, parts.event_log);
    if (!events) return events.error();
    parts.events = std::move(*events);
  }
  if (options.cluster) return parts;
  if (auto room = check_descriptor_room(cluster_hosts(options).size()); !room) return room.error();
  LocalClusterOptions cluster;
  cluster.directory = parts.folder->path();
  cluster.log_directory = parts.state_folder;
  cluster.cluster_start = parts.application.cluster_start;
  cluster.hosts = cluster_hosts(options);
  cluster.settings = config::write_settings(options.settings);
  auto started = LocalCluster::start(cluster, is_cancelled);
  if (!started) return started.error();
  parts.cluster = std::move(*started);
  return parts;
}

}  // namespace

namespace {

Result<std::unique_ptr<ClusterSession>> open(const SessionOptions& options, const IsCancelled& is_cancelled,
                                             caf::actor_system* of_others) {
  std::unique_lock<std::mutex> turn;
  if (options.cluster) turn = options.cluster->turn();
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

Result<std::unique_ptr<ClusterRoles>> open_cluster_roles(const SessionOptions& options, caf::actor_system& system) {
  auto session = open(options, {}, &system);
  if (!session) return session.error();
  return std::unique_ptr<ClusterRoles>{std::move(*session)};
}

}  // namespace heddle::apps
