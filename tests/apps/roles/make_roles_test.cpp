// Goal: each role sends the values of its launch spec to its peers.
// Method: one role at a time in virtual time, with peers that only record, and ports without effect.
#include "apps/roles/make_roles.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>

#include "apps/roles/session_files.hpp"
#include "tests/apps/roles/no_ports.hpp"
#include "tests/support/actor_world.hpp"

namespace heddle::apps {
namespace make_roles_test {
namespace {

using namespace std::chrono_literals;

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

/// Container of the master of the first application, from a ResourceManager with these settings.
ContainerId first_container(const std::string& scheduler, const std::string& epoch) {
  World world;
  for (const auto& [key, value] :
       {std::pair{"heddle.resource_manager.scheduler", scheduler}, std::pair{"heddle.resource_manager.epoch", epoch}})
    BOOST_REQUIRE(world.settings.set(key, value, config::Origin::command_line, "test").has_value());
  const auto made = make_resource_manager(world.here(), {1000, 0, ""}, world.settings, {});
  BOOST_REQUIRE(made.has_value());
  const auto& cluster = world.adopt(*made);
  auto& node = world.peer("node:1");
  world.say(node, cluster, RegisterNode{"a", "/r1", "a:1", {4096, 4}, build_id(), false});
  SubmitApplication message;
  message.queue = "default";
  message.user = "me";
  message.master = {1024, 1};
  world.say(world.peer("client"), cluster, message);
  const auto registered = node.last<NodeRegistered>();
  for (int beat = 0; beat < 3 && node.count<StartContainer>() == 0; ++beat) {  // a fair share needs an update first
    world.advance(1s);
    world.say(node, cluster, NodeHeartbeat{registered.node, registered.epoch, {}});
  }
  return node.last<StartContainer>().container;
}

BOOST_AUTO_TEST_CASE(containers_of_a_restarted_resource_manager_have_other_ids_if_its_epoch_is_another) {
  for (const auto* scheduler : {"fifo", "fair", "capacity"}) {
    BOOST_TEST(first_container(scheduler, "0").value == 1, scheduler);
    BOOST_TEST(first_container(scheduler, "3").value == (std::int64_t{3} << 40) + 1, scheduler);
  }
}

// The random stream of the world has the same seed in both rounds: the tokens do not depend on it.
BOOST_AUTO_TEST_CASE(a_resource_manager_gives_each_attempt_a_token_from_the_random_source_of_the_system) {
  std::set<std::string> tokens;
  for (int round = 0; round < 2; ++round) {
    World world;
    const auto made = make_resource_manager(world.here(), {1000, 0, ""}, world.settings, {});
    BOOST_REQUIRE(made.has_value());
    const auto& cluster = world.adopt(*made);
    auto& node = world.peer("node:1");
    world.say(node, cluster, RegisterNode{"a", "/r1", "a:1", {4096, 4}, build_id(), false});
    SubmitApplication message;
    message.queue = "default";
    message.user = "me";
    message.master = {1024, 1};
    for (int application = 0; application < 2; ++application) {
      world.say(world.peer("client"), cluster, message);
      const auto token = node.last<StartContainer>().token;
      BOOST_TEST(token.size() == 32U);
      tokens.insert(token);
    }
    BOOST_TEST(node.count<StartContainer>() == 2);
  }
  BOOST_TEST(tokens.size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_node_manager_registers_with_the_host_and_resources_of_its_spec) {
  World world;
  auto& cluster = world.peer("rm:1");
  const auto publish = [](const NodeManagerActor&) { return std::string{"a:1"}; };
  world.adopt(make_node_manager(world.here(), {"rm:1", "a", "/r1", {4096, 8, {{"yarn.io/gpu", 2}}}, 100, "/work"},
                                world.settings, {&world.launcher, &world.files, publish, "/program"}));
  world.settle();
  const auto node = cluster.last<RegisterNode>();
  BOOST_TEST(node.host == "a");
  BOOST_TEST(node.rack == "/r1");
  BOOST_TEST(node.address == "a:1");
  BOOST_TEST((node.capacity == Resource{4096, 8, {{"yarn.io/gpu", 2}}}));
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
  world.adopt(
      make_executor(world.here(), World::container(launch), world.settings, {}, {&world.runner, [](auto&, bool) {}}));
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
  world.adopt(make_executor(world.here(), spec, world.settings, {}, {&world.runner, [](auto&, bool) {}},
                            driver.as<DriverActor>()));
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
  BOOST_TEST((master.job_service == JobServiceKind::driver_of_client));
  BOOST_TEST(master.driver_address == "driver:1");
}

BOOST_AUTO_TEST_CASE(a_driver_accepts_a_job_of_its_client) {
  World world;
  auto& client = world.peer("client");
  const auto role = world.adopt(make_driver(world.here(), {{1000, 1}, 1, {}, 1}, world.settings, {}));
  SubmitJob job;
  job.request = 6;
  job.package.graph.stages.emplace_back().partitions = 1;
  job.package.splits.resize(1);
  world.say(client, role, job);
  BOOST_TEST(client.last<JobAccepted>().request == 6);
}

// -- settings ----------------------------------------------------------------------

using Values = std::vector<std::pair<std::string, std::string>>;

void set(World& world, const Values& values) {
  for (const auto& [key, value] : values)
    BOOST_REQUIRE(world.settings.set(key, value, config::Origin::command_line, "test").has_value());
}

// Without a service on the node, executors serve map outputs: one whose outputs are needed is not idle.
BOOST_AUTO_TEST_CASE(shuffle_tracking_acts_where_executors_serve_map_outputs) {
  for (const bool executors_serve : {false, true}) {
    DriverLaunch launch;
    launch.executors_serve_outputs = executors_serve;
    const auto made = driver_settings(launch, config::Settings{});
    BOOST_TEST(made.map_outputs.executors_serve == executors_serve);
    BOOST_TEST(made.allocation.monitor.shuffle_service == !executors_serve);
    BOOST_TEST(made.allocation.monitor.shuffle_tracking);
  }
}

// TS-2.5: without it executors with low ids get all small jobs. The order of ids is for deterministic tests only.
BOOST_AUTO_TEST_CASE(the_driver_of_a_product_shuffles_offers) {
  BOOST_TEST(driver_settings(DriverLaunch{}, config::Settings{}).shuffles_offers);
}

BOOST_AUTO_TEST_CASE(user_label_and_attempts_of_an_application_are_submitted) {
  World world;
  set(world, {{"heddle.application.user", "somebody"},
              {"spark.yarn.executor.nodeLabelExpression", "gpu"},
              {"heddle.application.max_attempts", "7"}});
  auto& cluster = world.peer("rm:1");
  ClientLaunch launch;
  launch.resource_manager_address = "rm:1";
  launch.user = "me";
  actors::ClientPorts ports;
  ports.listener = &world.listener;
  world.adopt(make_client(world.here(), launch, world.settings, ports));
  world.settle();
  const auto message = cluster.last<SubmitApplication>();
  BOOST_TEST(message.user == "somebody");
  BOOST_TEST(message.node_label == "gpu");
  BOOST_TEST(message.attempts_max == 7);
}

/// A world in which roles get no connection; `connector` has their requests.
struct UnconnectedWorld : World {
  tests::Peer& connector = peer("connector");
  RoleWorld here() {
    auto all = tools();
    all.connector = connector.as<PeerConnectorActor>();
    return {system(), all};
  }
};

BOOST_AUTO_TEST_CASE(each_role_waits_for_its_peer_as_long_as_its_setting_says) {
  for (const std::int64_t ms : {7'000, 9'000}) {
    const auto value = std::to_string(ms) + "ms";
    UnconnectedWorld world;
    set(world, {{"heddle.node_manager.resource_manager_wait", value}});
    world.adopt(make_node_manager(world.here(), {"rm:1", "a", "/r1", {4096, 8}, 100, "/work"}, world.settings,
                                  {&world.launcher, &world.files, {}, "/program"}));
    world.settle();
    BOOST_TEST(world.connector.last<ConnectPeer>().patience_ms == ms);
    UnconnectedWorld of_executor;
    set(of_executor, {{"heddle.executor.register_timeout", value}});
    of_executor.adopt(make_executor(of_executor.here(),
                                    World::container(ExecutorLaunch{ExecutorId{8}, 2, {}, "d:1", 0}),
                                    of_executor.settings, {}, {&of_executor.runner, [](auto&, bool) {}}));
    of_executor.settle();
    BOOST_TEST(of_executor.connector.last<ConnectPeer>().patience_ms == ms);
    UnconnectedWorld of_master;
    set(of_master, {{"heddle.network.connect_timeout", value}});
    of_master.adopt(make_application_master(of_master.here(), World::container(ApplicationMasterLaunch{}),
                                            of_master.settings, std::nullopt));
    of_master.settle();
    const auto requests = of_master.connector.all<ConnectPeer>();
    BOOST_TEST(std::count_if(requests.begin(), requests.end(),
                             [ms](const ConnectPeer& request) { return request.patience_ms == ms; }) == 1);
  }
}

BOOST_AUTO_TEST_CASE(a_master_repeats_its_registration_as_often_as_its_settings_say) {
  for (const bool is_set : {false, true}) {
    World world;
    if (is_set) set(world, {{"heddle.network.ask_timeout", "1s"}, {"heddle.network.connect_retries", "2"}});
    auto& cluster = world.peer("rm:1");
    world.peer("driver:1");
    ApplicationMasterLaunch launch;
    launch.driver_address = "driver:1";
    const auto role =
        world.adopt(make_application_master(world.here(), World::container(launch), world.settings, std::nullopt));
    world.advance(2500ms);
    BOOST_TEST(cluster.count<RegisterApplicationMaster>() == (is_set ? 3 : 1));
    BOOST_TEST(!world.has_ended(role));
    world.advance(1s);
    BOOST_TEST(cluster.count<RegisterApplicationMaster>() == (is_set ? 3 : 1));
    BOOST_TEST(world.has_ended(role) == is_set);
  }
}

BOOST_AUTO_TEST_CASE(rules_about_failed_executors_reach_the_allocator) {
  const auto start_of = [](const Values& values) {
    World world;
    set(world, values);
    world.peer("rm:1");
    world.adopt(make_application_master(world.here(), World::container(ApplicationMasterLaunch{}), world.settings,
                                        std::nullopt));
    world.settle();
    for (const auto& line : world.events().lines)
      if (line.find(R"("event":"container_allocator_settings")") != std::string::npos) return line;
    return std::string{};
  };
  const auto without = start_of({});
  BOOST_REQUIRE(!without.empty());
  const auto with = start_of({{"heddle.allocator.exclude_nodes", "b, a ,,c"},
                              {"heddle.allocator.failures_validity", "7s"},
                              {"heddle.allocator.exclude_on_launch_failure", "true"},
                              {"heddle.exclusion.timeout", "90s"},
                              {"heddle.exclusion.application_failed_executors_per_node", "5"}});
  for (const std::string text :
       {R"("excluded_nodes":["a","b","c"])", R"("failure_validity":7000000)", R"("exclude_on_launch_failure":true)",
        R"("exclusion_timeout":90000000)", R"("failures_per_node_max":5)"}) {
    BOOST_TEST(with.find(text) != std::string::npos, text << " is not in " << with);
    BOOST_TEST(without.find(text) == std::string::npos, text);
  }
}

struct RecordingLauncher final : ports::ProcessLauncher {
  Result<ProcessNumber> start(const ports::LaunchContext& context, OnEnd) override {
    contexts.push_back(context);
    return Error{Errc::io, "no process"};
  }
  void stop(ProcessNumber, std::int64_t) override {}
  void measure(std::vector<ProcessNumber>, OnMeasured on_measured) override { on_measured({}); }
  void stop_all() override {}
  std::vector<ports::LaunchContext> contexts;
};

BOOST_AUTO_TEST_CASE(a_node_sends_heartbeats_and_cuts_logs_as_its_settings_say) {
  RecordingLauncher launcher;  // outlives the world
  World world;
  set(world, {{"heddle.node_manager.heartbeat_interval", "5s"}, {"heddle.container_log.bytes_max", "8k"}});
  auto& cluster = world.peer("rm:1");
  const auto node = world.adopt(make_node_manager(
      world.here(), {"rm:1", "a", "/r1", {4096, 8}, 100, "/work"}, world.settings,
      {&launcher, &world.files, [](const NodeManagerActor&) { return std::string{"a:1"}; }, "/program"}));
  world.settle();
  world.say(cluster, node, NodeRegistered{NodeId{3}, Epoch{3}});
  const auto before = cluster.count<NodeHeartbeat>();
  world.advance(4900ms);
  BOOST_TEST(cluster.count<NodeHeartbeat>() == before);
  world.advance(200ms);
  BOOST_TEST(cluster.count<NodeHeartbeat>() == before + 1);
  world.say(cluster, node,
            StartContainer{ContainerId{7},
                           {{1000, 1}, 1},
                           {1024, 1},
                           "token",
                           {"", "/state", ExecutorLaunch{ExecutorId{8}, 2, ProfileId{0}, "d:1", 0}}});
  BOOST_REQUIRE(launcher.contexts.size() == 1U);
  BOOST_TEST(launcher.contexts[0].log_bytes_max == 8192);
}

BOOST_AUTO_TEST_CASE(attempts_and_unused_containers_end_as_the_settings_of_the_cluster_say) {
  for (const bool is_set : {false, true}) {
    World world;
    if (is_set)
      set(world, {{"heddle.resource_manager.max_application_attempts", "1"},
                  {"heddle.resource_manager.allocation_timeout", "5s"}});
    ResourceManagerPorts ports;
    ports.make_token = [] { return std::string(32, 't'); };
    const auto made = make_resource_manager(world.here(), {1000, 0, ""}, world.settings, ports);
    BOOST_REQUIRE(made.has_value());
    const auto& cluster = world.adopt(*made);
    auto& client = world.peer("client");
    auto& node = world.peer("node:1");
    auto& allocator = world.peer("allocator:1");
    world.say(node, cluster, RegisterNode{"a", "/r1", "a:1", {4096, 4}, build_id(), false});
    SubmitApplication message;
    message.queue = "default";
    message.user = "me";
    message.master = {1024, 1};
    message.attempts_max = 0;
    world.say(client, cluster, message);
    const auto master = node.last<StartContainer>();
    world.say(world.peer("master:1"), cluster,
              RegisterApplicationMaster{master.attempt, "master:1", "", std::string(32, 't')});
    AllocateRequest request;
    request.attempt = master.attempt;
    request.asks = {{0, "*", {1024, 1}, 1, true}};
    world.say(allocator, cluster, request);
    if (allocator.last<AllocateResponse>().allocated.empty()) {  // the grant follows a heartbeat or a change
      request.response_id = allocator.last<AllocateResponse>().response_id;
      request.asks.clear();
      world.say(allocator, cluster, request);
    }
    BOOST_REQUIRE(allocator.last<AllocateResponse>().allocated.size() == 1U);
    world.advance(6s);
    request.response_id = allocator.last<AllocateResponse>().response_id;
    request.asks.clear();
    world.say(allocator, cluster, request);
    BOOST_TEST(allocator.last<AllocateResponse>().completed.size() == (is_set ? 1U : 0U));
    const auto registered = node.last<NodeRegistered>();
    world.say(node, cluster, ContainerExited{registered.node, registered.epoch, {master.container, {1, "why"}}});
    world.advance(1s);
    BOOST_TEST(client.count<ApplicationEnded>() == (is_set ? 1 : 0));
  }
}

}  // namespace
}  // namespace make_roles_test
}  // namespace heddle::apps
