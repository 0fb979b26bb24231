// Session of --master local[N] in its own actor system, with a Client that reports to the waiting thread.
#include "apps/session/local_session.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "apps/roles/background_thread.hpp"
#include "apps/roles/make_roles.hpp"
#include "apps/session/job_waiter.hpp"
#include "apps/session/local_application.hpp"
#include "apps/session/many_jobs.hpp"
#include "apps/session/settled_output.hpp"
#include "messages/registration.hpp"
#include "runtime/system_settings.hpp"

namespace heddle::apps {
namespace {

caf::actor_system_config& prepared(caf::actor_system_config& config) {
  register_messages(config);
  runtime::apply(config, runtime::SystemSettings{});
  return config;
}

/// The order of the members is their order of construction; destruction is in reverse.
class LocalSession final : public Session {
public:
  LocalSession() : system_{prepared(config_)} {}
  ~LocalSession() override {
    if (!client_) return;
    caf::anon_send_exit(client_, caf::exit_reason::user_shutdown);
    caf::scoped_actor self{system_};
    self->wait_for(client_);  // the client uses members of roles_
    client_ = nullptr;
    background_.reset();  // its work uses members of roles_
  }

  [[nodiscard]] Result<Done> open(const SessionOptions& options) {
    auto roles = LocalApplication::open(system_, options);
    if (!roles) return roles.error();
    roles_ = std::move(*roles);
    ClientLaunch launch;
    launch.application = roles_->application();
    launch.driver = OwnDriver{roles_->driver(), {}};
    background_.emplace();
    client_ = make_client({system_, roles_->tools(3)}, launch, options.settings, client_ports(options));
    // Local mode never replaces a lost Executor or Driver.
    const auto notify_end = [client = client_] {
      caf::anon_send(client,
                     ApplicationEnded{{}, false, "the executor or the driver of this session ended unexpectedly"});
    };
    caf::actor_cast<caf::actor>(roles_->executor())->attach_functor(notify_end);
    caf::actor_cast<caf::actor>(roles_->driver())->attach_functor(notify_end);
    return Done{};
  }

  [[nodiscard]] Result<JobFinished> run(JobGraph graph, const JobCallbacks& callbacks) override {
    auto job = roles_->prepare(std::move(graph));
    if (!job) return job.error();
    return run_one_job(waiter_, client_, std::move(*job), callbacks);
  }

  [[nodiscard]] Result<std::vector<JobFinished>> run_all(const std::vector<JobGraph>& graphs,
                                                         const JobCallbacks& callbacks) override {
    std::vector<SubmitJob> jobs;
    for (const auto& graph : graphs) {
      auto job = roles_->prepare(graph);
      if (!job) return job.error();
      jobs.push_back(std::move(*job));
    }
    return run_jobs(waiter_, client_, std::move(jobs), callbacks);
  }

  [[nodiscard]] std::string output_path(const std::string& written) const override {
    return roles_->output_path(written);
  }
  [[nodiscard]] std::string event_log() const override { return roles_->event_log(); }
  [[nodiscard]] std::string application() const override { return to_string(roles_->application()); }
  [[nodiscard]] std::string task_logs() const override { return roles_->task_logs(); }

private:
  [[nodiscard]] actors::ClientPorts client_ports(const SessionOptions& options) {
    actors::ClientPorts ports;
    ports.listener = &waiter_;
    ports.background = &*background_;
    ports.end_cluster = [this] { roles_->end_roles(); };
    ports.settle_output = [owner =
                               OutputOwner{options.settings, roles_->application(), {}, {}, options.is_interrupted}](
                              const actors::SettleOutput& left) {
      const auto settled = settle_output(owner, left.paths, left.attempt);
      return OutputSettled{left.request, settled.is_committed, settled.text};
    };
    return ports;
  }

  JobWaiter waiter_;
  caf::actor_system_config config_;
  caf::actor_system system_;
  std::unique_ptr<LocalApplication> roles_;
  std::optional<BackgroundThread> background_;
  ClientRoleActor client_;
};

}  // namespace

Result<std::unique_ptr<Session>> open_local_session(const SessionOptions& options) {
  auto session = std::make_unique<LocalSession>();
  if (auto opened = session->open(options); !opened) return opened.error();
  return std::unique_ptr<Session>{std::move(session)};
}

}  // namespace heddle::apps
