// The life of a container on its node: start, stop, end.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "actors/node_manager/node_manager.hpp"
#include "model/container.hpp"

namespace heddle::actors {
namespace {

/// What a shell reports for a command that could not be started.
constexpr std::int32_t start_failed_status = 127;

/// What a ResourceManager or an allocator tells a role through its environment. Whoever reaches this port could have
/// the program load a library of theirs through any other variable (LD_PRELOAD), as the user of this process.
constexpr std::array<std::string_view, 10> launch_variables{
    "HEDDLE_APPLICATION_OWNER", "HEDDLE_DEPLOY_MODE",   "HEDDLE_DRIVER_ADDRESS",
    "HEDDLE_EXECUTOR_CORES",    "HEDDLE_EXECUTOR_ID",   "HEDDLE_EXECUTOR_PROFILE",
    "HEDDLE_FIRST_SHUFFLE",     "HEDDLE_LOG_DIRECTORY", "HEDDLE_RACKS",
    "HEDDLE_SETTINGS"};

/// The first variable that a launch may not set; empty: there is none.
std::string forbidden_variable(const ContainerLaunch& launch) {
  for (const auto& [name, value] : launch.environment)
    if (std::find(launch_variables.begin(), launch_variables.end(), name) == launch_variables.end()) return name;
  return {};
}

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
  ports::LaunchContext context;
  context.arguments = {start_.program, "heddle-role", message.launch.role};
  context.environment = {
      {"HEDDLE_CONTAINER_ID", to_string(message.container)},
      {"HEDDLE_CONTAINER_MEMORY_MIB", std::to_string(message.resource.memory_mib)},
      {"HEDDLE_NODE_ID", to_string(node_)},
      {"HEDDLE_NODE_EPOCH", to_string(epoch_)},
      {"HEDDLE_NODE_HOST", start_.host},
      {"HEDDLE_NODE_ADDRESS", start_.address},
      {"HEDDLE_RESOURCE_MANAGER_ADDRESS", start_.resource_manager_address},
      {"HEDDLE_TOKEN", message.token},
      {"HEDDLE_SHUFFLE_ADDRESS", start_.files->shuffle_address()},
      {"HEDDLE_APPLICATION_DIRECTORY", *directory},
      {"HEDDLE_APPLICATION_ID", to_string(message.attempt.application)},
      {"HEDDLE_CLUSTER_START", std::to_string(message.attempt.application.cluster_start)},
      {"HEDDLE_APPLICATION_NUMBER", std::to_string(message.attempt.application.number)},
      {"HEDDLE_APPLICATION_ATTEMPT", std::to_string(message.attempt.attempt)},
  };
  for (const auto& each : message.launch.environment) context.environment.push_back(each);
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
  if (const auto variable = forbidden_variable(message.launch); !variable.empty()) {
    note("start_refused", ports::EventFields{}.add("container", id).add("variable", variable));
    return refuse_start(id, fmt::format("node {} does not let a launch set the variable {}", start_.host, variable));
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
  for (const auto& [name, value] : message.launch.environment)
    if (name == "HEDDLE_EXECUTOR_ID") container.executor = value;
  containers_.add(container);
  note("container_started", ports::EventFields{}.add("container", id).add("role", message.launch.role));
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
