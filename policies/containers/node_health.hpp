// Which nodes an application refuses, and how many of its executors failed lately.
// Own exclusions expire; they are noticed only when the set is refreshed, as in the original.
// After Spark's YarnAllocatorNodeHealthTracker and ExecutorFailureTracker.
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
  std::int32_t failures_per_node_max = 2;    // one more excludes
  std::set<std::string> excluded_nodes;      // by settings, for good
  std::optional<Duration> failure_validity;  // none: failures count for ever
  static void visit_fields(auto& visit, auto& self) {
    visit("exclude_on_launch_failure", self.exclude_on_launch_failure);
    visit("exclusion_timeout", self.exclusion_timeout);
    visit("failures_per_node_max", self.failures_per_node_max);
    visit("excluded_nodes", self.excluded_nodes);
    visit("failure_validity", self.failure_validity);
  }
};

/// What the ResourceManager has to be told: differences only, sorted.
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

  // Each returns the change of the excluded set, if there is one.
  [[nodiscard]] std::optional<ExclusionChanged> on_start(Instant now) { return refresh(now); }
  [[nodiscard]] std::optional<ExclusionChanged> on_scheduler_exclusion(Instant now, std::set<std::string> hosts);
  /// An executor failed there; no host: it counts for the application only.
  [[nodiscard]] std::optional<ExclusionChanged> on_failure(Instant now, const std::optional<std::string>& host);
  void on_cluster_nodes(std::int32_t nodes) { cluster_nodes_ = nodes; }

  /// Failures that still count.
  [[nodiscard]] std::int32_t failures(Instant now) const;
  [[nodiscard]] std::int32_t failures_on(Instant now, const std::string& host) const;
  [[nodiscard]] const std::set<std::string>& excluded() const { return excluded_; }
  [[nodiscard]] bool all_excluded() const;

private:
  [[nodiscard]] std::optional<ExclusionChanged> refresh(Instant now);
  /// Adds a failure and drops those that no longer count.
  void add(Instant now, std::deque<Instant>& failures) const;
  [[nodiscard]] std::int32_t count(Instant now, const std::deque<Instant>& failures) const;

  NodeHealthSettings settings_;
  std::set<std::string> scheduler_excluded_;
  std::map<std::string, Instant> own_excluded_;  // host, end
  std::set<std::string> excluded_;               // as the ResourceManager knows it
  std::deque<Instant> failures_;
  std::map<std::string, std::deque<Instant>> failures_of_host_;
  std::int32_t cluster_nodes_ = 0;
};

}  // namespace heddle::policies
