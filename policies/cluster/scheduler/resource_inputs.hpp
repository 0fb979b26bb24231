// The inputs of the ResourceScheduler, one struct each, with the name of its record and its fields in the event log
// (runtime/event_log/recorded.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/hadoop/capacity_scheduler_xml.hpp"
#include "config/hadoop/fair_scheduler_xml.hpp"
#include "policies/cluster/resource_events.hpp"

namespace heddle::policies {

/// A queue file as its reader understood it, one kind per set of rules.
using QueueFile = std::variant<config::FairSchedulerFile, config::CapacitySchedulerFile>;

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
    visit("memory_mib", self.node.capacity.memory_mib);
    visit("cores", self.node.capacity.cores);
    visit.unless_default("extras", self.node.extras);
  }
};

/// The node's capacity changed while it runs; what is used stays used.
struct NodeUpdated {
  static constexpr std::string_view record = "resource_scheduler_node_updated";
  NodeId node;
  Resource capacity;
  static void visit_fields(auto& visit, auto& self) {
    visit("node", self.node);
    visit("memory_mib", self.capacity.memory_mib);
    visit("cores", self.capacity.cores);
  }
};

/// All its containers end with -100.
struct NodeRemoved {
  static constexpr std::string_view record = "resource_scheduler_node_removed";
  NodeId node;
  static void visit_fields(auto& visit, auto& self) { visit("node", self.node); }
};

/// The only input that assigns containers, as room allows.
struct NodeOffered {
  static constexpr std::string_view record = "resource_scheduler_offer";
  NodeId node;
  OfferCause cause = OfferCause::heartbeat;
  static constexpr auto counted = &NodeOffered::node;
  static constexpr void visit_fields(auto& visit, auto& self) { visit("cause", self.cause); }
};

/// Takes a new queue file while running. One that cannot be taken changes nothing and says why.
struct QueuesChanged {
  static constexpr std::string_view record = "resource_scheduler_queues";
  std::shared_ptr<const QueueFile> queues;  // as read from `content`: the log has the text
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
    visit.unless_default("master_extras", self.submission.master_extras);
  }
};

/// Takes an application to another queue while it runs; answers the queue's full name. Fair queues alone do so.
struct ApplicationMoved {
  static constexpr std::string_view record = "resource_scheduler_application_moved";
  ApplicationId application;
  std::string queue;
  static void visit_fields(auto& visit, auto& self) {
    visit_application(visit, self.application);
    visit("queue", self.queue);
  }
};

/// A try of an accepted application starts; for a managed master this asks for its container at priority 0.
struct AttemptAdded {
  static constexpr std::string_view record = "resource_scheduler_attempt_added";
  AttemptId attempt;
  static void visit_fields(auto& visit, auto& self) { visit_attempt(visit, self.attempt); }
};

/// The try is over: its live containers end with -100.
struct AttemptRemoved {
  static constexpr std::string_view record = "resource_scheduler_attempt_removed";
  AttemptId attempt;
  static void visit_fields(auto& visit, auto& self) { visit_attempt(visit, self.attempt); }
};

/// The application leaves its queue; an attempt that is still there is removed first.
struct ApplicationRemoved {
  static constexpr std::string_view record = "resource_scheduler_application_removed";
  ApplicationId application;
  static void visit_fields(auto& visit, auto& self) { visit_application(visit, self.application); }
};

/// One kind of resource of an ask, by the place of the ask in its batch.
struct ExtraOfAsk {
  std::int64_t ask = 0;
  std::string name;
  std::int64_t amount = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("ask", self.ask);
    visit("name", self.name);
    visit("amount", self.amount);
  }
};

/// One call of an ApplicationMaster. Answer: Allocation.
struct AsksMade {
  static constexpr std::string_view record = "resource_scheduler_asks";
  AttemptId attempt;
  AskBatch batch;
  static void visit_fields(auto& visit, auto& self) {
    visit_attempt(visit, self.attempt);
    visit.rare_columns(
        self.batch.asks, "names", &ResourceAsk::name, "priorities", &ResourceAsk::priority, "counts",
        &ResourceAsk::count, "mib", [](auto& ask) -> auto& { return ask.capability.memory_mib; }, "cores",
        [](auto& ask) -> auto& { return ask.capability.cores; }, "relaxed", &ResourceAsk::relax_locality);
    visit.converted(
        "extras", [&self] { return extras_of(self.batch.asks); },
        [&self](const auto& rows, auto&) {
          for (const auto& row : rows)
            self.batch.asks.at(static_cast<std::size_t>(row.ask)).extras.push_back({row.name, row.amount});
        });
    visit.unless_default("released", self.batch.release);
    visit.unless_default("excluded", self.batch.exclude);
    visit.unless_default("included", self.batch.include);
  }

private:
  static std::vector<ExtraOfAsk> extras_of(const std::vector<ResourceAsk>& asks) {
    std::vector<ExtraOfAsk> rows;
    for (std::size_t i = 0; i < asks.size(); ++i)
      for (const ExtraResource& each : asks[i].extras)
        rows.push_back({static_cast<std::int64_t>(i), each.name, each.amount});
    return rows;
  }
};

// -- containers, as nodes report them, and time --------------------------------

struct ContainerLaunched {
  static constexpr std::string_view record = "resource_scheduler_launched";
  ContainerId container;
  static constexpr auto counted = &ContainerLaunched::container;
  static constexpr void visit_fields(auto&, auto&) {}
};

/// The same as one input for each in this order, but the tables of the next ones are fetched from memory meanwhile.
struct ContainersEnded {
  static constexpr std::string_view record = "resource_scheduler_completed";
  std::span<const CompletedContainer> ends;
  static void visit_fields(auto& visit, auto& self) {
    visit.columns(
        self.ends, "containers", &CompletedContainer::container, "exit_statuses",
        [](auto& row) -> auto& { return row.end.exit_status; });
  }
};

/// Something was due.
struct TimePassed {
  static constexpr std::string_view record = "resource_scheduler_time";
  static void visit_fields(auto&, auto&) {}
};

using Input = std::variant<NodeAdded, NodeUpdated, NodeRemoved, NodeOffered, QueuesChanged, ApplicationAdded,
                           ApplicationMoved, AttemptAdded, AttemptRemoved, ApplicationRemoved, AsksMade,
                           ContainerLaunched, ContainersEnded, TimePassed>;

}  // namespace resource_input
}  // namespace heddle::policies
