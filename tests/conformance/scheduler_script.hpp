// Runs a ResourceScheduler through a recorded script: one verb at a time, one clock; compares the state after each
// verb. Shared by the three scheduler kinds and fair_preemption; each adds its own verbs and checks.
#pragma once

#include <boost/json.hpp>
#include <map>
#include <string>
#include <vector>

#include "policies/cluster/scheduler/resource_scheduler.hpp"
#include "tests/conformance/kind.hpp"

namespace heddle::conformance {

class SchedulerScript {
public:
  SchedulerScript(policies::ResourceScheduler scheduler, Report& report);
  virtual ~SchedulerScript() = default;

  void run(const boost::json::array& steps);

protected:
  /// Verbs that not all kinds have. The default refuses the verb.
  virtual void other_verb(const boost::json::object& step, const boost::json::object& expected);
  /// Checks fields of a submission's answer besides `accepted`.
  virtual void check_submission(std::int64_t, const policies::SubmissionAnswer&, const boost::json::object&) {}
  virtual void check_application(std::int64_t, const boost::json::object&, const std::string&) {}
  virtual void check_queue(const std::string&, const boost::json::object&) {}

  void beat(const std::string& node, const boost::json::array* completed, policies::ResourceEffects& effects);
  void differ_unless(std::string_view field, const boost::json::value& expected, const boost::json::value& got);
  void differ_unless_near(std::string_view field, const boost::json::value& expected, double got);
  [[nodiscard]] const policies::ResourceLedger& ledger() const;
  [[nodiscard]] static boost::json::array pair(const policies::MemoryAndCores& resource) {
    return {resource.memory_mib, resource.cores};
  }
  [[nodiscard]] static AttemptId attempt(std::int64_t app) { return AttemptId{ApplicationId{1, app}, 1}; }
  [[nodiscard]] std::string name_of(ContainerId id) const;
  /// Updates the containers on the nodes; called with the effects of every verb.
  void follow(const policies::ResourceEffects& effects);

  policies::ResourceScheduler scheduler_;
  Report& report_;
  int step_ = 0;
  Instant now_{};
  std::vector<std::string> node_order_;
  std::map<std::string, NodeId> nodes_;
  std::map<NodeId, std::vector<ContainerId>> not_launched_;  // fetched since the node's last heartbeat
  std::map<NodeId, std::vector<ContainerId>> ended_;         // still on the node until it reports
  std::map<ContainerId, std::string> names_;
  std::map<std::string, ContainerId> ids_;

private:
  void step(const boost::json::object& step);
  void add_node(const boost::json::object& step);
  void remove_node(const boost::json::object& step, const boost::json::object& expected);
  void submit(const boost::json::object& step, const boost::json::object& expected);
  void allocate(const boost::json::object& step, const boost::json::object& expected);
  void heartbeat(const boost::json::object& step, const boost::json::object& expected);
  void check(const boost::json::object& expected);
  void check_completed(const policies::ResourceEffects& effects, const boost::json::object& expected);
  [[nodiscard]] policies::AllocateRequest batch_of(const boost::json::object& step) const;

  std::int64_t next_node_ = 1;
};

}  // namespace heddle::conformance
