// The Driver's wishes and the reporter's beat (allocate_loop.hpp). What answers bring: yarn_allocator_containers.cpp.
#include "actors/yarn_allocator/yarn_allocator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "model/executor_numbers.hpp"
#include "runtime/spawn_role.hpp"

namespace heddle::actors {
namespace {

using namespace std::chrono_literals;

const ProfileId default_profile{0};

std::set<std::string> split_at_commas(const std::string& text) {
  std::set<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) names.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

policies::ContainerAllocatorSettings allocator_settings(const config::YarnAllocatorSettings& settings,
                                                        const YarnAllocatorStart& start) {
  policies::ContainerAllocatorSettings made;
  made.default_profile = {default_profile, start.executor, start.executor_cores, start.executor_extras};
  made.initial_executors = start.initial_executors;
  made.last_executor_id = std::max(start.attempt.attempt - 1, 0) * executors_per_attempt;
  made.health.exclude_on_launch_failure = settings.exclude_on_launch_failure;
  made.health.exclusion_timeout = start.exclusion_timeout;
  made.health.failures_per_node_max = start.failed_executors_per_node;
  made.health.excluded_nodes = split_at_commas(settings.excluded_nodes);
  if (settings.failures_validity < config::never) made.health.failure_validity = settings.failures_validity;
  made.tell_decommissioning = settings.decommission;
  made.always_push_exclusion = settings.fix_always_push_exclusion;
  made.count_starting = settings.fix_count_starting;
  made.rebalance = settings.fix_rebalance;
  made.exact_placement = settings.fix_exact_placement;
  return made;
}

AllocateLoopSettings loop_settings(const config::YarnAllocatorSettings& settings, const YarnAllocatorStart& start) {
  const Duration initial = std::min(settings.initial_interval, settings.heartbeat_interval);
  const Duration spacing = settings.fix_allocate_spacing ? std::max(start.spacing, initial) : start.spacing;
  return {settings.heartbeat_interval, initial, spacing};
}

}  // namespace

YarnAllocator::YarnAllocator(YarnAllocatorActor::pointer self, config::YarnAllocatorSettings settings,
                             runtime::ActorTools tools, YarnAllocatorStart start)
    : self_{self},
      settings_{std::move(settings)},
      tools_{std::move(tools)},
      start_{std::move(start)},
      allocator_{policies::container_input::Created{allocator_settings(settings_, start_), start_.racks}, tools_.events,
                 tools_.clock},
      cores_of_profile_{{default_profile, start_.executor_cores}},
      driver_{start_.driver},
      loop_{loop_settings(settings_, start_)} {}

YarnAllocatorActor::behavior_type YarnAllocator::make_behavior() {
  self_->set_down_handler([this](const caf::down_msg& message) { on_peer_down(message.source); });
  policies::ContainerEffects effects;
  allocator_.apply(tools_.clock->now(), policies::container_input::Started{}, effects);
  apply_effects(effects);
  connect_resource_manager();
  if (driver_) self_->monitor(driver_);
  else connect_driver();
  return {
      [this](const RequestExecutors& message) { on_request_executors(message); },
      [this](const KillExecutors& message) { on_kill_executors(message); },
      [this](const ExecutorRegistered& message) { on_executor_registered(message); },
      [this](const StopAllocator& message) { on_stop_allocator(message); },
      [this](const StartAllocating& message) { on_start_allocating(message); },
      [this](const AllocateResponse& message) { on_allocate_response(message); },
      [this](const AllocateSoon& message) { on_allocate_soon(message); },
      [this](const ContainerStarted& message) { on_container_started(message); },
      [this](const ContainerNotStarted& message) { on_container_not_started(message); },
      [this](const ReporterTick& message) { on_reporter_tick(message); },
  };
}

void YarnAllocator::note(std::string_view name, const ports::EventFields& fields) {
  if (tools_.events != nullptr) tools_.events->write(tools_.clock->now(), name, fields);
}

// -- the beginning ------------------------------------------------------------------

void YarnAllocator::connect_driver() {
  self_
      ->request(tools_.connector, 2 * connect_patience,
                ConnectPeer{start_.driver_address, to_milliseconds(connect_patience)})
      .then(
          [this](const caf::strong_actor_ptr& found) {
            driver_ = caf::actor_cast<DriverActor>(found);
            self_->monitor(driver_);
            begin_if_ready();
          },
          [this](const caf::error&) {
            end_application(false, "the Driver cannot be reached at " + start_.driver_address);
          });
}

void YarnAllocator::connect_resource_manager() {
  self_
      ->request(tools_.connector, 2 * connect_patience,
                ConnectPeer{start_.resource_manager_address, to_milliseconds(connect_patience)})
      .then(
          [this](const caf::strong_actor_ptr& found) {
            resource_manager_ = caf::actor_cast<ResourceManagerActor>(found);
            self_->monitor(resource_manager_);
            begin_if_ready();
          },
          [this](const caf::error&) {
            give_up("the ResourceManager cannot be reached at " + start_.resource_manager_address);
          });
}

void YarnAllocator::on_start_allocating(const StartAllocating& message) {
  if (registered_) return note("stale_start_allocating");
  master_ = caf::actor_cast<ApplicationMasterActor>(self_->current_sender());
  self_->monitor(master_);
  registered_ = message;
  if (end_) {
    self_->send(master_, *end_);
    self_->quit();
    return;
  }
  begin_if_ready();
}

policies::ContainerLimit YarnAllocator::limit() const {
  if (!registered_) return {};
  return {registered_->maximum, registered_->maximum_extras};
}

void YarnAllocator::begin_if_ready() {
  const bool is_waiting = loop_.phase() == AllocateLoop::Phase::waiting;
  if (!registered_ || !is_waiting || !driver_ || !resource_manager_) return;
  if (const auto refusal = policies::why_too_large("an executor", start_.executor, start_.executor_extras, limit());
      !refusal.empty())
    return give_up(refusal);
  loop_.begin();
  self_->send(driver_, RegisterYarnAllocator{start_.attempt});
  ask();
}

// -- from the Driver -----------------------------------------------------------------

void YarnAllocator::on_request_executors(const RequestExecutors& message) {
  if (loop_.is_over()) return;
  policies::ExecutorTotals wish;
  for (const ExecutorsOfProfile& wanted : message.profiles) {
    if (!learn_profile(wanted)) return;
    wish.totals[wanted.profile] = wanted.target_total;
    wish.locality_tasks[wanted.profile] = wanted.locality_tasks;
    for (const auto& [host, tasks] : wanted.hosts) wish.tasks_of_host[wanted.profile][host] = tasks;
  }
  wish.excluded_hosts.insert(message.excluded_hosts.begin(), message.excluded_hosts.end());
  note("executors_requested", ports::EventFields{}.add("total", message.target_total()));
  policies::ContainerEffects effects;
  const bool is_changed =
      allocator_.apply(tools_.clock->now(), policies::container_input::TotalsRequested{wish}, effects);
  apply_effects(effects);
  if (!is_changed) return;
  loop_.shorten_sleep();
  ask_soon();
}

bool YarnAllocator::learn_profile(const ExecutorsOfProfile& wish) {
  if (cores_of_profile_.contains(wish.profile)) return true;
  auto memory = start_.memory_rules;
  memory.heap = wish.memory_mib;
  const Resource container{policies::container_memory(memory), wish.cores};
  if (const auto refusal =
          policies::why_too_large("an executor of a stage's own size", container, start_.device_extras, limit());
      !refusal.empty()) {
    give_up(refusal);
    return false;
  }
  cores_of_profile_.emplace(wish.profile, wish.cores);
  allocator_.apply(policies::container_input::ProfileDescribed{
      {wish.profile, container, wish.tasks_per_executor, start_.device_extras}});
  return true;
}

void YarnAllocator::on_kill_executors(const KillExecutors& message) {
  policies::ContainerEffects effects;
  for (const ExecutorId executor : message.executors) {
    Grant* grant = grants_.find_executor(executor);
    if (grant == nullptr) {
      note("stale_kill_executor", ports::EventFields{}.add("executor", executor));
      continue;
    }
    grant->killed = message.reason;
    mark_started(*grant);  // the Driver knows it
    allocator_.apply(policies::container_input::ExecutorKilled{executor}, effects);
  }
  apply_effects(effects);
  ask_soon();
}

void YarnAllocator::on_executor_registered(const ExecutorRegistered& message) {
  Grant* grant = grants_.find_executor(message.executor);
  if (grant == nullptr || grant->has_failed_to_start) return;
  grants_.stop_awaiting(grant->container.container);
  mark_started(*grant);  // its node's answer may come later
}

void YarnAllocator::on_stop_allocator(const StopAllocator& message) {
  end_application(message.succeeded, message.text);
}

// -- the reporter's beat ----------------------------------------------------------------

void YarnAllocator::on_allocate_soon(const AllocateSoon&) { ask_soon(); }

void YarnAllocator::ask_soon() {
  const auto wait = loop_.request_soon(tools_.clock->now());
  if (!wait) return;
  if (*wait > Duration{0}) beat_.arm<ReporterTick>(self_, *wait);
  else ask();
}

void YarnAllocator::ask() {
  policies::ContainerEffects effects;
  policies::AllocateCall call;
  if (allocator_->has_call()) call = allocator_.apply(policies::container_input::CallDue{}, effects);
  AllocateRequest request;
  request.attempt = start_.attempt;
  request.response_id = loop_.response_id();
  for (const policies::ProfileAsk& ask : call.asks)
    request.asks.push_back(
        {static_cast<std::int32_t>(ask.profile.value), ask.name, ask.resource, ask.count, true, ask.extras});
  request.release = call.releases;
  request.release.insert(request.release.end(), stops_.begin(), stops_.end());
  stops_.clear();
  request.exclusion_add = call.exclude;
  request.exclusion_remove = call.include;
  loop_.on_sent(tools_.clock->now());
  self_->send(resource_manager_, std::move(request));
  beat_.arm<ReporterTick>(self_, settings_.heartbeat_interval);
  apply_effects(effects);
}

void YarnAllocator::arm_beat() { beat_.arm<ReporterTick>(self_, loop_.sleep(allocator_->pending() > 0)); }

void YarnAllocator::on_reporter_tick(const ReporterTick& message) {
  if (!beat_.accept(message.generation) || loop_.is_over()) return;
  if (tools_.checks_invariants) grants_.check_invariants();
  stop_slow_starts();
  if (loop_.phase() == AllocateLoop::Phase::sleeping) return ask();
  // Asking again would find the first call's answer, not the new asks; the connection loses nothing while it stands.
  const std::int32_t times = loop_.on_unanswered();
  note("allocate_unanswered", ports::EventFields{}.add("times", times));
  if (times >= settings_.reporter_failures_max)
    return give_up(fmt::format("the ResourceManager has not answered for {} ms",
                               to_milliseconds(settings_.heartbeat_interval) * times));
  beat_.arm<ReporterTick>(self_, settings_.heartbeat_interval);
}

// -- the end ------------------------------------------------------------------------------

std::int64_t YarnAllocator::failures_max() const {
  if (settings_.executor_failures_max > 0) return settings_.executor_failures_max;
  return std::max<std::int64_t>(3, 2 * std::int64_t{start_.executors_max});
}

bool YarnAllocator::end_if_hopeless(Instant now) {
  const std::int32_t failures = allocator_->failed_executors(now);
  if (failures >= failures_max()) {
    give_up(fmt::format("{} executors failed, {} are allowed; the last: {}", failures, failures_max() - 1,
                        last_end_text_.empty() ? "no reason given" : last_end_text_));
    return true;
  }
  if (!allocator_->all_nodes_excluded()) return false;
  give_up("every node of the cluster is excluded");
  return true;
}

void YarnAllocator::give_up(const std::string& text) {
  if (loop_.is_over()) return;
  if (driver_) self_->send(driver_, AllocationFailed{text});
  end_application(false, text);
}

void YarnAllocator::end_application(bool succeeded, const std::string& text) {
  if (loop_.is_over()) return;
  loop_.end();
  beat_.cancel();
  allocator_.apply(policies::container_input::ShutDown{});
  note("allocator_ends", ports::EventFields{}.add("succeeded", succeeded));
  if (!master_) {
    end_ = EndApplication{succeeded, text};
    return;
  }
  self_->send(master_, EndApplication{succeeded, text});
  self_->quit();
}

void YarnAllocator::on_peer_down(const caf::actor_addr& peer) {
  if (master_ && master_.address() == peer) {
    // Another attempt may follow, and a Driver that lives on waits for it.
    end_application(false, "the ApplicationMaster has left");
  } else if (resource_manager_ && resource_manager_.address() == peer) {
    give_up("the connection to the ResourceManager broke");
  } else if (driver_ && driver_.address() == peer) {
    driver_ = nullptr;
    if (start_.driver_ends_application) end_application(true, "the Driver has left");
    else end_application(false, "the Driver has failed");
  } else {
    if (const auto address = grants_.drop_handle(peer)) stop_over_resource_manager(*address);
  }
}

YarnAllocatorActor spawn_yarn_allocator(caf::actor_system& system, const config::YarnAllocatorSettings& settings,
                                        const runtime::ActorTools& tools, const YarnAllocatorStart& start) {
  return runtime::spawn_role<YarnAllocator>(system, settings, tools, start);
}

}  // namespace heddle::actors
