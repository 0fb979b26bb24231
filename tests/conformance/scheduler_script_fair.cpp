// Kinds scheduler_script_fair and fair_preemption: the fair rules against Hadoop's FairScheduler.
#include "tests/conformance/fair_script.hpp"

namespace heddle::conformance {
namespace scheduler_script_fair_kind {
namespace {

void run(const boost::json::object& test_case, Report& report) {
  const boost::json::object& settings = test_case.at("settings").as_object();
  FairScript script{policies::ResourceScheduler{
                        fair_scheduler(settings.at("conf").as_object(), settings.at("allocations").as_string())},
                    report};
  script.run(test_case.at("steps").as_array());
}

const Kind script{"scheduler_script_fair", run};
const Kind preemption{"fair_preemption", run};

}  // namespace
}  // namespace scheduler_script_fair_kind
}  // namespace heddle::conformance
