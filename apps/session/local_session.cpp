// --master local[N]: Driver, Executor and Client in this process, joined by plain messages; no network, no ResourceManager.
#include "apps/session/local_session.hpp"

#include <fmt/format.h>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>

#include "actors/client/client.hpp"
#include "actors/driver/driver.hpp"
#include "actors/executor/executor.hpp"
#include "apps/session/background_thread.hpp"
#include "apps/session/job_input.hpp"
#include "apps/session/job_waiter.hpp"
#include "apps/session/role_settings.hpp"
#include "apps/session/session_files.hpp"
#include "apps/session/size_check.hpp"
#include "messages/registration.hpp"
#include "runtime/system_settings.hpp"
#include "runtime/world/real_clock.hpp"
#include "work/file_store.hpp"
#include "work/function_registry.hpp"
#include "work/output_commit.hpp"
#include "work/shuffle_client.hpp"
#include "work/slot_task_runner.hpp"

namespace heddle::apps {
namespace {

caf::actor_system_config& prepared(caf::actor_system_config& config) {
  register_messages(config);
  runtime::apply(config, runtime::SystemSettings{});
  return config;
}

/// Members in the order in which they are needed; they end in the opposite one.
class LocalSession final : public Session {
public:
  LocalSession(const SessionOptions& options, std::unique_ptr<WorkingFolder> folder, std::string state_folder,
               std::unique_ptr<ports::EventSink> events, std::string event_log, ApplicationId application)
      : options_{options},
        application_{application},
        folder_{std::move(folder)},
        state_folder_{std::move(state_folder)},
        event_log_{std::move(event_log)},
        events_{std::move(events)},
        commit_{files_, options_.settings.output().success_file},
        fetch_{fetch_settings(options.settings, application, "local")},
        runner_{slots(), work::FunctionRegistry::of_program(), fetch_, clock_},
        system_{prepared(config_)} {
    client_ = actors::spawn_client(system_, &waiter_);
    driver_ = actors::spawn_driver(system_, driver(), tools(1), {&commit_, &background_});
    executor_ = actors::spawn_executor(system_, executor(), tools(2), {&runner_, {}});
  }

  ~LocalSession() override {
    for (const auto& actor :
         {caf::actor_cast<caf::actor>(executor_), caf::actor_cast<caf::actor>(driver_), caf::actor_cast<caf::actor>(client_)})
      caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    driver_ = nullptr;
    executor_ = nullptr;
    client_ = nullptr;
    // An Executor that has not begun yet would start the slots: it has to be gone before they are stopped.
    system_.await_all_actors_done();
    runner_.stop();
  }

  [[nodiscard]] Result<JobFinished> run(JobGraph graph, const JobCallbacks& callbacks) override {
    if (auto fits = check_task_sizes(graph, options_); !fits) return fits.error();
    auto job = prepare_job(std::move(graph), options_.settings, files_, nullptr);
    if (!job) return job.error();
    caf::send_as(client_, driver_, std::move(*job));
    const auto cancel = [this](JobId id) { caf::anon_send(driver_, CancelJob{id, "cancelled by the user"}); };
    return wait_for_job(waiter_, callbacks, {cancel, {}, {}});
  }

  [[nodiscard]] std::string event_log() const override { return event_log_; }
  [[nodiscard]] std::string application() const override { return to_string(application_); }
  [[nodiscard]] std::string task_logs() const override { return state_folder_ + "/tasks"; }

private:
  [[nodiscard]] runtime::ActorTools tools(std::uint64_t salt) {
    return {&clock_, events_.get(), RandomStream{salt ^ static_cast<std::uint64_t>(application_.cluster_start)}, {}};
  }
  [[nodiscard]] work::SlotTaskRunnerSettings slots() const {
    auto made = runner_settings(options_.settings);
    made.slots = options_.master.slots;
    made.work_directory = folder_->path() + "/work";
    made.log_directory = state_folder_ + "/tasks";
    made.shuffle_writer.directory = folder_->path() + "/shuffle";
    return made;
  }
  [[nodiscard]] actors::DriverSettings driver() const {
    auto made = driver_settings(options_.settings);
    made.application = application_;
    made.build_id = build_id();
    made.allocation.dynamic = false;
    made.task_scheduler.dynamic_allocation = false;
    made.allocation.executors_initial = 1;
    if (!options_.settings.is_set("heddle.task.max_failures")) made.task_scheduler.max_failures = options_.master.tries;
    return made;
  }
  [[nodiscard]] actors::ExecutorSettings executor() const {
    actors::ExecutorSettings made;
    made.executor = ExecutorId{0};
    made.cores = options_.master.slots;
    made.host = "localhost";
    made.shuffle_place = {NodeId{0}, Epoch{0}, "localhost", "", folder_->path() + "/shuffle"};
    made.build_id = build_id();
    made.driver = driver_;
    return made;
  }

  SessionOptions options_;
  ApplicationId application_;
  std::unique_ptr<WorkingFolder> folder_;
  std::string state_folder_;
  std::string event_log_;
  std::unique_ptr<ports::EventSink> events_;
  runtime::RealClock clock_;
  work::LocalFileStore files_;
  work::FileOutputCommit commit_;
  BackgroundThread background_;
  work::ShuffleClient fetch_;
  work::SlotTaskRunner runner_;
  JobWaiter waiter_;
  caf::actor_system_config config_;
  caf::actor_system system_;
  ClientActor client_;
  DriverActor driver_;
  ExecutorActor executor_;
};

}  // namespace

Result<std::unique_ptr<Session>> open_local_session(const SessionOptions& options) {
  const ApplicationId application{wall_clock_ms(), 1};
  auto folder = WorkingFolder::make();
  if (!folder) return folder.error();
  auto state = make_state_folder(options.settings, to_string(application));
  if (!state) return state.error();
  std::string path;
  auto events = open_event_log(options.settings, *state, path);
  if (!events) return events.error();
  return std::unique_ptr<Session>{
      std::make_unique<LocalSession>(options, std::move(*folder), std::move(*state), std::move(*events), std::move(path), application)};
}

}  // namespace heddle::apps
