// Nodes that an application excludes, and the number of its recently failed executors. Exclusions by failures expire;
// as in Spark, they are removed only when the set is refreshed. After Spark's YarnAllocatorNodeHealthTracker and
// ExecutorFailureTracker.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/time.hpp"

namespace heddle::policies {

struct NodeHealthSettings {
  bool exclude_on_launch_failure = false;
  Duration exclusion_timeout = std::chrono::hours{1};
  std::int32_t failures_per_node_max = 2;    // one more failure excludes the node
  std::set<std::string> excluded_nodes;      // excluded by settings; never expire
  std::optional<Duration> failure_validity;  // none: failures never expire
  static void visit_fields(auto& visit, auto& self) {
    visit("exclude_on_launch_failure", self.exclude_on_launch_failure);
    visit("exclusion_timeout", self.exclusion_timeout);
    visit("failures_per_node_max", self.failures_per_node_max);
    visit("excluded_nodes", self.excluded_nodes);
    visit("failure_validity", self.failure_validity);
  }
};

/// Changes to report to the ResourceManager, sorted.
struct ExclusionChanged {
  std::vector<std::string> added;
  std::vector<std::string> removed;
  bool operator==(const ExclusionChanged&) const = default;
  static void visit_fields(auto& visit, auto& self) {
    visit("added", self.added);
    visit("removed", self.removed);
  }
};

class NodeHealth {
public:
  explicit NodeHealth(NodeHealthSettings settings);

  // Each function returns the change of the excluded set, or none.
  [[nodiscard]] std::optional<ExclusionChanged> on_start(Instant now) { return refresh(now); }
  [[nodiscard]] std::optional<ExclusionChanged> on_scheduler_exclusion(Instant now, std::set<std::string> hosts);
  /// An executor failed on the host. Without a host the failure counts only for the application.
  [[nodiscard]] std::optional<ExclusionChanged> on_failure(Instant now, const std::optional<std::string>& host);
  void on_cluster_nodes(std::int32_t nodes) { cluster_nodes_ = nodes; }

  /// Number of failures that have not expired.
  [[nodiscard]] std::int32_t failures(Instant now) const;
  [[nodiscard]] std::int32_t failures_on(Instant now, const std::string& host) const;
  [[nodiscard]] const std::set<std::string>& excluded() const { return excluded_; }
  [[nodiscard]] bool all_excluded() const;

private:
  [[nodiscard]] std::optional<ExclusionChanged> refresh(Instant now);
  /// Adds a failure and removes expired ones.
  void add(Instant now, std::deque<Instant>& failures) const;
  [[nodiscard]] std::int32_t count(Instant now, const std::deque<Instant>& failures) const;

  NodeHealthSettings settings_;
  std::set<std::string> scheduler_excluded_;
  std::map<std::string, Instant> own_excluded_;  // expiry by host
  std::set<std::string> excluded_;               // as reported to the ResourceManager
  std::deque<Instant> failures_;
  std::map<std::string, std::deque<Instant>> failures_of_host_;
  std::int32_t cluster_nodes_ = 0;
};

}  // namespace heddle::policies
