// Goal: each role sends the values of its launch spec to its peers.
// Method: one role at a time in virtual time, with peers that only record, and ports without effect.
#include "apps/roles/make_roles.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/actor_world.hpp"

namespace heddle::apps {
namespace make_roles_test {
namespace {

using namespace std::chrono_literals;

struct NoLauncher final : ports::ProcessLauncher {
  Result<ProcessNumber> start(const ports::LaunchContext&, OnEnd) override { return Error{Errc::io, "no process"}; }
  void stop(ProcessNumber, std::int64_t) override {}
  void measure(std::vector<ProcessNumber>, OnMeasured on_measured) override { on_measured({}); }
  void stop_all() override {}
};

struct NoFiles final : ports::ApplicationFiles {
  Result<std::string> admit(const ApplicationId&, const std::string&) override { return std::string{"/files"}; }
  void forget(const ApplicationId&) override {}
  void forget_executor(const ApplicationId&, const std::string&) override {}
  Result<std::string> log_directory(const ApplicationId&, ContainerId) override { return std::string{"/logs"}; }
  [[nodiscard]] std::string shuffle_address() const override { return "shuffle:1"; }
};

struct NoRunner final : ports::TaskRunner {
  void start(OnReports) override {}
  void load_stage(std::shared_ptr<const StageProgram>) override {}
  void unload_stage(const StageKey&) override {}
  void set_locations(std::shared_ptr<const ports::ShuffleLocations>) override {}
  void run(TaskRange) override {}
  std::vector<TaskRange> retract(std::int32_t) override { return {}; }
  void kill(const StageKey&, std::int32_t, std::int32_t, const std::string&) override {}
  void drop_all(const std::string&) override {}
  void stop() override {}
};

struct NoListener final : actors::ClientListener {
  void on_report(actors::ClientReport) override {}
};

/// The ports must outlive the actors.
struct NoPorts {
  NoListener listener;
  NoLauncher launcher;
  NoFiles files;
  NoRunner runner;
};

struct World : NoPorts, tests::ActorWorld {
  config::Settings settings;
  RoleWorld here() { return {system(), tools()}; }
  static LaunchSpec container(decltype(LaunchSpec::role) role) {
    LaunchSpec spec;
    spec.container = {ContainerId{7}, {{1000, 1}, 2}, NodeId{3}, Epoch{4}, "a", 100,
                      "rm:1",         "shuffle:1",    "/files",  "secret"};
    spec.role = std::move(role);
    return spec;
  }
};

BOOST_AUTO_TEST_CASE(a_resource_manager_assigns_ids_with_the_cluster_start_of_its_spec) {
  World world;
  auto& client = world.peer("client");
  const auto role = make_resource_manager(world.here(), {1000, 0, ""}, world.settings, {});
  BOOST_REQUIRE(role.has_value());
  world.adopt(*role);
  SubmitApplication message;
  message.queue = "default";
  message.user = "me";
  message.master = {512, 1};
  world.say(client, *role, message);
  BOOST_TEST((client.last<ApplicationAccepted>().application == ApplicationId{1000, 1}));
}

BOOST_AUTO_TEST_CASE(a_node_manager_registers_with_the_host_and_resources_of_its_spec) {
  World world;
  auto& cluster = world.peer("rm:1");
  const auto publish = [](const NodeManagerActor&) { return std::string{"a:1"}; };
  world.adopt(make_node_manager(world.here(), {"rm:1", "a", "/r1", {4096, 8}, {{"yarn.io/gpu", 2}}, 100, "/work"},
                                world.settings, {&world.launcher, &world.files, publish, "/program"}));
  world.settle();
  const auto node = cluster.last<RegisterNode>();
  BOOST_TEST(node.host == "a");
  BOOST_TEST(node.rack == "/r1");
  BOOST_TEST(node.address == "a:1");
  BOOST_TEST((node.capacity == Resource{4096, 8}));
  BOOST_TEST((node.extras == ExtraResources{{"yarn.io/gpu", 2}}));
}

BOOST_AUTO_TEST_CASE(an_application_master_registers_with_the_attempt_and_token_of_its_spec) {
  World world;
  auto& cluster = world.peer("rm:1");
  world.peer("driver:1");
  ApplicationMasterLaunch launch;
  launch.driver_address = "driver:1";
  world.adopt(make_application_master(world.here(), World::container(launch), world.settings, std::nullopt));
  world.settle();
  const auto master = cluster.last<RegisterApplicationMaster>();
  BOOST_TEST((master.attempt == AttemptId{{1000, 1}, 2}));
  BOOST_TEST(master.token == "secret");
  BOOST_TEST(master.driver_address == "");
}

BOOST_AUTO_TEST_CASE(an_executor_registers_with_the_location_and_size_of_its_spec) {
  World world;
  auto& driver = world.peer("driver:1");
  const ExecutorLaunch launch{ExecutorId{8}, 2, ProfileId{1}, "driver:1", 0};
  world.adopt(make_executor(world.here(), World::container(launch), world.settings, {}, {&world.runner, [](auto&) {}}));
  world.settle();
  const auto executor = driver.last<RegisterExecutor>();
  BOOST_TEST(executor.executor.value == 8);
  BOOST_TEST(executor.cores == 2);
  BOOST_TEST(executor.profile.value == 1);
  BOOST_TEST(executor.host == "a");
  BOOST_TEST(executor.shuffle_place.directory == "/files/shuffle");
  BOOST_TEST(executor.shuffle_place.address == "shuffle:1");
}

BOOST_AUTO_TEST_CASE(an_executor_in_the_process_of_its_driver_registers_there) {
  World world;
  auto& driver = world.peer("elsewhere:1");
  LaunchSpec spec = World::container(ExecutorLaunch{ExecutorId{0}, 4, {}, "", 0});
  world.adopt(
      make_executor(world.here(), spec, world.settings, {}, {&world.runner, [](auto&) {}}, driver.as<DriverActor>()));
  world.settle();
  BOOST_TEST(driver.last<RegisterExecutor>().cores == 4);
}

BOOST_AUTO_TEST_CASE(a_client_submits_the_application_and_driver_of_its_launch) {
  World world;
  auto& cluster = world.peer("rm:1");
  ClientLaunch launch;
  launch.resource_manager_address = "rm:1";
  launch.application = {1000, 1};
  launch.name = "words";
  launch.user = "me";
  launch.log_directory = "/logs";
  launch.driver = OwnDriver{world.peer("driver:1").as<DriverActor>(), "driver:1"};
  actors::ClientPorts ports;
  ports.listener = &world.listener;
  world.adopt(make_client(world.here(), launch, world.settings, ports));
  world.settle();
  const auto message = cluster.last<SubmitApplication>();
  BOOST_TEST(message.name == "words");
  BOOST_TEST(message.user == "me");
  BOOST_TEST(message.queue == world.settings.application().queue);
  BOOST_TEST(message.launch.log_directory == "/logs");
  const auto& master = std::get<ApplicationMasterLaunch>(message.launch.role);
  BOOST_TEST(!master.holds_driver);
  BOOST_TEST(master.driver_address == "driver:1");
}

BOOST_AUTO_TEST_CASE(a_driver_accepts_a_job_of_its_client) {
  World world;
  auto& client = world.peer("client");
  const auto role = world.adopt(make_driver(world.here(), {{1000, 1}, 1, {}, 1}, world.settings, {}));
  SubmitJob job;
  job.request = 6;
  job.graph.stages.emplace_back().partitions = 1;
  job.splits.resize(1);
  world.say(client, role, job);
  BOOST_TEST(client.last<JobAccepted>().request == 6);
}

}  // namespace
}  // namespace make_roles_test
}  // namespace heddle::apps
