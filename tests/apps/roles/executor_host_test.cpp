// Goal: what a task of the process waits for is reported while the task runs. Method: a NameNode in safe mode.
#include "apps/roles/executor_host.hpp"

#include <boost/test/unit_test.hpp>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "runtime/world/real_clock.hpp"
#include "tests/apps/roles/name_node_in_safe_mode.hpp"
#include "tests/support/scratch_folder.hpp"

namespace heddle::apps {
namespace executor_host_test {
namespace {

BOOST_AUTO_TEST_CASE(a_task_that_waits_for_a_name_node_reports_that_while_it_runs) {
  const tests::FakeRpcServer name_node{tests::in_safe_mode};
  const work::ScratchFolder folder;
  config::Settings settings;
  BOOST_REQUIRE(settings.set("heddle.hdfs.safe_mode_timeout", "1s", config::Origin::command_line, "").has_value());
  LaunchSpec spec;
  spec.container.directory = folder.path();
  spec.role = ExecutorLaunch{ExecutorId{1}, 1, ProfileId{0}, "driver:1", 0};
  const runtime::RealClock clock;
  std::vector<std::string> waits;
  std::promise<TaskOutcome> end;
  ExecutorHost host{spec, settings, clock};
  auto* runner = host.ports({}).runner;
  runner->start([&](std::vector<ports::TaskReport> reports) {
    for (auto& report : reports) {
      if (report.outcome.state != TaskState::running) end.set_value(std::move(report.outcome));
      else if (!report.outcome.text.empty()) waits.push_back(report.outcome.text);
    }
  });
  StageProgram work;
  work.key = {JobId{0}, StageId{1}, 0};
  work.bodies = {IdentityBody{}};
  work.tasks = 1;
  work.output.emplace().path = "hdfs://" + name_node.address() + "/out";
  runner->load_stage(std::make_shared<const StageProgram>(work));
  runner->run({work.key, 0, 1, 0, {}});
  const auto outcome = end.get_future().get();
  host.stop();
  BOOST_TEST((outcome.failure == FailureKind::unreachable), outcome.text);
  BOOST_TEST_REQUIRE(waits.size() == 1U);
  BOOST_TEST(waits.front().find("is in safe mode; waits up to 1 s to ") != std::string::npos, waits.front());
}

}  // namespace
}  // namespace executor_host_test
}  // namespace heddle::apps
