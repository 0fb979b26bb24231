// A FairScheduler with its nodes and applications, as the numbered cases of the YARN specification set them up.
// Nodes are n1, n2, … in order of arrival; applications and their containers are counted from 1. Shares change by
// update() alone. An application whose master runs elsewhere is `submit`; one whose first container is its master's is
// `submit_with_master`.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "policies/cluster/fair/fair_scheduler.hpp"

namespace heddle::policies {

/// The fixture of those cases: minimum 0 MiB, steps of 1024 MiB and one core, at most 10240 MiB, one container per
/// heartbeat.
inline FairSchedulerSettings numbered_settings() {
  FairSchedulerSettings settings;
  settings.minimum_allocation = {0, 1};
  settings.maximum_allocation = {10240, 32};
  settings.preemption.utilization_threshold = 0;
  return settings;
}

inline config::FairSchedulerFile allocations(const std::string& inside) {
  Result<config::FairSchedulerFile> file =
      config::read_fair_scheduler_xml("<allocations>" + inside + "</allocations>", "fair-scheduler.xml");
  if (!file) throw std::runtime_error{file.error().text};
  return *file;
}

class FairWorld {
public:
  using App = std::int64_t;

  explicit FairWorld(const std::string& inside = "", FairSchedulerSettings settings = numbered_settings())
      : fair{std::move(settings), allocations(inside), Instant{}} {}

  NodeId node(std::int64_t memory, std::int64_t cores, std::string rack = "/default-rack") {
    const NodeId id{++nodes_};
    fair.on_node_added(now, {id, "n" + std::to_string(nodes_), std::move(rack), {memory, cores}}, effects);
    return id;
  }

  /// `count` containers wanted anywhere at `priority`, by an application of its own. 0 containers: it asks for nothing.
  App submit(std::int64_t memory, std::int64_t cores, std::string queue, std::int32_t count = 1,
             std::string user = "user1", std::int32_t priority = 1) {
    const App app = accept({{}, std::move(queue), std::move(user), 0, std::nullopt});
    if (count > 0) ask(app, {{priority, "*", count, {memory, cores}, true}});
    return app;
  }
  App submit_with_master(std::int64_t memory, std::int64_t cores, std::string queue, std::string user = "user1") {
    return accept({{}, std::move(queue), std::move(user), 0, Resource{memory, cores}});
  }
  Allocation ask(App app, std::vector<ResourceRequest> asks) {
    return fair.allocate(now, attempt(app), {std::move(asks), {}, {}, {}}, effects);
  }
  void remove(App app) { fair.on_application_removed(now, attempt(app).application, effects); }
  void reload(const std::string& inside) { fair.on_queues_changed(now, allocations(inside), effects); }
  void update() { fair.update(now); }
  /// The containers that one heartbeat assigned.
  std::vector<ContainerAssigned> beat(NodeId node) {
    effects.clear();
    fair.node_heartbeat(now, node, effects);
    fair.check_invariants();
    std::vector<ContainerAssigned> assigned;
    for (const ResourceEffect& effect : effects)
      if (const auto* each = std::get_if<ContainerAssigned>(&effect)) assigned.push_back(*each);
    return assigned;
  }
  void beat(NodeId node, int times) {
    for (int i = 0; i < times; ++i) beat(node);
  }
  /// The application gives a container back, or the node says that it ended.
  void end(ContainerId container, std::int32_t exit_status = container_exit_status::success) {
    fair.on_container_completed(now, container, exit_status, effects);
  }

  [[nodiscard]] static AttemptId attempt(App app) { return {ApplicationId{1, app}, 1}; }
  [[nodiscard]] const LedgerApplication& books(App app) const {
    return fair.ledger().application(fair.ledger().find_application(attempt(app).application));
  }
  [[nodiscard]] const FairApplication& application(App app) const {
    return fair.queues().application(fair.ledger().find_application(attempt(app).application));
  }
  [[nodiscard]] std::size_t containers(App app) const { return books(app).live.size(); }
  [[nodiscard]] std::vector<ContainerId> container_ids(App app) const {
    std::vector<ContainerId> ids;
    for (const RowIndex slot : books(app).live.slots()) ids.push_back(fair.ledger().container(slot).id);
    return ids;
  }
  [[nodiscard]] const FairQueue& queue(std::string_view name) const {
    const RowIndex slot = fair.queues().find(name);
    if (slot == no_row) throw std::runtime_error{"no queue " + std::string{name}};
    return fair.queues().at(slot);
  }
  [[nodiscard]] const LedgerNode& node_books(NodeId id) const {
    return fair.ledger().node(fair.ledger().find_node(id));
  }
  /// The running number of the container that the node is kept for; 0 if it is free.
  [[nodiscard]] std::int64_t reserved_number(NodeId id) const {
    const RowIndex slot = node_books(id).reservation;
    return slot == no_row ? 0 : fair.ledger().container(slot).number;
  }

  FairScheduler fair;
  Instant now{};
  ResourceEffects effects;

private:
  App accept(ApplicationSubmission submission) {
    const App app = ++applications_;
    submission.id = attempt(app).application;
    refusal = fair.on_application_added(now, submission).refusal;
    if (refusal.empty()) fair.on_attempt_added(now, attempt(app), effects);
    return app;
  }

  std::int64_t nodes_ = 0;
  App applications_ = 0;

public:
  std::string refusal;  // of the last submission; empty if it was accepted
};

/// "MEMORY/CORES", so that a failed comparison can be read.
inline std::string text(const MemoryAndCores& resource) {
  return std::to_string(resource.memory_mib) + "/" + std::to_string(resource.cores);
}

}  // namespace heddle::policies
