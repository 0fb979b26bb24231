#include "tests/actors/resource_manager/resource_manager_replay.hpp"

namespace heddle::tests {
namespace {

using runtime::EffectDigest;

NodeId node(const EventLine& line) { return NodeId{number(line, "node")}; }
Resource capacity(const EventLine& line) { return {number(line, "memory_mib"), number(line, "cores")}; }
ApplicationId application(const EventLine& line) {
  return {number(line, "cluster_start"), number(line, "application")};
}
AttemptId attempt(const EventLine& line) { return {application(line), small_number(line, "attempt")}; }

policies::AskBatch batch(const EventLine& line) {
  policies::AskBatch found;
  if (line.contains("names")) {
    const auto priorities = column(line, "priorities");
    const auto counts = column(line, "counts");
    const auto memory = column(line, "mib");
    const auto cores = column(line, "cores");
    const auto relaxed = column(line, "relaxed");
    for (std::size_t i = 0; auto& name : texts(line, "names")) {
      found.asks.push_back({static_cast<std::int32_t>(priorities.at(i)),
                            std::move(name),
                            static_cast<std::int32_t>(counts.at(i)),
                            {memory.at(i), cores.at(i)},
                            relaxed.at(i) != 0});
      ++i;
    }
    const auto kinds = extras(line, "extras");
    for (std::size_t i = 0; const auto ask : column(line, "extra_asks"))
      found.asks.at(static_cast<std::size_t>(ask)).extras.push_back(kinds.at(i++));
  }
  found.release = ids<ContainerId>(line, "released");
  if (line.contains("excluded")) found.exclude = texts(line, "excluded");
  if (line.contains("included")) found.include = texts(line, "included");
  return found;
}

}  // namespace

template <class Call>
void ResourceManagerReplay::add_call(const char* name, Call call) {
  add(name, [call](const EventLine& line) {
    policies::ResourceEffects effects;
    call(time_of(line), line, effects);
    EffectDigest digest;
    actors::digest_effects(digest, effects, 0);
    return digest;
  });
}

ResourceManagerReplay::ResourceManagerReplay(policies::ResourceScheduler fresh, ReadQueues read_queues)
    : scheduler{std::move(fresh)} {
  add_nodes(read_queues);
  add_applications();
  add_containers();
}

void ResourceManagerReplay::add_nodes(const ReadQueues& read_queues) {
  add_call("resource_scheduler_node_added", [this](Instant now, const EventLine& line,
                                                   policies::ResourceEffects& effects) {
    scheduler.on_node_added(
        now, {node(line), text(line, "host"), text(line, "rack"), capacity(line), 0, extras(line, "extras")}, effects);
  });
  add_call("resource_scheduler_node_updated",
           [this](Instant now, const EventLine& line, policies::ResourceEffects& effects) {
             scheduler.on_node_updated(now, node(line), capacity(line), effects);
           });
  add_call("resource_scheduler_node_removed",
           [this](Instant now, const EventLine& line, policies::ResourceEffects& effects) {
             scheduler.on_node_removed(now, node(line), effects);
           });
  add_call("resource_scheduler_offer", [this](Instant now, const EventLine& line, policies::ResourceEffects& effects) {
    const auto cause = static_cast<policies::OfferCause>(number(line, "cause"));
    for (std::int64_t i = 0; i < number(line, "count"); ++i)
      scheduler.node_heartbeat(now, NodeId{number(line, "first") + i}, effects, cause);
  });
  add("resource_scheduler_queues", [this, read_queues](const EventLine& line) {
    policies::ResourceEffects effects;
    const auto taken =
        scheduler.on_queues_changed(time_of(line), read_queues(text(line, "file"), text(line, "content")), effects)
            .has_value();
    EffectDigest digest;
    actors::digest_effects(digest, effects, 0);
    digest.add(taken ? 2 : 1);
    return digest;
  });
}

void ResourceManagerReplay::add_applications() {
  add("resource_scheduler_application_added", [this](const EventLine& line) {
    policies::ApplicationSubmission submission{
        application(line), text(line, "queue"), text(line, "user"), small_number(line, "priority"), {}};
    if (line.contains("master_mib"))
      submission.master = Resource{number(line, "master_mib"), number(line, "master_cores")};
    submission.master_extras = extras(line, "master_extras");
    EffectDigest digest;
    actors::digest_answer(digest, scheduler.on_application_added(time_of(line), submission));
    return digest;
  });
  add_call("resource_scheduler_attempt_added",
           [this](Instant now, const EventLine& line, policies::ResourceEffects& effects) {
             scheduler.on_attempt_added(now, attempt(line), effects);
           });
  add_call("resource_scheduler_attempt_removed",
           [this](Instant now, const EventLine& line, policies::ResourceEffects& effects) {
             scheduler.on_attempt_removed(now, attempt(line), effects);
           });
  add_call("resource_scheduler_application_removed",
           [this](Instant now, const EventLine& line, policies::ResourceEffects& effects) {
             scheduler.on_application_removed(now, application(line), effects);
           });
  add("resource_scheduler_asks", [this](const EventLine& line) {
    policies::ResourceEffects effects;
    const auto answer = scheduler.on_asks(time_of(line), attempt(line), batch(line), effects);
    EffectDigest digest;
    actors::digest_effects(digest, effects, 0);
    actors::digest_answer(digest, answer);
    return digest;
  });
}

void ResourceManagerReplay::add_containers() {
  add_call("resource_scheduler_launched", [this](Instant now, const EventLine& line, auto&) {
    for (std::int64_t i = 0; i < number(line, "count"); ++i)
      scheduler.on_container_launched(now, ContainerId{number(line, "first") + i});
  });
  add_call("resource_scheduler_completed",
           [this](Instant now, const EventLine& line, policies::ResourceEffects& effects) {
             const auto containers = ids<ContainerId>(line, "containers");
             const auto statuses = column(line, "exit_statuses");
             std::vector<policies::ContainerCompleted> ends;
             for (std::size_t i = 0; i < containers.size(); ++i)
               ends.push_back({containers[i], static_cast<std::int32_t>(statuses.at(i))});
             scheduler.on_containers_completed(now, ends, effects);
           });
  add_call("resource_scheduler_time",
           [this](Instant now, const EventLine&, auto& effects) { scheduler.on_time(now, effects); });
}

}  // namespace heddle::tests
