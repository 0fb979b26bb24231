// Goal: an application waits until the groups of its user are known, is placed by them, and blocks nobody else. Method:
// a directory that answers on request of the test, a fair scheduler that places by primary group.
#include <boost/test/unit_test.hpp>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "actors/resource_manager/cluster_start.hpp"
#include "actors/resource_manager/waiting_submissions.hpp"
#include "config/hadoop/fair_scheduler_xml.hpp"
#include "policies/cluster/scheduler/resource_scheduler.hpp"
#include "tests/support/actor_world.hpp"

namespace heddle::actors {
namespace resource_manager_groups_test {
namespace {

using namespace std::chrono_literals;

struct SlowDirectory final : ports::UserGroups {
  std::optional<Groups> known(const std::string& user) override {
    const auto row = answers.find(user);
    return row == answers.end() ? std::nullopt : std::optional{row->second};
  }
  void look_up(const std::string& user, std::function<void()> on_found) override {
    asked.emplace_back(user, std::move(on_found));
  }
  void answer(const std::string& user, Groups groups) {
    answers[user] = std::move(groups);
    for (const auto& [name, on_found] : asked)
      if (name == user) on_found();
  }
  std::map<std::string, Groups> answers;
  std::vector<std::pair<std::string, std::function<void()>>> asked;
};

struct Directory {
  SlowDirectory directory;
};

struct GroupWorld : Directory, tests::ActorWorld {
  ResourceManagerActor cluster;

  GroupWorld() {
    policies::FairSchedulerSettings fair;
    fair.minimum_allocation = {1, 0};
    fair.increment = {1, 1};
    const auto queues = config::read_fair_scheduler_xml(
        "<allocations><queuePlacementPolicy><rule name='primaryGroup'/></queuePlacementPolicy></allocations>",
        "queues.xml");
    ResourceManagerStart start{
        1000, "build", 0,
        std::make_shared<const policies::ResourceScheduler>(policies::FairScheduler{fair, *queues, now()})};
    start.groups = &directory;
    cluster = adopt(spawn_resource_manager(system(), config::ResourceManagerSettings{}, tools(), start));
    settle();
  }
  tests::Peer& submit(const std::string& user, const std::string& node_label = {}) {
    auto& client = peer("client:" + user);
    say(client, cluster, SubmitApplication{"words", "default", user, {1, 0}, 2, {"", "/state", {}}, node_label});
    return client;
  }
};

BOOST_AUTO_TEST_CASE(known_groups_place_an_application_at_once) {
  GroupWorld world;
  world.directory.answers["ann"] = {"staff"};
  BOOST_TEST(world.submit("ann").last<ApplicationAccepted>().queue == "root.staff");
  BOOST_TEST(world.directory.asked.empty());
}

BOOST_AUTO_TEST_CASE(a_hanging_group_look_up_blocks_neither_nodes_nor_other_users) {
  GroupWorld world;
  auto& ann = world.submit("ann");
  BOOST_TEST(ann.count<ApplicationAccepted>() == 0);
  auto& node = world.peer("node:1");
  world.say(node, world.cluster, RegisterNode{"a", "/r1", "a:1", {4096, 4}, "build", false});
  BOOST_TEST(node.count<NodeRegistered>() == 1);
  world.directory.answers["bob"] = {"staff"};
  BOOST_TEST(world.submit("bob").last<ApplicationAccepted>().application.number == 2);
  world.advance(6s);
  BOOST_TEST(ann.last<Notice>().text ==
             "the application waits until the groups of user ann are known: the user directory of this machine has not "
             "answered; `id ann` shows whether it does");
  world.directory.answer("ann", {"guests"});
  world.settle();
  BOOST_TEST(ann.last<ApplicationAccepted>().queue == "root.guests");
  BOOST_TEST(ann.last<ApplicationAccepted>().application.number == 1);
}

BOOST_AUTO_TEST_CASE(applications_of_one_user_wait_for_one_group_look_up_in_order) {
  GroupWorld world;
  auto& ann = world.submit("ann");
  world.submit("ann");
  BOOST_TEST(world.directory.asked.size() == 1U);
  world.directory.answers["ann"] = {"staff"};
  world.submit("ann");  // the groups are known, but GroupsFound has not arrived
  BOOST_TEST(ann.count<ApplicationAccepted>() == 0);
  world.directory.answer("ann", {"staff"});
  world.settle();
  std::vector<std::int64_t> numbers;
  for (const auto& each : ann.all<ApplicationAccepted>()) numbers.push_back(each.application.number);
  BOOST_TEST((numbers == std::vector<std::int64_t>{1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(an_invalid_application_is_refused_without_a_group_look_up) {
  GroupWorld world;
  BOOST_TEST(world.submit("ann", "gpu").count<ApplicationRefused>() == 1);
  BOOST_TEST(world.directory.asked.empty());
}

BOOST_AUTO_TEST_CASE(an_application_that_is_refused_after_the_group_look_up_is_removed) {
  GroupWorld world;
  auto& ann = world.submit("ann");
  world.directory.answer("ann", {});  // without a group the rule finds no queue
  world.settle();
  BOOST_TEST(ann.count<ApplicationRefused>() == 1);
  world.say(ann, world.cluster, KillApplication{{1000, 1}, "by its user"});
  BOOST_TEST(world.events().count("stale_kill_application") == 1);
}

BOOST_AUTO_TEST_CASE(an_application_killed_during_the_group_look_up_ends_after_it_is_accepted) {
  GroupWorld world;
  auto& ann = world.submit("ann");
  world.say(ann, world.cluster, KillApplication{{1000, 1}, "by its user"});
  BOOST_TEST(ann.count<ApplicationEnded>() == 0);
  world.directory.answer("ann", {"staff"});
  world.settle();
  BOOST_TEST(ann.count<ApplicationAccepted>() == 1);
  BOOST_TEST(ann.last<ApplicationEnded>().text == "the application was killed: by its user");
}

BOOST_AUTO_TEST_CASE(groups_found_without_known_groups_looks_them_up_again) {
  GroupWorld world;
  auto& ann = world.submit("ann");
  world.say(world.cluster, GroupsFound{"ann"});
  BOOST_TEST(ann.count<ApplicationAccepted>() == 0);
  BOOST_TEST(world.directory.asked.size() == 2U);
}

BOOST_AUTO_TEST_CASE(an_application_whose_client_is_lost_during_the_group_look_up_is_accepted) {
  GroupWorld world;
  auto& ann = world.submit("ann");
  world.kill(ann);
  world.directory.answer("ann", {"staff"});
  world.settle();
  BOOST_TEST(world.events().count("application_accepted") == 1);
}

BOOST_AUTO_TEST_CASE(waiting_submissions_are_removed_by_user) {
  WaitingSubmissions waiting;
  for (const std::int64_t number : {1, 2, 3}) waiting.add({1000, number}, number == 2 ? "bob" : "ann");
  BOOST_TEST((waiting.find({1000, 4}) == nullptr));
  const auto taken = waiting.take("ann");
  BOOST_REQUIRE(taken.size() == 2U);
  BOOST_TEST(taken[0].application.number == 1);
  BOOST_TEST(taken[1].application.number == 3);
  BOOST_TEST(!waiting.has_of("ann"));
  BOOST_TEST(waiting.has_of("bob"));
}

}  // namespace
}  // namespace resource_manager_groups_test
}  // namespace heddle::actors
