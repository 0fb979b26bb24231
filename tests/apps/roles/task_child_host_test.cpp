// Goal: a task that waits for a NameNode is not silent. Method: a NameNode in safe mode, one task that writes there.
#include "apps/roles/task_child_host.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "runtime/world/real_clock.hpp"
#include "tests/apps/roles/name_node_in_safe_mode.hpp"
#include "tests/support/scratch_folder.hpp"

namespace heddle::apps {
namespace task_child_host_test {
namespace {

BOOST_AUTO_TEST_CASE(a_wait_for_a_name_node_is_a_sign_of_life_of_the_attempt) {
  const tests::FakeRpcServer name_node{tests::in_safe_mode};
  const work::ScratchFolder folder;
  config::Settings settings;
  BOOST_REQUIRE(settings.set("heddle.hdfs.safe_mode_timeout", "1s", config::Origin::command_line, "").has_value());
  LaunchSpec spec;
  spec.container.directory = folder.path();
  spec.role = TaskChildLaunch{"master:1", 7, {}};
  const runtime::RealClock clock;
  std::promise<TaskOutcome> end;
  TaskChildHost host{spec, settings, clock};
  auto* runner = host.ports({}).runner;
  runner->start([&end](std::vector<ports::TaskReport> reports) {
    for (auto& report : reports) end.set_value(std::move(report.outcome));
  });
  StageProgram work;
  work.key = {JobId{0}, StageId{1}, 0};
  work.bodies = {IdentityBody{}};
  work.tasks = 1;
  work.output.emplace().path = "hdfs://" + name_node.address() + "/out";
  runner->load_stage(std::make_shared<const StageProgram>(work));
  runner->run({work.key, 0, 1, 0, {}});
  std::int64_t signs = 0;
  auto ended = end.get_future();
  while (signs == 0 && ended.wait_for(std::chrono::seconds{0}) != std::future_status::ready)
    if (const auto progress = runner->progress(work.key, 0, 0)) signs = progress->signs;
  BOOST_TEST(signs > 0);
  BOOST_TEST((ended.get().failure == FailureKind::unreachable));
  host.stop();
}

}  // namespace
}  // namespace task_child_host_test
}  // namespace heddle::apps
