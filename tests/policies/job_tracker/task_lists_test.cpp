// Goal: searches of waiting tasks keep the order and what does not fit; running tasks keep the order of addition.
#include "policies/job_tracker/task_lists.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

namespace heddle::policies {
namespace task_lists_test {

/// Five maps, a tracker on each of two hosts.
struct World {
  World() {
    for (std::int32_t map = 0; map < 5; ++map) tasks.emplace_back(ClassicTaskKind::work, false, map, 4, 0, Instant{});
    for (const std::string name : {"h0", "h1"}) cluster.add_tracker(name, cluster.add_known_host(name), 2, 2);
  }
  [[nodiscard]] TaskSearch search(TrackerIndex tracker) { return {tasks, cluster.tracker(tracker), cluster, rules}; }
  void fail(std::int32_t map, TrackerIndex tracker) {
    auto& task = tasks[static_cast<std::size_t>(map)];
    const auto attempt = task.next_attempt().value();
    task.start(attempt, tracker, false);
    task.on_incomplete(attempt, false, cluster.host_of_tracker(tracker));
  }
  std::vector<ClassicTask> tasks;
  ClassicCluster cluster;
  JobRules rules;
};

BOOST_AUTO_TEST_CASE(a_search_drops_what_runs_and_keeps_what_failed_on_its_host) {
  World world;
  WaitingTasks list;
  for (std::int32_t map = 0; map < 5; ++map) list.add(map);
  world.tasks[0].start(0, 0, false);  // it runs
  world.fail(1, 0);
  world.fail(2, 0);
  BOOST_TEST(list.pop(world.search(0), false).value() == 3);
  BOOST_TEST(list.size() == 3U);  // 1, 2, 4
  BOOST_TEST(list.pop(world.search(1), false).value() == 1);
  BOOST_TEST(list.pop(world.search(0), false).value() == 4);
  BOOST_TEST(!list.pop(world.search(0), false).has_value());
  BOOST_TEST(list.size() == 1U);
  BOOST_TEST(list.pop(world.search(1), false).value() == 2);
  BOOST_TEST(list.size() == 0U);
}

BOOST_AUTO_TEST_CASE(the_list_of_a_host_drops_what_failed_there) {
  World world;
  WaitingTasks list;
  list.add(1);
  world.fail(1, 0);
  BOOST_TEST(!list.pop(world.search(0), true).has_value());
  BOOST_TEST(list.size() == 0U);
}

std::vector<std::int32_t> tasks_of(const RunningTasks& running, std::int32_t list) {
  std::vector<std::int32_t> found;
  for (auto place = running.first(list); place != RunningTasks::none; place = running.after(place))
    found.push_back(running.task_at(place));
  return found;
}

BOOST_AUTO_TEST_CASE(running_tasks_are_in_order_of_addition_and_each_once) {
  RunningTasks running;
  running.add_list();
  running.add_list();
  for (std::int32_t task = 0; task < 4; ++task) running.add_place(task == 3 ? 1 : 0, task);
  for (const RunningTasks::Place place : {2, 0, 3, 1, 2}) running.add(place);
  BOOST_TEST((tasks_of(running, 0) == std::vector<std::int32_t>{2, 0, 1}));
  BOOST_TEST((tasks_of(running, 1) == std::vector<std::int32_t>{3}));
  for (const RunningTasks::Place place : {0, 0, 3}) running.remove(place);
  running.add(0);
  BOOST_TEST((tasks_of(running, 0) == std::vector<std::int32_t>{2, 1, 0}));
  BOOST_TEST(tasks_of(running, 1).empty());
}

}  // namespace task_lists_test
}  // namespace heddle::policies
