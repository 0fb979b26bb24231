// Goal: queues through the actor: placement, limits, a changed file, preemption with its timeouts, when nodes are
// offered. Method: fake clients, nodes, masters and allocators around one ResourceManager with fair or capacity rules,
// virtual time.
#include <boost/test/unit_test.hpp>

#include "actors/resource_manager/cluster_start.hpp"
#include "policies/cluster/scheduler/resource_scheduler.hpp"
#include "tests/support/actor_world.hpp"

namespace heddle::actors {
namespace resource_manager_queues_test {
namespace {

using namespace std::chrono_literals;

struct QueueOptions {
  std::string queues = "<allocations/>";
  bool offers_on_change = true;
  bool is_preemption_on = false;
  bool is_continuous = false;
};

Result<policies::QueueFile> read(const std::string& file, const std::string& content) {
  auto queues = config::read_fair_scheduler_xml(content, file);
  if (!queues) return queues.error();
  return policies::QueueFile{std::move(*queues)};
}

struct QueueWorld : tests::ActorWorld {
  ResourceManagerActor cluster;

  explicit QueueWorld(const QueueOptions& options = {}) {
    config::ResourceManagerSettings settings;
    settings.offer_on_change = options.offers_on_change;
    policies::FairSchedulerSettings fair;
    fair.minimum_allocation = {1, 0};
    fair.increment = {1, 1};
    fair.update_interval = 500ms;
    fair.preemption.is_enabled = options.is_preemption_on;
    if (options.is_continuous) fair.locality.continuous_sleep = 5ms;
    fair.preemption.wait_before_kill = 2s;
    fair.preemption.wait_before_next_check = 1s;
    const auto queues = config::read_fair_scheduler_xml(options.queues, "queues.xml");
    start(settings, policies::ResourceScheduler{policies::FairScheduler{fair, *queues, now()}});
  }
  explicit QueueWorld(const policies::CapacityScheduler& rules) {
    config::ResourceManagerSettings settings;
    settings.offer_on_change = true;
    start(settings, policies::ResourceScheduler{rules});
  }
  void start(const config::ResourceManagerSettings& settings, const policies::ResourceScheduler& rules) {
    ResourceManagerStart start{1000, "build", 0, std::make_shared<const policies::ResourceScheduler>(rules)};
    start.read_queues = read;
    start.make_token = [] { return std::string(32, 't'); };
    cluster = adopt(spawn_resource_manager(system(), settings, tools(), start));
    settle();
  }
  tests::Peer& add_node(const std::string& host, std::int64_t memory_mib, const ResourceAmounts& others = {}) {
    auto& node = peer("node:" + host);
    say(node, cluster, RegisterNode{host, "/r1", host + ":1", {memory_mib, 100, others}, "build", false});
    return node;
  }
  tests::Peer& submit(const std::string& user, const std::string& queue = "default", std::int64_t master_mib = 1) {
    auto& client = peer("client:" + user);
    say(client, cluster, SubmitApplication{"words", queue, user, {master_mib, 0}, 2, {"", "/state", {}}});
    return client;
  }
  /// The master of the nth application registers and asks for containers of 1000 MiB.
  tests::Peer& ask(std::int64_t number, std::int64_t count, const ResourceAmounts& others = {}) {
    const AttemptId attempt{{1000, number}, 1};
    say(peer("master:" + std::to_string(number)), cluster,
        RegisterApplicationMaster{attempt, "master", "", std::string(32, 't')});
    auto& allocator = peer("allocator:" + std::to_string(number));
    AllocateRequest request;
    request.attempt = attempt;
    request.asks = {{1, "*", {1000, 1, others}, count, true}};
    say(allocator, cluster, request);
    return allocator;
  }
  /// An AllocateRequest without new requests.
  AllocateResponse allocate(std::int64_t number) {
    auto& allocator = peer("allocator:" + std::to_string(number));
    AllocateRequest request;
    request.attempt = {{1000, number}, 1};
    request.response_id = allocator.last<AllocateResponse>().response_id;
    say(allocator, cluster, request);
    return allocator.last<AllocateResponse>();
  }
};

BOOST_AUTO_TEST_CASE(the_client_gets_the_queue_or_the_reason_of_a_refusal) {
  QueueWorld world;
  BOOST_TEST(world.submit("ann").last<ApplicationAccepted>().queue == "root.ann");
  BOOST_TEST(world.submit("bob", "etl").last<ApplicationAccepted>().queue == "root.etl");
  BOOST_TEST(world.submit("eve", "etl.").last<ApplicationRefused>().text.find("dot") != std::string::npos);
}

// FS-5: without a heartbeat and without offers on change, by ContinuousOffersTick.
BOOST_AUTO_TEST_CASE(continuous_scheduling_needs_no_heartbeat) {
  for (const bool is_continuous : {false, true}) {
    QueueWorld world{{"<allocations/>", false, false, is_continuous}};
    auto& small = world.add_node("a", 4000);
    auto& large = world.add_node("b", 8000);
    world.submit("ann");
    world.advance(2s);
    BOOST_TEST(large.count<StartContainer>() == (is_continuous ? 1 : 0));
    BOOST_TEST(small.count<StartContainer>() == 0);
    if (!is_continuous) continue;
    world.ask(1, 3);
    world.advance(2s);
    BOOST_TEST(world.allocate(1).allocated.size() == 3U);
  }
}

BOOST_AUTO_TEST_CASE(an_application_above_its_queue_limit_waits_with_a_reason_until_the_queue_file_changes) {
  QueueWorld world{{"<allocations><queue name='one'><maxRunningApps>1</maxRunningApps></queue></allocations>"}};
  auto& node = world.add_node("a", 8000);
  world.submit("ann", "one");
  auto& second = world.submit("bob", "one");
  world.advance(6s);
  BOOST_TEST(node.count<StartContainer>() == 1);
  BOOST_TEST(second.last<Notice>().text.find(
                 "waits in root.one: The user or a queue has reached its limit of running applications.") !=
             std::string::npos);
  world.say(world.cluster, ReloadQueues{"q.xml", "<allocations><queue name='one'/></allocations>", ""});
  world.advance(1s);
  BOOST_TEST(node.count<StartContainer>() == 2);
}

BOOST_AUTO_TEST_CASE(the_maximum_of_a_queue_limits_other_resources_and_the_client_gets_the_reason) {
  QueueWorld world{
      {"<allocations><queue name='one'><maxResources>memory-mb=64000, vcores=64, "
       "license=1</maxResources></queue></allocations>"}};
  world.add_node("a", 64000, {{"license", 3}});
  auto& client = world.submit("ann", "one");
  const ResourceAmounts license{{"license", 1}};
  world.advance(1s);
  world.ask(1, 2, license);
  world.advance(6s);
  BOOST_TEST(world.allocate(1).allocated.size() == 1U);
  BOOST_TEST(
      client.last<Notice>().text ==
      "a container waits in root.one: The next container needs license=1, which would exceed the maximum of root.one.");
  // Other queues may use what this queue may not.
  world.submit("bob", "two");
  world.advance(1s);
  world.ask(2, 3, license);
  world.advance(2s);
  BOOST_TEST(world.allocate(2).allocated.size() == 2U);
}

BOOST_AUTO_TEST_CASE(an_invalid_queue_file_keeps_the_old_queues_and_reports_its_line) {
  QueueWorld world{{"<allocations><queue name='one'><maxRunningApps>1</maxRunningApps></queue></allocations>"}};
  auto& node = world.add_node("a", 8000);
  auto& first = world.submit("ann", "one");
  world.submit("bob", "one");
  world.say(
      world.cluster,
      ReloadQueues{"q.xml",
                   "<allocations>\n<queue name='one'><maxRunningApps>many</maxRunningApps></queue></allocations>", ""});
  BOOST_TEST(first.last<Notice>().text.find("the queues stay as they were: q.xml:2") != std::string::npos);
  world.say(world.cluster, ReloadQueues{"q.xml", "", "q.xml: No such file or directory"});
  BOOST_TEST(first.last<Notice>().text.find("No such file") != std::string::npos);
  BOOST_TEST(world.events().count("queues_refused") == 2);
  world.advance(2s);
  BOOST_TEST(node.count<StartContainer>() == 1);
}

BOOST_AUTO_TEST_CASE(ignored_keys_of_a_capacity_file_are_reported_once) {
  tests::ActorWorld world;
  const auto xml = [](const std::string& more) {
    const auto row = [](const std::string& key, const std::string& value) {
      return "<property><name>yarn.scheduler.capacity." + key + "</name><value>" + value + "</value></property>\n";
    };
    return "<configuration>\n" + row("root.queues", "default") + row("root.default.capacity", "100") +
           row("node-localty-delay", "1") + (more.empty() ? "" : row(more, "1")) + "</configuration>";
  };
  const auto queues = config::read_capacity_scheduler_xml(xml(""), "q.xml");
  BOOST_TEST_REQUIRE(queues.has_value());
  ResourceManagerStart start{
      1000, "build", 0, std::make_shared<const policies::ResourceScheduler>(policies::CapacityScheduler{{}, *queues})};
  start.unread_keys = queues->unread_keys;
  start.read_queues = [](const std::string& file, const std::string& content) -> Result<policies::QueueFile> {
    auto read = config::read_capacity_scheduler_xml(content, file);
    if (!read) return read.error();
    return policies::QueueFile{std::move(*read)};
  };
  const auto cluster =
      world.adopt(spawn_resource_manager(world.system(), config::ResourceManagerSettings{}, world.tools(), start));
  auto& first = world.peer("client:ann");
  auto& second = world.peer("client:bob");
  for (auto* client : {&first, &second})
    world.say(*client, cluster, SubmitApplication{"words", "default", "ann", {1, 0}, 2, {"", "/state", {}}});
  BOOST_TEST(first.count<Notice>() == 1);
  BOOST_TEST(first.last<Notice>().text.find("q.xml:4: yarn.scheduler.capacity.node-localty-delay") !=
             std::string::npos);
  BOOST_TEST(second.count<Notice>() == 0);
  world.say(cluster, ReloadQueues{"q.xml", xml("root.defaults.capacity"), ""});
  BOOST_TEST(second.count<Notice>() == 2);
  BOOST_TEST(second.last<Notice>().text.find("q.xml:5: yarn.scheduler.capacity.root.defaults.capacity") !=
             std::string::npos);
}

// heddle.application.priority and heddle.capacity.max_application_priority, which is 0 by default, as in YARN.
BOOST_AUTO_TEST_CASE(an_application_of_higher_priority_is_served_first_if_the_cluster_allows_priorities) {
  for (const std::int32_t most : {0, 5}) {
    tests::ActorWorld world;
    const auto queues = config::read_capacity_scheduler_xml(
        "<configuration>"
        "<property><name>yarn.scheduler.capacity.root.queues</name><value>default</value></property>"
        "<property><name>yarn.scheduler.capacity.root.default.capacity</name><value>100</value></property>"
        "<property><name>yarn.scheduler.capacity.maximum-am-resource-percent</name><value>1</value></property>"
        "<property><name>yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments</name>"
        "<value>100</value></property></configuration>",
        "q.xml");
    BOOST_TEST_REQUIRE(queues.has_value());
    policies::CapacitySchedulerSettings rules;
    rules.application_priority_max = most;
    ResourceManagerStart start{
        1000, "build", 0,
        std::make_shared<const policies::ResourceScheduler>(policies::CapacityScheduler{rules, *queues})};
    start.make_token = [] { return std::string(32, 't'); };
    config::ResourceManagerSettings settings;
    settings.offer_on_change = true;
    const auto cluster = world.adopt(spawn_resource_manager(world.system(), settings, world.tools(), start));
    world.settle();
    const auto add_node = [&](const std::string& host) {
      world.say(world.peer("node:" + host), cluster,
                RegisterNode{host, "/r1", host + ":1", {2048, 100}, "build", false});
    };
    add_node("a");
    for (const std::int32_t priority : {0, 9}) {
      SubmitApplication wanted{"words", "default", "ann", {1024, 1}, 2, {"", "/state", {}}};
      wanted.priority = priority;
      world.say(world.peer("client:ann"), cluster, wanted);
    }
    for (const std::int64_t number : {1, 2}) {
      const AttemptId attempt{{1000, number}, 1};
      world.say(world.peer("master:" + std::to_string(number)), cluster,
                RegisterApplicationMaster{attempt, "master", "", std::string(32, 't')});
      AllocateRequest request;
      request.attempt = attempt;
      request.asks = {{1, "*", {1024, 1}, 2, true}};
      world.say(world.peer("allocator:" + std::to_string(number)), cluster, request);
    }
    add_node("b");
    world.advance(1s);
    const auto granted = [&](std::int64_t number) {
      auto& allocator = world.peer("allocator:" + std::to_string(number));
      AllocateRequest request;
      request.attempt = {{1000, number}, 1};
      request.response_id = allocator.last<AllocateResponse>().response_id;
      world.say(allocator, cluster, request);
      return allocator.last<AllocateResponse>().allocated.size();
    };
    BOOST_TEST(granted(1) == (most > 0 ? 0U : 2U), "most " << most);
    BOOST_TEST(granted(2) == (most > 0 ? 2U : 0U), "most " << most);
  }
}

BOOST_AUTO_TEST_CASE(queues_share_by_weight) {
  QueueWorld world{{"<allocations><queue name='a'><weight>3</weight></queue><queue name='b'/></allocations>"}};
  auto& node = world.add_node("a", 8002);
  world.submit("ann", "a");
  world.submit("bob", "b");
  world.advance(1s);
  BOOST_TEST(node.count<StartContainer>() == 2);
  world.ask(1, 8);
  world.ask(2, 8);
  world.advance(1s);
  BOOST_TEST(world.allocate(1).allocated.size() == 6U);
  BOOST_TEST(world.allocate(2).allocated.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_starved_queue_preempts_containers_after_the_timeouts) {
  QueueWorld world{
      {"<allocations><defaultFairSharePreemptionTimeout>3</defaultFairSharePreemptionTimeout>"
       "<defaultFairSharePreemptionThreshold>1</defaultFairSharePreemptionThreshold>"
       "<queue name='a'/><queue name='b'/></allocations>",
       true, true}};
  auto& node = world.add_node("a", 8002);
  world.submit("ann", "a");
  world.advance(1s);
  world.ask(1, 8);
  world.advance(1s);
  BOOST_TEST(world.allocate(1).allocated.size() == 8U);
  for (int i = 0; i < 8; ++i) (void)world.allocate(1);
  world.submit("bob", "b");
  world.advance(1s);
  BOOST_TEST(node.count<StartContainer>() == 2);
  world.ask(2, 8);
  world.advance(2s);
  BOOST_TEST(node.count<StopContainer>() == 0);
  world.advance(6s);
  const auto ends = world.allocate(1).completed;
  BOOST_TEST(ends.size() == 4U);
  for (const auto& each : ends) BOOST_TEST(each.end.exit_status == -102);
  BOOST_TEST(world.allocate(2).allocated.size() == 4U);
}

// CS-8
BOOST_AUTO_TEST_CASE(a_starved_capacity_queue_preempts_containers_after_the_wait) {
  const auto row = [](const std::string& key, const std::string& value) {
    return "<property><name>yarn.scheduler.capacity." + key + "</name><value>" + value + "</value></property>";
  };
  const auto queues = config::read_capacity_scheduler_xml(
      "<configuration>" + row("root.queues", "a,b") + row("root.a.capacity", "50") + row("root.b.capacity", "50") +
          row("root.a.user-limit-factor", "2") + row("maximum-am-resource-percent", "1") +
          row("per-node-heartbeat.maximum-offswitch-assignments", "100") + "</configuration>",
      "q.xml");
  BOOST_TEST_REQUIRE(queues.has_value());
  for (const bool is_enabled : {false, true}) {
    policies::CapacitySchedulerSettings rules;
    rules.minimum_allocation = {1, 1};
    rules.preemption.is_enabled = is_enabled;
    rules.preemption.interval = 1s;
    rules.preemption.wait_before_kill = 4s;
    rules.preemption.part_per_round = 1;
    rules.preemption.natural_termination_factor = 1;
    QueueWorld world{policies::CapacityScheduler{rules, *queues}};
    auto& node = world.add_node("a", 8002);
    world.submit("ann", "a");
    world.advance(1s);
    BOOST_TEST(world.ask(1, 8).last<AllocateResponse>().allocated.size() == 8U);
    world.submit("bob", "b");
    world.advance(1s);
    BOOST_TEST(node.count<StartContainer>() == 2);
    world.ask(2, 8);
    world.advance(4s);
    BOOST_TEST(world.events().count("container_chosen") == (is_enabled ? 4 : 0));
    BOOST_TEST(node.count<StopContainer>() == 0);
    BOOST_TEST(world.allocate(1).completed.empty());
    world.advance(2s);
    BOOST_TEST(node.count<StopContainer>() == (is_enabled ? 4 : 0));
    const auto ends = world.allocate(1).completed;
    BOOST_TEST(ends.size() == (is_enabled ? 4U : 0U));
    for (const auto& each : ends) BOOST_TEST(each.end.exit_status == -102);
    BOOST_TEST(world.allocate(2).allocated.size() == (is_enabled ? 4U : 0U));
  }
}

BOOST_AUTO_TEST_CASE(with_a_hadoop_queue_file_nodes_are_offered_at_heartbeats_only) {
  QueueWorld world{{"<allocations/>", false, false}};
  auto& node = world.add_node("a", 8000);
  world.submit("ann");
  world.advance(3s);
  BOOST_TEST(node.count<StartContainer>() == 0);
  const auto registered = node.last<NodeRegistered>();
  world.say(node, world.cluster, NodeHeartbeat{registered.node, registered.epoch, {}});
  BOOST_TEST(node.count<StartContainer>() == 1);
}

}  // namespace
}  // namespace resource_manager_queues_test
}  // namespace heddle::actors
