#include "actors/node_manager/process_flow.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "actors/node_manager/registration_flow.hpp"
#include "model/container_end.hpp"

namespace heddle::actors {
namespace {

/// Exit code of a shell whose command could not be started.
constexpr std::int32_t start_failed_status = 127;

void report_end(HostTurn& turn, ContainerId container, ContainerEnd end) {
  turn.write_event("container_exited",
                   ports::EventFields{}.add("container", container).add("exit_status", end.exit_status));
  turn.effects.push_back(
      SendToResourceManager{ContainerExited{turn.state.node, turn.state.epoch, {container, std::move(end)}}});
}

void refuse_start(HostTurn& turn, ContainerId container, const std::string& text) {
  turn.effects.push_back(AnswerStart{ContainerNotStarted{container, text}});
  report_end(turn, container, {start_failed_status, text});
}

Result<ports::LaunchContext> launch_context(const HostState& state, const StartContainer& message,
                                            const std::string& log_directory) {
  const auto& start = state.start;
  const Result<std::string> directory = start.files->admit(message.attempt.application, message.token);
  if (!directory) return directory.error();
  LaunchSpec spec;
  spec.settings = message.launch.settings;
  spec.log_directory = message.launch.log_directory;
  spec.cluster = start.transport_key.name;
  spec.cluster_secret = start.transport_key.secret;
  spec.container = {message.container,
                    message.attempt,
                    state.node,
                    state.epoch,
                    start.host,
                    start.slowness_percent,
                    start.resource_manager_address,
                    start.files->shuffle_address(),
                    *directory,
                    message.token};
  std::visit([&spec](const auto& role) { spec.role = role; }, message.launch.role);
  ports::LaunchContext context;
  context.arguments = {start.program};
  context.spec = std::move(spec);
  context.environment = {{"HEDDLE_NODE_HOST", start.host}};  // commands of tasks inherit it
  context.standard_output = log_directory + "/stdout";
  context.standard_error = log_directory + "/stderr";
  context.log_bytes_max = start.log_bytes_max;
  return context;
}

void forget_if_empty(HostTurn& turn, const ApplicationId& application) {
  const auto& containers = turn.state.containers;
  if (containers.is_refused(application) && !containers.holds_any_of(application))
    turn.state.start.files->forget(application);
}

}  // namespace

// -- start -------------------------------------------------------------------------------------------

void start_container(HostTurn& turn, const StartContainer& message) {
  auto& state = turn.state;
  const ContainerId id = message.container;
  if (state.node.is_none() || state.containers.find(id) != nullptr || state.containers.is_refused(id) ||
      state.containers.is_refused(message.attempt.application)) {
    turn.write_event("stale_start_container", ports::EventFields{}.add("container", id));
    if (state.containers.find(id) != nullptr) turn.effects.push_back(AnswerStart{ContainerStarted{id}});
    else
      turn.effects.push_back(AnswerStart{ContainerNotStarted{
          id, "node " + state.start.host + " refuses it: the container or its application was stopped"}});
    return;
  }
  if (const auto sound = check_launch(message.launch); !sound) {
    turn.write_event("start_refused", ports::EventFields{}.add("container", id).add("reason", sound.error().text));
    return refuse_start(turn, id, fmt::format("node {} does not start it: {}", state.start.host, sound.error().text));
  }
  const Result<std::string> logs = state.start.files->log_directory(message.attempt.application, id);
  if (!logs) return refuse_start(turn, id, "its log folder cannot be created: " + logs.error().text);
  const Result<ports::LaunchContext> context = launch_context(state, message, *logs);
  if (!context) return refuse_start(turn, id, "it could not be prepared: " + context.error().text);
  turn.effects.push_back(LaunchProcess{message, *logs, *context});
}

void handle_launched(HostTurn& turn, const LaunchProcess& launch, const Result<std::int64_t>& process) {
  const auto& request = launch.request;
  const ContainerId id = request.container;
  if (!process) return refuse_start(turn, id, "it could not be started: " + process.error().text);
  Container container;
  container.id = id;
  container.attempt = request.attempt;
  container.resource = request.resource;
  container.process = *process;
  container.end.log_directory = launch.log_directory;
  if (const auto* executor = std::get_if<ExecutorLaunch>(&request.launch.role))
    container.executor = to_string(executor->executor);
  turn.state.containers.add(container);
  turn.write_event("container_started",
                   ports::EventFields{}.add("container", id).add("role", std::string{role_name(*launch.context.spec)}));
  turn.effects.push_back(AnswerStart{ContainerStarted{id}});
  send_heartbeat(turn);  // so that the ResourceManager learns at once that the container runs
}

// -- stop, end ---------------------------------------------------------------------------------------

void stop_container(HostTurn& turn, const StopContainer& message) {
  Container* container = turn.state.containers.find(message.container);
  if (container == nullptr) turn.state.containers.refuse(message.container);
  else stop_container(turn, *container, message.exit_status, message.reason);
}

void stop_container(HostTurn& turn, Container& container, std::int32_t exit_status, const std::string& reason) {
  if (container.is_stopping) return;
  container.is_stopping = true;
  container.end.exit_status = exit_status;
  container.end.diagnostics = reason;
  turn.write_event("container_stopping",
                   ports::EventFields{}.add("container", container.id).add("exit_status", exit_status));
  turn.effects.push_back(StopProcess{container.process});
}

void stop_all_containers(HostTurn& turn, const std::string& reason) {
  for (auto& [id, container] : turn.state.containers.rows())
    stop_container(turn, container, container_exit_status::aborted, reason);
}

void handle_process_ended(HostTurn& turn, const ProcessEnded& message) {
  auto& containers = turn.state.containers;
  const Container* found = containers.find_process(message.process);
  if (found == nullptr)
    return turn.write_event("stale_process_ended", ports::EventFields{}.add("process", message.process));
  Container container = *found;
  containers.remove(container.id);
  containers.refuse(container.id);
  container.end.process = message.end;
  if (container.end.exit_status == 0) container.end.exit_status = message.end.exit_code;
  report_end(turn, container.id, std::move(container.end));
  if (!container.executor.empty())
    turn.state.start.files->forget_executor(container.attempt.application, container.executor);
  forget_if_empty(turn, container.attempt.application);
}

void forget_application(HostTurn& turn, const ForgetApplication& message) {
  turn.state.containers.refuse(message.application);
  for (auto& [id, container] : turn.state.containers.rows())
    if (container.attempt.application == message.application)
      stop_container(turn, container, container_exit_status::killed_after_application, "its application has ended");
  forget_if_empty(turn, message.application);
}

}  // namespace heddle::actors
