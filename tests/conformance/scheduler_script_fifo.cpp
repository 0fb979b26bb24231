// Kind scheduler_script_fifo: the FIFO rules against Hadoop's FifoScheduler.
#include "tests/conformance/scheduler_script.hpp"

namespace heddle::conformance {
namespace {

std::int64_t number(const boost::json::object& settings, const char* key, std::int64_t otherwise) {
  const boost::json::value* found = settings.if_contains(key);
  if (found == nullptr) return otherwise;
  return found->is_string() ? std::stoll(std::string{found->as_string()}) : found->as_int64();
}

void run(const boost::json::object& test_case, Report& report) {
  const boost::json::object& settings = test_case.at("settings").as_object();
  policies::FifoSchedulerSettings fifo;
  // The recorded classes read the minimum once per process: all runs had the default, whatever their settings say.
  fifo.minimum_allocation = Resource{1024, 1};
  fifo.maximum_allocation.memory_mib = number(settings, "yarn.scheduler.maximum-allocation-mb", 8192);
  fifo.maximum_allocation.cores = number(settings, "yarn.scheduler.maximum-allocation-vcores", 4);
  SchedulerScript script{policies::ResourceScheduler{policies::FifoScheduler{fifo}}, report};
  script.run(test_case.at("steps").as_array());
}

const Kind kind{"scheduler_script_fifo", run};

}  // namespace
}  // namespace heddle::conformance
