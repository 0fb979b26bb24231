// The client's side of a local cluster: its processes, the application, and in client mode the Driver.
#include "apps/session/cluster_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <mutex>

#include "actors/driver/driver.hpp"
#include "apps/session/background_thread.hpp"
#include "apps/session/job_input.hpp"
#include "apps/session/job_waiter.hpp"
#include "apps/session/local_cluster.hpp"
#include "apps/session/many_jobs.hpp"
#include "apps/session/process_world.hpp"
#include "apps/session/role_settings.hpp"
#include "apps/session/scheduler_choice.hpp"
#include "apps/session/session_files.hpp"
#include "apps/session/shared_cluster.hpp"
#include "apps/session/topology_hosts.hpp"
#include "config/environment.hpp"
#include "config/role_environment.hpp"
#include "runtime/system_settings.hpp"
#include "work/file_store.hpp"
#include "work/output_commit.hpp"

namespace heddle::apps {
namespace {

using namespace std::chrono_literals;

/// What was found and made before the session itself.
struct ClusterParts {
  ApplicationId application;
  std::unique_ptr<WorkingFolder> folder;
  std::string state_folder;
  std::unique_ptr<ports::EventSink> events;
  std::string event_log;
  std::unique_ptr<LocalCluster> cluster;
};

class ClusterSession final : public Session {
public:
  ClusterSession(const SessionOptions& options, ClusterParts parts)
      : options_{options},
        parts_{std::move(parts)},
        replicas_{options.topology, options.settings.input().block_bytes},
        world_{options.settings, std::move(parts_.events)},
        commit_{files_, options_.settings.output().success_file} {
    client_ = actors::spawn_client(world_.system(), &waiter_);
    driver_ = actors::spawn_driver(world_.system(), driver(), world_.tools(), {&commit_, &background_});
  }

  ~ClusterSession() override {
    caf::anon_send(driver_, StopDriver{has_succeeded_, {}});
    if (is_submitted_) wait_for_end();
    parts_.cluster.reset();
    for (const auto& actor : {caf::actor_cast<caf::actor>(driver_), caf::actor_cast<caf::actor>(client_), connector()})
      caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    driver_ = nullptr;
    client_ = nullptr;
    resource_manager_ = nullptr;
  }

