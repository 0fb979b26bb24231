// Inputs of the ContainerAllocator, one struct each, with the record name and fields of the event log
// (runtime/event_log/recorded.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/container.hpp"
#include "model/container_end.hpp"
#include "model/rack_table.hpp"
#include "policies/containers/container_events.hpp"

namespace heddle::policies::container_input {

/// Fields of lists that several inputs have.
inline constexpr auto visit_grants = [](auto& visit, auto& grants) {
  visit.rare_columns(grants, "granted", &ContainerGrant::container, "granted_hosts", &ContainerGrant::host,
                     "granted_profiles", &ContainerGrant::profile);
};
inline constexpr auto visit_ends = [](auto& visit, auto& ends) {
  visit.rare_columns(
      ends, "ended", &CompletedContainer::container, "exit_statuses",
      [](auto& row) -> auto& { return row.end.exit_status; });
};

/// Construction with these settings.
struct Created {
  static constexpr std::string_view record = "container_allocator_settings";
  ContainerAllocatorSettings settings;
  RackTable racks;
  static void visit_fields(auto& visit, auto& self) {
    ContainerAllocatorSettings::visit_fields(visit, self.settings);
    visit.table("rack_hosts", "racks", self.racks);
  }
};

/// Applies static exclusions, once after construction.
struct Started {
  static constexpr std::string_view record = "container_allocator_start";
  static void visit_fields(auto&, auto&) {}
};

/// Adds a profile. Required before a total names it; a known profile does not change.
struct ProfileDescribed {
  static constexpr std::string_view record = "container_allocator_profile";
  ExecutorProfile profile;
  static void visit_fields(auto& visit, auto& self) {
    visit("profile", self.profile.id);
    visit("resource", self.profile.resource);
    visit("tasks_per_executor", self.profile.tasks_per_executor);
  }
};

// -- from the Driver -----------------------------------------------------------

/// Number of waiting tasks of a profile per preferred host.
struct TasksOfHosts {
  ProfileId profile;
  std::map<std::string, std::int32_t> tasks_of_host;
  static void visit_fields(auto& visit, auto& self) {
    visit("profile", self.profile);
    visit.table("hosts", "tasks", self.tasks_of_host);
  }
};

/// Answer: true if a target changed. Then the role calls the ResourceManager soon.
struct TotalsRequested {
  static constexpr std::string_view record = "container_allocator_total";
  ExecutorTotals requested;
  static void visit_fields(auto& visit, auto& self) {
    visit.table("profiles", "totals", self.requested.totals);
    visit.table("locality_profiles", "locality_tasks", self.requested.locality_tasks);
    visit.converted(
        "tasks_of_host",
        [&self] {
          std::vector<TasksOfHosts> rows;
          for (const auto& [profile, tasks] : self.requested.tasks_of_host) rows.push_back({profile, tasks});
          return rows;
        },
        [&self](const auto& rows, auto&) {
          for (const auto& row : rows) self.requested.tasks_of_host[row.profile] = row.tasks_of_host;
        });
    visit("excluded_hosts", self.requested.excluded_hosts);
  }
};

struct ExecutorKilled {
  static constexpr std::string_view record = "container_allocator_kill";
  ExecutorId executor;
  static void visit_fields(auto& visit, auto& self) { visit("executor", self.executor); }
};

/// The Driver asks why an executor was lost. Answered by AnswerLossReason.
struct LossQuestioned {
  static constexpr std::string_view record = "container_allocator_loss_question";
  ExecutorId executor;
  static void visit_fields(auto& visit, auto& self) { visit("executor", self.executor); }
};

/// The application is ending: ends of containers no longer count as failures.
struct ShutDown {
  static constexpr std::string_view record = "container_allocator_shutdown";
  static void visit_fields(auto&, auto&) {}
};

// -- towards the ResourceManager -----------------------------------------------

/// Answer: the next AllocateCall, with all changes since the last one. The role then passes CallAnswered, CallFailed or
/// RegistrationLost.
struct CallDue {
  static constexpr std::string_view record = "container_allocator_call";
  static void visit_fields(auto&, auto&) {}
};

struct CallAnswered {
  static constexpr std::string_view record = "container_allocator_answer";
  AllocateAnswer answer;
  static void visit_fields(auto& visit, auto& self) {
    visit("response_id", self.answer.response_id);
    visit("cluster_nodes", self.answer.cluster_nodes);
    visit("decommissioning_hosts", self.answer.decommissioning_hosts);
    visit_grants(visit, self.answer.allocated);
    visit_ends(visit, self.answer.completed);
  }
};

struct CallFailed {
  static constexpr std::string_view record = "container_allocator_call_failed";
  static void visit_fields(auto&, auto&) {}
};

/// The application master registered again: the next call repeats all requests and has response id 0.
struct RegistrationLost {
  static constexpr std::string_view record = "container_allocator_not_registered";
  static void visit_fields(auto&, auto&) {}
};

// -- parts of an answer, in this order -----------------------------------------

/// Matches the batch with requests and releases containers without a request.
struct ContainersGranted {
  static constexpr std::string_view record = "container_allocator_allocated";
  std::vector<ContainerGrant> grants;
  [[nodiscard]] bool is_empty() const { return grants.empty(); }
  static void visit_fields(auto& visit, auto& self) { visit_grants(visit, self.grants); }
};

/// Decides about the next matched container. Answer: false if there is none. Executors that started meanwhile count.
struct LaunchDue {
  static constexpr std::string_view record = "container_allocator_launch_next";
  [[nodiscard]] bool is_empty() const { return true; }
  static void visit_fields(auto&, auto&) {}
};

struct ContainersEnded {
  static constexpr std::string_view record = "container_allocator_completed";
  std::vector<CompletedContainer> ends;
  [[nodiscard]] bool is_empty() const { return ends.empty(); }
  static void visit_fields(auto& visit, auto& self) { visit_ends(visit, self.ends); }
};

// -- answers to LaunchExecutor -------------------------------------------------

struct ExecutorStarted {
  static constexpr std::string_view record = "container_allocator_started";
  ContainerId container;
  static void visit_fields(auto& visit, auto& self) { visit("container", self.container); }
};

struct ExecutorStartFailed {
  static constexpr std::string_view record = "container_allocator_start_failed";
  ContainerId container;
  static void visit_fields(auto& visit, auto& self) { visit("container", self.container); }
};

using Input = std::variant<Started, ProfileDescribed, TotalsRequested, ExecutorKilled, LossQuestioned, ShutDown,
                           CallDue, CallAnswered, CallFailed, RegistrationLost, ContainersGranted, LaunchDue,
                           ContainersEnded, ExecutorStarted, ExecutorStartFailed>;

}  // namespace heddle::policies::container_input
