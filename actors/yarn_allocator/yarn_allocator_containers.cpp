// What answers bring: grants become executors, ends become one RemoveExecutor each.
#include <fmt/format.h>

#include "actors/yarn_allocator/yarn_allocator.hpp"
#include "model/container.hpp"

namespace heddle::actors {
namespace {

using namespace std::chrono_literals;

/// Reported for a container whose executor did not register: a failure of the executor as any other.
constexpr std::int32_t start_expired_status = 1;

}  // namespace

void YarnAllocator::on_allocate_response(const AllocateResponse& message) {
  if (loop_.phase() != AllocateLoop::Phase::asking)
    return note("stale_allocate_response", ports::EventFields{}.add("response_id", message.response_id));
  // The next attempt goes on, or the client is told the application's end: neither is a failure that the Driver should
  // hear from here.
  if (message.resync) return end_application(false, "the ResourceManager does not know this attempt any more");
  if (!loop_.on_answer(message.response_id))
    return note("stale_allocate_response", ports::EventFields{}.add("response_id", message.response_id));
  const Instant now = tools_.clock->now();
  if (has_news(message)) {
    policies::ContainerEffects effects;
    allocator_.apply(now,
                     policies::container_input::CallAnswered{
                         {message.response_id, {}, {}, message.cluster_nodes, message.decommissioning_hosts}},
                     effects);
    apply_effects(effects);
    handle_grants(message);
    handle_ends(now, message);
    if (end_if_hopeless(now)) return;
  }
  arm_beat();
  if (loop_.requests_again()) ask_soon();
}

bool YarnAllocator::has_news(const AllocateResponse& message) {
  const bool is_same_cluster = cluster_ && message.cluster_nodes == cluster_->nodes &&
                               message.decommissioning_hosts == cluster_->decommissioning_hosts;
  cluster_ = {message.cluster_nodes, message.decommissioning_hosts};
  return !is_same_cluster || !message.allocated.empty() || !message.completed.empty() || !message.lost_nodes.empty();
}

void YarnAllocator::handle_grants(const AllocateResponse& message) {
  std::vector<ContainerGrant> batch;
  for (const GrantedContainer& granted : message.allocated) {
    grants_.add(granted);
    batch.push_back({granted.container, granted.host, ProfileId{granted.priority}, granted.resource});
  }
  policies::ContainerEffects effects;
  allocator_.apply(policies::container_input::ContainersGranted{batch}, effects);
  apply_effects(effects);
  // One by one: an executor that was started counts when the next container is decided.
  for (;;) {
    policies::ContainerEffects next;
    if (!allocator_.apply(policies::container_input::LaunchDue{}, next)) break;
    apply_effects(next);
  }
}

void YarnAllocator::handle_ends(Instant now, const AllocateResponse& message) {
  for (const LostNode& lost : message.lost_nodes) lost_nodes_.insert(lost.node);
  std::vector<ContainerExit> batch;
  for (const ContainerEnd& end : message.completed) {
    std::int32_t status = end.exit_status;
    if (Grant* grant = grants_.find(end.container)) {
      mark_started(*grant);  // what has ended was started, whether or not its node's answer has come
      if (grant->exit_status) status = *grant->exit_status;
      if (!grant->has_failed_to_start || end.text.starts_with(grant->end_text)) grant->end_text = end.text;
      else if (!end.text.empty()) grant->end_text += " (" + end.text + ")";
      if (grant->has_failed_to_start) last_end_text_ = grant->end_text;
    }
    batch.push_back({end.container, status});
  }
  policies::ContainerEffects effects;
  allocator_.apply(now, policies::container_input::ContainersEnded{batch}, effects);
  apply_effects(effects);
  for (const ContainerEnd& end : message.completed) {
    const Grant* grant = grants_.find(end.container);
    if (grant != nullptr && grant->killed && !grant->executor.is_none())
      tell_removed(grant->executor, end.exit_status, false, *grant);
    grants_.remove(end.container);
  }
  if (!message.completed.empty())
    loop_.request_again();  // what is missing now is asked for at once, not at the next beat
  for (const LostNode& lost : message.lost_nodes)
    if (driver_) self_->send(driver_, RemoveNode{lost.node, lost.host});
}

void YarnAllocator::apply_effects(const policies::ContainerEffects& effects) {
  for (const policies::ContainerEffect& effect : effects) {
    if (const auto* start = std::get_if<policies::LaunchExecutor>(&effect)) {
      launch(*start);
    } else if (std::holds_alternative<policies::ReleaseContainer>(effect)) {
      loop_.request_again();  // it rides on the next call, and its room is wanted by others
    } else if (const auto* removed = std::get_if<policies::TellExecutorRemoved>(&effect)) {
      if (const Grant* grant = grants_.find_executor(removed->executor))
        tell_removed(removed->executor, removed->exit.status, removed->exit.caused_by_application, *grant);
    } else if (const auto* leaving = std::get_if<policies::TellHostDecommissioning>(&effect)) {
      if (driver_) self_->send(driver_, DecommissionHost{leaving->host});
    }
  }
}

void YarnAllocator::tell_removed(ExecutorId executor, std::int32_t status, bool is_blamed, const Grant& grant) {
  RemoveExecutor message{executor, LossKind::exited, status, is_blamed, grant.end_text};
  if (grant.killed) {
    message.kind = LossKind::killed;
    message.text = *grant.killed;
  } else if (lost_nodes_.contains(grant.container.node)) {
    message.kind = LossKind::node_lost;
  } else if (grant.has_failed_to_start) {
    message.kind = LossKind::start_failed;
  } else if (status == container_exit_status::killed_by_application_master ||
             status == container_exit_status::killed_by_resource_manager ||
             status == container_exit_status::preempted) {
    message.kind = LossKind::killed;
  } else if (status == container_exit_status::aborted) {
    message.kind = LossKind::unknown;
  }
  note("executor_removed", ports::EventFields{}.add("executor", executor).add("exit_status", status));
  if (is_blamed) last_end_text_ = message.text;
  if (driver_) self_->send(driver_, message);
}

// -- starting executors --------------------------------------------------------------

void YarnAllocator::launch(const policies::LaunchExecutor& launch) {
  const GrantedContainer granted = grants_.find(launch.container)->container;
  NodeConnection& connection = grants_.connection(granted.node_address);
  if (connection.handle) return start_container(launch, granted, connection.handle);
  connection.waiting.push_back(launch);
  if (connection.waiting.size() == 1) connect_node(granted.node_address);
}

void YarnAllocator::connect_node(const std::string& address) {
  self_->request(tools_.connector, 2 * connect_patience, ConnectPeer{address, to_milliseconds(connect_patience)})
      .then(
          [this, address](const caf::strong_actor_ptr& found) {
            const std::vector<policies::LaunchExecutor> waiting = grants_.drop_connection(address);
            const auto node = caf::actor_cast<NodeManagerActor>(found);
            self_->monitor(node);
            grants_.connection(address).handle = node;
            for (const policies::LaunchExecutor& launch : waiting) {
              // A container that ended meanwhile is not started any more; the allocator knows.
              if (const Grant* grant = grants_.find(launch.container))
                start_container(launch, GrantedContainer{grant->container}, node);
              else allocator_.apply(policies::container_input::ExecutorStarted{launch.container});
            }
          },
          [this, address](const caf::error&) {
            for (const policies::LaunchExecutor& launch : grants_.drop_connection(address)) {
              // A container that ended meanwhile is not started any more; the allocator knows.
              Grant* grant = grants_.find(launch.container);
              if (grant == nullptr) {
                allocator_.apply(policies::container_input::ExecutorStarted{launch.container});
                continue;
              }
              grant->end_text = "the NodeManager at " + address + " cannot be reached";
              start_failed(*grant);
            }
            ask_soon();
          });
}

void YarnAllocator::start_container(const policies::LaunchExecutor& launch, const GrantedContainer& granted,
                                    const NodeManagerActor& node) {
  grants_.set_executor(launch.container, launch.executor);
  ContainerLaunch how{start_.settings, start_.log_directory,
                      ExecutorLaunch{launch.executor, cores_of_profile_.at(launch.profile), launch.profile,
                                     start_.driver_address, start_.first_shuffle}};
  grants_.await_start(launch.container, tools_.clock->now() + settings_.executor_start_timeout);
  self_->send(node,
              StartContainer{launch.container, start_.attempt, granted.resource, registered_->token, std::move(how)});
  grants_.find(launch.container)->is_start_answered = false;
  note("executor_starting", ports::EventFields{}.add("executor", launch.executor).add("container", launch.container));
}

void YarnAllocator::on_container_started(const ContainerStarted& message) {
  Grant* grant = grants_.find(message.container);
  if (grant == nullptr || grant->is_start_answered)
    return note("stale_container_started", ports::EventFields{}.add("container", message.container));
  mark_started(*grant);
}

void YarnAllocator::on_container_not_started(const ContainerNotStarted& message) {
  Grant* grant = grants_.find(message.container);
  if (grant == nullptr || grant->is_start_answered)
    return note("stale_container_not_started", ports::EventFields{}.add("container", message.container));
  grant->end_text = message.text;
  start_failed(*grant);
  ask_soon();
}

void YarnAllocator::mark_started(Grant& grant) {
  if (std::exchange(grant.is_start_answered, true)) return;
  allocator_.apply(policies::container_input::ExecutorStarted{grant.container.container});
}

void YarnAllocator::stop_slow_starts() {
  const Instant now = tools_.clock->now();
  while (const auto due = grants_.take_slow_start(now)) {
    const ContainerId container = *due;
    Grant& grant = *grants_.find(container);
    note("executor_start_expired", ports::EventFields{}.add("executor", grant.executor).add("container", container));
    mark_started(grant);  // its process may run: only its end tells
    grant.has_failed_to_start = true;
    grant.exit_status = start_expired_status;
    grant.end_text =
        fmt::format("its executor did not register within {} ms", to_milliseconds(settings_.executor_start_timeout));
    if (const NodeManagerActor node = grants_.handle(grant.container.node_address))
      self_->send(node, StopContainer{container, start_expired_status, grant.end_text});
    else stops_.push_back(container);
  }
}

void YarnAllocator::stop_over_resource_manager(const std::string& address) {
  for (const auto& [container, grant] : grants_.rows())
    if (grant.container.node_address == address && grant.exit_status) stops_.push_back(container);
  if (!stops_.empty()) ask_soon();
}

void YarnAllocator::start_failed(Grant& grant) {
  const ContainerId container = grant.container.container;
  grants_.stop_awaiting(container);
  grant.is_start_answered = true;
  grant.has_failed_to_start = true;
  note("executor_start_failed", ports::EventFields{}.add("container", container).add("reason", grant.end_text));
  policies::ContainerEffects effects;
  allocator_.apply(policies::container_input::ExecutorStartFailed{container}, effects);
  apply_effects(effects);
}

}  // namespace heddle::actors