  /// Reaches the ResourceManager and submits the application; its containers start in the background.
  [[nodiscard]] Result<Done> submit() {
    const auto driver_address = runtime::publish_on_loopback(world_.system(), driver_);
    if (driver_address.empty()) return Error{Errc::unreachable, "no port on the loopback can be had for the driver"};
    caf::scoped_actor self{world_.system()};
    Result<Done> done = Error{Errc::unreachable, "the ResourceManager cannot be reached"};
    self->request(world_.tools().connector, 30s, ConnectPeer{resource_manager_address(), 20'000})
        .receive(
            [&](const caf::strong_actor_ptr& handle) {
              resource_manager_ = caf::actor_cast<ResourceManagerActor>(handle);
              done = Done{};
            },
            [&](const caf::error&) {});
    if (!done) return done;
    const auto application = options_.settings.application();
    SubmitApplication message;
    message.name = options_.name;
    message.queue = application.queue;
    message.user = application.user.empty() ? config::read_environment().user : application.user;
    message.master = {application.master_memory_mib, application.master_cores};
    message.attempts_max = static_cast<std::int32_t>(std::max<std::int64_t>(application.attempts_max, 2));
    message.launch.role = "application-master";
    message.launch.environment = {{"HEDDLE_DRIVER_ADDRESS", driver_address}};
    // Nodes that serve several applications were started with the settings of none of them.
    if (options_.cluster) {
      message.launch.environment.emplace_back("HEDDLE_SETTINGS", config::write_settings(options_.settings));
      message.launch.environment.emplace_back("HEDDLE_LOG_DIRECTORY", parts_.state_folder);
    }
    caf::send_as(client_, resource_manager_, std::move(message));
    is_submitted_ = true;
    if (options_.cluster && !waiter_.wait_for_answer(20s)) return Error{Errc::timed_out, "the ResourceManager does not answer"};
    return done;
  }

  [[nodiscard]] Result<std::vector<JobFinished>> run_all(const std::vector<JobGraph>& graphs, const JobCallbacks& callbacks) override {
    for (std::size_t number = 0; number < graphs.size(); ++number) {
      auto job = prepare_job(graphs[number], options_.settings, files_, replicas_.is_empty() ? nullptr : &replicas_);
      if (!job) return job.error();
      job->request = static_cast<std::int64_t>(number);
      caf::send_as(client_, driver_, std::move(*job));
    }
    auto ended = wait_for_jobs(waiter_, graphs.size(), callbacks, [this](JobId id) {
      caf::anon_send(driver_, CancelJob{id, "cancelled by the user"});
    });
    has_succeeded_ = ended && std::all_of(ended->begin(), ended->end(), [](const auto& end) { return end.status == JobStatus::succeeded; });
    return ended;
  }

  [[nodiscard]] Result<JobFinished> run(JobGraph graph, const JobCallbacks& callbacks) override {
    auto job = prepare_job(std::move(graph), options_.settings, files_, replicas_.is_empty() ? nullptr : &replicas_);
    if (!job) return job.error();
    caf::send_as(client_, driver_, std::move(*job));
    auto finished = wait_for_job(waiter_, callbacks, [this](JobId id) { caf::anon_send(driver_, CancelJob{id, "cancelled by the user"}); });
    has_succeeded_ = finished && finished->status == JobStatus::succeeded;
    return finished;
  }

  [[nodiscard]] std::string event_log() const override { return parts_.event_log; }
  [[nodiscard]] std::string application() const override { return to_string(parts_.application); }
  [[nodiscard]] std::string task_logs() const override { return parts_.state_folder + "/tasks"; }

private:
  [[nodiscard]] const std::string& resource_manager_address() const {
    return options_.cluster ? options_.cluster->resource_manager_address() : parts_.cluster->resource_manager_address();
  }
  [[nodiscard]] caf::actor connector() { return caf::actor_cast<caf::actor>(world_.tools().connector); }

  /// Until the ResourceManager has told the end of the application, so that everything leaves in order; bounded.
  void wait_for_end() {
    const auto patience = world_.clock().now() + 3s;
    while (world_.clock().now() < patience) {
      const auto word = waiter_.next(100ms);
      if (word && (std::holds_alternative<ApplicationEnded>(*word) || std::holds_alternative<ApplicationRefused>(*word))) return;
    }
  }

  [[nodiscard]] actors::DriverSettings driver() const {
    auto made = driver_settings(options_.settings);
    made.application = parts_.application;
    made.build_id = build_id();
    for (const auto& host : cluster_hosts(options_)) made.racks.emplace(host.name, host.rack);
    return made;
  }

  SessionOptions options_;
  ClusterParts parts_;
  TopologyReplicas replicas_;
  work::LocalFileStore files_;
  JobWaiter waiter_;
  ProcessWorld world_;
  work::FileOutputCommit commit_;
  BackgroundThread background_;
  ClientActor client_;
  DriverActor driver_;
  ResourceManagerActor resource_manager_;
  bool is_submitted_ = false;
  bool has_succeeded_ = false;
};

Result<ClusterParts> make_parts(const SessionOptions& options) {
  // A wrong queue file is found here, where there is somebody to tell.
  if (const auto scheduler = make_resource_scheduler(options.settings, Instant{}); !scheduler) return scheduler.error();
  ClusterParts parts;
  parts.application = options.cluster ? options.cluster->take_id() : ApplicationId{wall_clock_ms(), 1};
  auto folder = WorkingFolder::make();
  if (!folder) return folder.error();
  parts.folder = std::move(*folder);
  auto state = make_state_folder(options.settings, to_string(parts.application));
  if (!state) return state.error();
  parts.state_folder = std::move(*state);
  auto events = open_event_log(options.settings, parts.state_folder, parts.event_log);
  if (!events) return events.error();
  parts.events = std::move(*events);
  if (options.cluster) return parts;
  LocalClusterOptions cluster;
  cluster.directory = parts.folder->path();
  cluster.log_directory = parts.state_folder;
  cluster.cluster_start = parts.application.cluster_start;
  cluster.hosts = cluster_hosts(options);
  cluster.environment = {{"HEDDLE_SETTINGS", config::write_settings(options.settings)},
                         {"HEDDLE_CLUSTER_START", std::to_string(parts.application.cluster_start)},
                         {"HEDDLE_LOG_DIRECTORY", parts.state_folder}};
  auto started = LocalCluster::start(cluster);
  if (!started) return started.error();
  parts.cluster = std::move(*started);
  return parts;
}

}  // namespace

Result<std::unique_ptr<Session>> open_cluster_session(const SessionOptions& options) {
  std::unique_lock<std::mutex> turn;
  if (options.cluster) turn = options.cluster->turn();
  auto parts = make_parts(options);
  if (!parts) return parts.error();
  auto session = std::make_unique<ClusterSession>(options, std::move(*parts));
  if (auto submitted = session->submit(); !submitted) return submitted.error();
  return std::unique_ptr<Session>{std::move(session)};
}

}  // namespace heddle::apps
