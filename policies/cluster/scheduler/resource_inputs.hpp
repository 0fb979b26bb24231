// Inputs of the ResourceScheduler, one struct each, with the record name and fields of the event log
// (runtime/event_log/recorded.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "policies/cluster/queue_file.hpp"
#include "policies/cluster/resource_events.hpp"

namespace heddle::policies {

namespace resource_input {

inline constexpr auto visit_application = [](auto& visit, auto& application) {
  visit("cluster_start", application.cluster_start);
  visit("application", application.number);
};
inline constexpr auto visit_attempt = [](auto& visit, auto& attempt) {
  visit_application(visit, attempt.application);
  visit("attempt", attempt.attempt);
};

// -- nodes and queues ----------------------------------------------------------

struct NodeAdded {
  static constexpr std::string_view record = "resource_scheduler_node_added";
  NodeDescription node;
  static void visit_fields(auto& visit, auto& self) {
    visit("node", self.node.id);
    visit("host", self.node.host);
    visit("rack", self.node.rack);
    visit("capacity", self.node.capacity);
  }
};

/// Memory and cores of the node changed while it runs; its other resource types stay. Used resources stay used.
struct NodeUpdated {
  static constexpr std::string_view record = "resource_scheduler_node_updated";
  NodeId node;
  Resource capacity;
  static void visit_fields(auto& visit, auto& self) {
    visit("node", self.node);
    visit("capacity", self.capacity);
  }
};

/// All containers of the node end with status -100.
struct NodeRemoved {
  static constexpr std::string_view record = "resource_scheduler_node_removed";
  NodeId node;
  static void visit_fields(auto& visit, auto& self) { visit("node", self.node); }
};

/// Offers a node. The only input that assigns containers.
struct NodeOffered {
  static constexpr std::string_view record = "resource_scheduler_offer";
  NodeId node;
  OfferCause cause = OfferCause::heartbeat;
  static constexpr auto counted = &NodeOffered::node;
  static constexpr void visit_fields(auto& visit, auto& self) { visit("cause", self.cause); }
};

/// Applies a new queue file. An invalid file changes nothing; the answer has the reason.
struct QueuesChanged {
  static constexpr std::string_view record = "resource_scheduler_queues";
  std::shared_ptr<const QueueFile> queues;  // parsed from `content`, which the log records
  std::string file;
  std::string content;
  static void visit_fields(auto& visit, auto& self) {
    visit("file", self.file);
    visit("content", self.content);
  }
};

// -- applications --------------------------------------------------------------

/// Answer: SubmissionAnswer.
struct ApplicationAdded {
  static constexpr std::string_view record = "resource_scheduler_application_added";
  ApplicationSubmission submission;
  static void visit_fields(auto& visit, auto& self) {
    visit_application(visit, self.submission.id);
    visit("queue", self.submission.queue);
    visit("user", self.submission.user);
    visit("priority", self.submission.priority);
    visit("master", self.submission.master);
  }
};

/// Moves a running application to another queue. Answer: the full name of the queue. Only fair rules support it.
struct ApplicationMoved {
  static constexpr std::string_view record = "resource_scheduler_application_moved";
  ApplicationId application;
  std::string queue;
  static void visit_fields(auto& visit, auto& self) {
    visit_application(visit, self.application);
    visit("queue", self.queue);
  }
};

/// An attempt of an accepted application starts. With a managed master, requests its container at priority 0.
struct AttemptAdded {
  static constexpr std::string_view record = "resource_scheduler_attempt_added";
  AttemptId attempt;
  static void visit_fields(auto& visit, auto& self) { visit_attempt(visit, self.attempt); }
};

/// The attempt ended: its live containers end with status -100.
struct AttemptRemoved {
  static constexpr std::string_view record = "resource_scheduler_attempt_removed";
  AttemptId attempt;
  static void visit_fields(auto& visit, auto& self) { visit_attempt(visit, self.attempt); }
};

/// Removes the application from its queue, and its attempt if it has one.
struct ApplicationRemoved {
  static constexpr std::string_view record = "resource_scheduler_application_removed";
  ApplicationId application;
  static void visit_fields(auto& visit, auto& self) { visit_application(visit, self.application); }
};

/// Amount of one resource type besides memory and cores, with the index of its ask in the batch.
struct AmountOfAsk {
  std::int64_t ask = 0;
  std::string name;
  std::int64_t amount = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("ask", self.ask);
    visit("name", self.name);
    visit("amount", self.amount);
  }
};

/// One AllocateRequest of an ApplicationMaster. Answer: Allocation.
struct AsksMade {
  static constexpr std::string_view record = "resource_scheduler_asks";
  AttemptId attempt;
  AllocateRequest batch;
  static void visit_fields(auto& visit, auto& self) {
    visit_attempt(visit, self.attempt);
    visit.rare_columns(
        self.batch.asks, "names", &ResourceRequest::name, "priorities", &ResourceRequest::priority, "counts",
        &ResourceRequest::count, "mib", [](auto& ask) -> auto& { return ask.capability.memory_mib; }, "cores",
        [](auto& ask) -> auto& { return ask.capability.cores; }, "relaxed", &ResourceRequest::relax_locality);
    visit.converted(
        "others", [&self] { return others_of(self.batch.asks); },
        [&self](const auto& rows, auto&) {
          for (const auto& row : rows)
            self.batch.asks.at(static_cast<std::size_t>(row.ask)).capability.others.set(row.name, row.amount);
        });
    visit.unless_default("released", self.batch.release);
    visit.unless_default("excluded", self.batch.exclude);
    visit.unless_default("included", self.batch.include);
  }

private:
  static std::vector<AmountOfAsk> others_of(const std::vector<ResourceRequest>& asks) {
    std::vector<AmountOfAsk> rows;
    for (std::size_t i = 0; i < asks.size(); ++i)
      for (const ResourceAmount& each : asks[i].capability.others)
        rows.push_back({static_cast<std::int64_t>(i), each.name, each.amount});
    return rows;
  }
};

// -- reports of nodes, and time ------------------------------------------------

struct ContainerLaunched {
  static constexpr std::string_view record = "resource_scheduler_launched";
  ContainerId container;
  static constexpr auto counted = &ContainerLaunched::container;
  static constexpr void visit_fields(auto&, auto&) {}
};

struct ContainerCompleted {
  static constexpr std::string_view record = "resource_scheduler_completed";
  ContainerId container;
  std::int32_t exit_status = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("container", self.container);
    visit("exit_status", self.exit_status);
  }
};

/// A timer is due.
struct TimePassed {
  static constexpr std::string_view record = "resource_scheduler_time";
  static void visit_fields(auto&, auto&) {}
};

using Input = std::variant<NodeAdded, NodeUpdated, NodeRemoved, NodeOffered, QueuesChanged, ApplicationAdded,
                           ApplicationMoved, AttemptAdded, AttemptRemoved, ApplicationRemoved, AsksMade,
                           ContainerLaunched, ContainerCompleted, TimePassed>;

}  // namespace resource_input
}  // namespace heddle::policies
