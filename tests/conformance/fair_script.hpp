// The fair scheduler with the configuration of a recorded case, and the verbs and checks that only it has.
#pragma once

#include "tests/conformance/scheduler_script.hpp"

namespace heddle::conformance {

/// `settings`: keys and values; `allocations`: content of the queue file.
[[nodiscard]] policies::FairScheduler fair_scheduler(const boost::json::object& settings, std::string_view allocations);

class FairScript : public SchedulerScript {
public:
  using SchedulerScript::SchedulerScript;

protected:
  void other_verb(const boost::json::object& step, const boost::json::object& expected) override;
  void check_submission(std::int64_t app, const policies::SubmissionAnswer& answer,
                        const boost::json::object& expected) override;
  void check_application(std::int64_t app, const boost::json::object& expected, const std::string& field) override;
  void check_queue(const std::string& name, const boost::json::object& expected) override;

  [[nodiscard]] policies::FairScheduler& fair() { return std::get<policies::FairScheduler>(scheduler_.rules()); }
  [[nodiscard]] const policies::FairScheduler& fair() const {
    return std::get<policies::FairScheduler>(scheduler_.rules());
  }

private:
  void preempt(const boost::json::object& expected);
  void kill(const boost::json::object& expected);
  void heartbeat_rounds(const boost::json::object& step, const boost::json::object& expected);
};

}  // namespace heddle::conformance
