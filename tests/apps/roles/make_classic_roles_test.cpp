// Goal: each role of framework classic sends the values of its launch spec and settings to its peers.
// Method: one role at a time in virtual time, with peers that only record, and ports without effect.
#include "apps/roles/make_classic_roles.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

#include "apps/job_files/job_packages.hpp"
#include "apps/roles/session_files.hpp"
#include "tests/apps/roles/no_ports.hpp"
#include "tests/support/actor_world.hpp"
#include "tests/support/classic_packages.hpp"
#include "tests/support/scratch_folder.hpp"

namespace heddle::apps {
namespace make_classic_roles_test {
namespace {

struct Immediate final : ports::Background {
  void run(std::function<void()> work) override { work(); }
};

/// Must outlive the actors.
struct NoPorts {
  NoLauncher launcher;
  NoFiles files;
  NoRunner runner;
  Immediate background;
};

struct World : NoPorts, tests::ActorWorld {
  config::Settings settings;
  RoleWorld here() { return {system(), tools()}; }
  void set(const char* key, const char* value) {
    BOOST_REQUIRE(settings.set(key, value, config::Origin::command_line, "").has_value());
  }
  JobTrackerActor job_tracker() {
    actors::JobTrackerPorts ports;
    ports.background = &background;
    return adopt(make_job_tracker(here(), {1000, "/ready", "/jobs", "owner", "", 0}, settings, ports));
  }
};

TrackerHeartbeat first_contact(const std::string& build) {
  TrackerHeartbeat message;
  message.tracker = "tracker_a";
  message.incarnation = 5;
  message.host = "a";
  message.rack = "/r1";
  message.build_id = build;
  message.map_slots = 1;
  message.reduce_slots = 1;
  message.is_initial_contact = true;
  return message;
}

BOOST_AUTO_TEST_CASE(a_job_tracker_reads_a_package_and_gives_its_job_an_id_and_a_token) {
  const work::ScratchFolder folder;
  const auto path = folder.file("job");
  BOOST_REQUIRE(save_job_package(path, tests::map_only_package({{"a"}})).has_value());
  std::set<std::string> tokens;
  for (int round = 0; round < 2; ++round) {  // the random stream of the world has the same seed in both
    World world;
    const auto tracker = world.job_tracker();
    auto& client = world.peer("client");
    auto& node = world.peer("node");
    SubmitJob job;
    job.request = 3;
    job.package_file = path;
    world.say(client, tracker, job);
    BOOST_TEST(client.last<JobAccepted>().request == 3);
    BOOST_TEST(client.count<JobFinished>() == 0);
    world.say(node, tracker, first_contact(build_id()));
    const auto answer = node.last<HeartbeatResponse>();
    BOOST_TEST_REQUIRE(answer.jobs.size() == 1U);
    const auto& given = answer.jobs.front();
    BOOST_TEST((given.application == ApplicationId{1000, client.last<JobAccepted>().job.value}));
    BOOST_TEST(given.token.size() == 32U);
    tokens.insert(given.token);
  }
  BOOST_TEST(tokens.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_job_tracker_refuses_a_task_tracker_of_another_build) {
  World world;
  const auto tracker = world.job_tracker();
  auto& node = world.peer("node");
  world.say(node, tracker, first_contact("another"));
  BOOST_TEST(node.count<TrackerRefused>() == 1);
}

BOOST_AUTO_TEST_CASE(a_task_tracker_reports_the_slots_of_its_spec) {
  World world;
  auto& master = world.peer("jt:1");
  LaunchSpec spec;
  spec.role = TaskTrackerLaunch{"jt:1", "a", "/r1", 3, 2, 100, "/files", "owner"};
  actors::TaskTrackerPorts ports;
  ports.address = "tt:1";
  ports.launcher = &world.launcher;
  ports.files = &world.files;
  world.adopt(make_task_tracker(world.here(), spec, world.settings, "/bin/heddle", 77, ports));
  world.settle();
  const auto first = master.last<TrackerHeartbeat>();
  BOOST_TEST(first.tracker == "tracker_a");
  BOOST_TEST(first.host == "a");
  BOOST_TEST(first.rack == "/r1");
  BOOST_TEST(first.map_slots == 3);
  BOOST_TEST(first.reduce_slots == 2);
  BOOST_TEST(first.incarnation == 77);
  BOOST_TEST(first.build_id == build_id());
  BOOST_TEST(first.is_initial_contact);
}

BOOST_AUTO_TEST_CASE(a_task_child_shows_its_number_and_the_token_of_its_job) {
  World world;
  auto& parent = world.peer("tt:1");
  LaunchSpec spec;
  spec.container.token = "secret";
  spec.role = TaskChildLaunch{"tt:1", 12, "owner"};
  actors::TaskChildPorts ports;
  ports.runner = &world.runner;
  ports.background = &world.background;
  world.adopt(make_task_child(world.here(), spec, world.settings, ports));
  world.settle();
  BOOST_TEST(parent.last<GetTask>().child == 12);
  BOOST_TEST(parent.last<GetTask>().secret == "secret");
}

}  // namespace
}  // namespace make_classic_roles_test
}  // namespace heddle::apps
