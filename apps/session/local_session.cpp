// --master local[N] in an actor system of its own, with a Client whose words reach the waiting thread.
#include "apps/session/local_session.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>

#include "actors/client/client.hpp"
#include "apps/session/job_waiter.hpp"
#include "apps/session/local_roles.hpp"
#include "apps/session/many_jobs.hpp"
#include "messages/registration.hpp"
#include "runtime/system_settings.hpp"

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
  LocalSession() : system_{prepared(config_)}, client_{actors::spawn_client(system_, &waiter_)} {}
  ~LocalSession() override {
    caf::anon_send_exit(client_, caf::exit_reason::user_shutdown);
    client_ = nullptr;
  }

  [[nodiscard]] Result<Done> open(const SessionOptions& options) {
    auto roles = LocalRoles::open(system_, options);
    if (!roles) return roles.error();
    roles_ = std::move(*roles);
    // No other executor and no other Driver will come.
    const auto tell_end = [this] {
      waiter_.on_ended({{}, false, "the executor or the driver of this session ended unexpectedly"});
    };
    caf::actor_cast<caf::actor>(roles_->executor())->attach_functor(tell_end);
    caf::actor_cast<caf::actor>(roles_->driver())->attach_functor(tell_end);
    return Done{};
  }

  [[nodiscard]] Result<JobFinished> run(JobGraph graph, const JobCallbacks& callbacks) override {
    auto job = roles_->prepare(std::move(graph));
    if (!job) return job.error();
    const auto request = job->request = waiter_.begin(1);
    caf::send_as(client_, roles_->driver(), std::move(*job));
    const auto cancel = [this](JobId id) { caf::anon_send(roles_->driver(), CancelJob{id, "cancelled by the user"}); };
    return wait_for_job(waiter_, callbacks, {cancel, {}, {}, request});
  }

  [[nodiscard]] Result<std::vector<JobFinished>> run_all(const std::vector<JobGraph>& graphs,
                                                         const JobCallbacks& callbacks) override {
    std::vector<SubmitJob> jobs;
    for (const auto& graph : graphs) {
      auto job = roles_->prepare(graph);
      if (!job) return job.error();
      job->request = static_cast<std::int64_t>(jobs.size());
      jobs.push_back(std::move(*job));
    }
    const auto first = waiter_.begin(jobs.size());
    for (auto& job : jobs) job.request += first;
    for (auto& job : jobs) caf::send_as(client_, roles_->driver(), std::move(job));
    const auto cancel = [this](JobId id) { caf::anon_send(roles_->driver(), CancelJob{id, "cancelled by the user"}); };
    return ends_of(wait_for_jobs(waiter_, graphs.size(), callbacks, {{cancel, {}, {}, first}, {}}));
  }

  [[nodiscard]] std::string event_log() const override { return roles_->event_log(); }
  [[nodiscard]] std::string application() const override { return to_string(roles_->application()); }
  [[nodiscard]] std::string task_logs() const override { return roles_->task_logs(); }

private:
  JobWaiter waiter_;
  caf::actor_system_config config_;
  caf::actor_system system_;
  ClientActor client_;
  std::unique_ptr<LocalRoles> roles_;
};

}  // namespace

Result<std::unique_ptr<Session>> open_local_session(const SessionOptions& options) {
  auto session = std::make_unique<LocalSession>();
  if (auto opened = session->open(options); !opened) return opened.error();
  return std::unique_ptr<Session>{std::move(session)};
}

}  // namespace heddle::apps
