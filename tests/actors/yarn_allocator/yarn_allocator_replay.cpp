#include "tests/actors/yarn_allocator/yarn_allocator_replay.hpp"

namespace heddle::tests {
namespace {

using runtime::EffectDigest;

std::vector<ContainerGrant> grants(const EventLine& line) {
  std::vector<ContainerGrant> found;
  if (!line.contains("granted")) return found;
  const auto hosts = texts(line, "granted_hosts");
  const auto profiles = column(line, "granted_profiles");
  const auto memory = column(line, "granted_mib");
  const auto cores = column(line, "granted_cores");
  for (std::size_t i = 0; const auto container : ids<ContainerId>(line, "granted")) {
    found.push_back({container, hosts.at(i), ProfileId{profiles.at(i)}, {memory.at(i), cores.at(i)}});
    ++i;
  }
  return found;
}

std::vector<ContainerExit> exits(const EventLine& line) {
  std::vector<ContainerExit> found;
  const auto statuses = column(line, "exit_statuses");
  for (std::size_t i = 0; const auto container : ids<ContainerId>(line, "ended"))
    found.push_back({container, static_cast<std::int32_t>(statuses.at(i++))});
  return found;
}

std::map<ProfileId, std::int32_t> numbers(const EventLine& line, std::string_view profiles, std::string_view values) {
  std::map<ProfileId, std::int32_t> found;
  const auto each = column(line, values);
  for (std::size_t i = 0; const auto profile : ids<ProfileId>(line, profiles))
    found[profile] = static_cast<std::int32_t>(each.at(i++));
  return found;
}

policies::ExecutorTotals wish(const EventLine& line) {
  policies::ExecutorTotals found;
  found.totals = numbers(line, "profiles", "totals");
  found.locality_tasks = numbers(line, "locality_profiles", "locality_tasks");
  for (const auto& row : line.at("tasks_of_host").as_array()) {
    const auto& object = row.as_object();
    auto& tasks_of_host = found.tasks_of_host[ProfileId{number(object, "profile")}];
    const auto tasks = column(object, "tasks");
    for (std::size_t i = 0; const auto& host : texts(object, "hosts"))
      tasks_of_host[host] = static_cast<std::int32_t>(tasks.at(i++));
  }
  for (auto& host : texts(line, "excluded_hosts")) found.excluded_hosts.insert(std::move(host));
  return found;
}

ExecutorId allocated_executor(const EventLine& line) { return ExecutorId{number(line, "executor")}; }
ContainerId container(const EventLine& line) { return ContainerId{number(line, "container")}; }

}  // namespace

YarnAllocatorReplay::YarnAllocatorReplay() {
  const auto add_call = [this](const char* name, auto call) {
    add(name, [this, call](const EventLine& line) {
      policies::ContainerEffects effects;
      EffectDigest digest;
      const auto answer = call(*allocator, time_of(line), line, effects);
      actors::digest_effects(digest, effects, 0);
      if (answer != 0) digest.add(answer);
      return digest;
    });
  };
  add("container_allocator_settings", [this](const EventLine& line) {
    RackTable racks;
    const auto names = texts(line, "racks");
    for (std::size_t i = 0; const auto& host : texts(line, "rack_hosts")) racks.set(host, names.at(i++));
    allocator.emplace(value_of<policies::ContainerAllocatorSettings>(line), racks);
    return EffectDigest{};
  });
  add_call("container_allocator_start", [](auto& decider, Instant now, const EventLine&, auto& effects) {
    decider.on_start(now, effects);
    return 0;
  });
  add_call("container_allocator_profile", [](auto& decider, Instant, const EventLine& line, auto&) {
    decider.on_profile({ProfileId{number(line, "profile")},
                        {number(line, "memory_mib"), number(line, "cores")},
                        small_number(line, "tasks_per_executor"),
                        extras(line, "extras")});
    return 0;
  });
  add_call("container_allocator_total", [](auto& decider, Instant now, const EventLine& line, auto& effects) {
    return decider.on_request_total(now, wish(line), effects) ? 2 : 1;
  });
  add_call("container_allocator_kill", [](auto& decider, Instant, const EventLine& line, auto& effects) {
    decider.on_kill_executor(allocated_executor(line), effects);
    return 0;
  });
  add_call("container_allocator_loss_question", [](auto& decider, Instant, const EventLine& line, auto& effects) {
    decider.on_loss_question(allocated_executor(line), effects);
    return 0;
  });
  add_call("container_allocator_shutdown", [](auto& decider, Instant, const EventLine&, auto&) {
    decider.on_shutdown();
    return 0;
  });
  add_answers();
  add_call("container_allocator_launch_next", [](auto& decider, Instant, const EventLine&, auto& effects) {
    return decider.launch_next(effects) ? 0 : 1;
  });
  add_call("container_allocator_started", [](auto& decider, Instant, const EventLine& line, auto&) {
    decider.on_executor_started(container(line));
    return 0;
  });
  add_call("container_allocator_start_failed", [](auto& decider, Instant, const EventLine& line, auto& effects) {
    decider.on_executor_start_failed(container(line), effects);
    return 0;
  });
}

void YarnAllocatorReplay::add_answers() {
  add("container_allocator_call", [this](const EventLine&) {
    policies::ContainerEffects effects;
    EffectDigest digest;
    const auto call = allocator->next_call(effects);
    actors::digest_effects(digest, effects, 0);
    actors::digest_call(digest, call);
    return digest;
  });
  const auto add_call = [this](const char* name, auto call) {
    add(name, [this, call](const EventLine& line) {
      policies::ContainerEffects effects;
      EffectDigest digest;
      call(*allocator, time_of(line), line, effects);
      actors::digest_effects(digest, effects, 0);
      return digest;
    });
  };
  add_call("container_allocator_answer", [](auto& decider, Instant now, const EventLine& line, auto& effects) {
    decider.on_answer(now,
                      {small_number(line, "response_id"), grants(line), exits(line),
                       small_number(line, "cluster_nodes"), texts(line, "decommissioning_hosts")},
                      effects);
  });
  add_call("container_allocator_call_failed",
           [](auto& decider, Instant, const EventLine&, auto&) { decider.on_call_failed(); });
  add_call("container_allocator_not_registered",
           [](auto& decider, Instant, const EventLine&, auto&) { decider.on_not_registered(); });
  add_call("container_allocator_allocated", [](auto& decider, Instant, const EventLine& line, auto& effects) {
    decider.on_allocated(grants(line), effects);
  });
  add_call("container_allocator_completed", [](auto& decider, Instant now, const EventLine& line, auto& effects) {
    decider.on_completed(now, exits(line), effects);
  });
}

}  // namespace heddle::tests
