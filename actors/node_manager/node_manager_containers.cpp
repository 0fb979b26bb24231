// The life of a container on its node: start, stop, end.
#include <fmt/format.h>

#include <utility>
#include <variant>

#include "actors/node_manager/node_manager.hpp"
#include "model/container.hpp"

namespace heddle::actors {
namespace {

/// What a shell reports for a command that could not be started.
constexpr std::int32_t start_failed_status = 127;

}  // namespace

template <class Answer>
void NodeManager::answer_start(const Answer& answer) {
  const auto asker = caf::actor_cast<YarnAllocatorActor>(self_->current_sender());
  if (asker && !(resource_manager_ && resource_manager_.address() == asker.address())) self_->send(asker, answer);
}

void NodeManager::refuse_start(ContainerId container, const std::string& text) {
  answer_start(ContainerNotStarted{container, text});
  report_end(container, start_failed_status, text);
}

Result<ports::LaunchContext> NodeManager::launch_context(const StartContainer& message,
                                                         const std::string& log_directory) {
  const Result<std::string> directory = start_.files->admit(message.attempt.application, message.token);
  if (!directory) return directory.error();
  LaunchSpec spec;
  spec.settings = message.launch.settings;
  spec.log_directory = message.launch.log_directory;
  spec.container = {message.container,
                    message.attempt,
                    node_,
                    epoch_,
                    start_.host,
                    start_.slowness_percent,
                    start_.resource_manager_address,
                    start_.files->shuffle_address(),
                    *directory,
                    message.token};
  std::visit([&spec](const auto& role) { spec.role = role; }, message.launch.role);
  ports::LaunchContext context;
  context.arguments = {start_.program};
  context.spec = std::move(spec);
  context.environment = {{"HEDDLE_NODE_HOST", start_.host}};  // for the commands of tasks
  context.standard_output = log_directory + "/stdout";
  context.standard_error = log_directory + "/stderr";
  context.log_bytes_max = start_.log_bytes_max;
  return context;
}

void NodeManager::on_start_container(const StartContainer& message) {
  const ContainerId id = message.container;
  if (node_.is_none() || containers_.find(id) != nullptr || containers_.is_refused(id) ||
      containers_.is_refused(message.attempt.application)) {
    note("stale_start_container", ports::EventFields{}.add("container", id));
    if (containers_.find(id) != nullptr) return answer_start(ContainerStarted{id});
    return answer_start(ContainerNotStarted{id, "node " + start_.host + " does not start it any more"});
  }
  if (const auto sound = check_launch(message.launch); !sound) {
    note("start_refused", ports::EventFields{}.add("container", id).add("reason", sound.error().text));
    return refuse_start(id, fmt::format("node {} does not start it: {}", start_.host, sound.error().text));
  }
  const Result<std::string> logs = start_.files->log_directory(message.attempt.application, id);
  if (!logs) return refuse_start(id, "it has no folder for its logs: " + logs.error().text);
  const Result<ports::LaunchContext> context = launch_context(message, *logs);
  if (!context) return refuse_start(id, "it could not be prepared: " + context.error().text);
  // The launcher's thread tells us; by then we may be gone.
  const auto self = caf::actor_cast<caf::weak_actor_ptr>(self_);
  const auto process = start_.launcher->start(*context, [self](std::int64_t number, ports::ProcessEnd end) {
    if (const auto alive = caf::actor_cast<caf::strong_actor_ptr>(self))
      caf::anon_send(caf::actor_cast<NodeManagerActor>(alive), ProcessEnded{number, end.exit_code, end.signal});
  });
  if (!process) return refuse_start(id, "it could not be started: " + process.error().text);
  Container container;
  container.id = id;
  container.attempt = message.attempt;
  container.resource = message.resource;
  container.process = *process;
  container.log_directory = *logs;
  if (const auto* executor = std::get_if<ExecutorLaunch>(&message.launch.role))
    container.executor = to_string(executor->executor);
  containers_.add(container);
  note("container_started",
       ports::EventFields{}.add("container", id).add("role", std::string{role_name(*context->spec)}));
  answer_start(ContainerStarted{id});
  beat();  // room and ends are counted by what runs, so it is said at once
}

void NodeManager::on_stop_container(const StopContainer& message) {
  Container* container = containers_.find(message.container);
  if (container == nullptr) containers_.refuse(message.container);
  else stop(*container, message.exit_status, message.reason);
}

void NodeManager::stop(Container& container, std::int32_t exit_status, const std::string& reason) {
  if (container.is_stopping) return;
  container.is_stopping = true;
  container.exit_status = exit_status;
  container.reason = reason;
  note("container_stopping", ports::EventFields{}.add("container", container.id).add("exit_status", exit_status));
  start_.launcher->stop(container.process, to_milliseconds(settings_.kill_wait));
}

void NodeManager::stop_all(const std::string& reason) {
  for (auto& [id, container] : containers_.rows()) stop(container, container_exit_status::aborted, reason);
}

std::string NodeManager::end_text(const Container& container, const ProcessEnded& message) {
  std::string text = message.signal != 0 ? fmt::format("killed by signal {}", message.signal)
                                         : fmt::format("its process ended with code {}", message.exit_code);
  if (!container.reason.empty()) text = container.reason + " (" + text + ")";
  return text + "; its logs are in " + container.log_directory;
}

void NodeManager::on_process_ended(const ProcessEnded& message) {
  const Container* found = containers_.find_process(message.process);
  if (found == nullptr) return note("stale_process_ended", ports::EventFields{}.add("process", message.process));
  const Container container = *found;
  containers_.remove(container.id);
  containers_.refuse(container.id);
  report_end(container.id, container.exit_status != 0 ? container.exit_status : message.exit_code,
             end_text(container, message));
  if (!container.executor.empty()) start_.files->forget_executor(container.attempt.application, container.executor);
  forget_if_empty(container.attempt.application);
}

void NodeManager::report_end(ContainerId container, std::int32_t exit_status, const std::string& text) {
  note("container_exited", ports::EventFields{}.add("container", container).add("exit_status", exit_status));
  if (resource_manager_) self_->send(resource_manager_, ContainerExited{node_, epoch_, {container, exit_status, text}});
}

void NodeManager::on_forget_application(const ForgetApplication& message) {
  containers_.refuse(message.application);
  for (auto& [id, container] : containers_.rows())
    if (container.attempt.application == message.application)
      stop(container, container_exit_status::killed_after_application, "its application has ended");
  forget_if_empty(message.application);
}

void NodeManager::forget_if_empty(const ApplicationId& application) {
  if (containers_.is_refused(application) && !containers_.holds_any_of(application)) start_.files->forget(application);
}

}  // namespace heddle::actors
