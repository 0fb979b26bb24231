// Kind scheduler_script_fifo: the FIFO rules against Hadoop's FifoScheduler.
#include "tests/conformance/scheduler_script.hpp"

namespace heddle::conformance {
namespace scheduler_script_fifo_kind {
namespace {

void run(const boost::json::object& test_case, Report& report) {
  policies::FifoSchedulerSettings fifo;
  // The recorded classes read both limits once per process, so all runs had the defaults whatever their settings say.
  fifo.minimum_allocation = Resource{1024, 1};
  fifo.maximum_allocation = Resource{8192, 4};
  SchedulerScript script{policies::ResourceScheduler{policies::FifoScheduler{fifo}}, report};
  script.run(test_case.at("steps").as_array());
}

const Kind kind{"scheduler_script_fifo", run};

}  // namespace
}  // namespace scheduler_script_fifo_kind
}  // namespace heddle::conformance
