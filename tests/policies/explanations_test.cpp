// Goal: the deciders explain why something waits, who holds the missing resource and when to ask again. Method: one
// small situation per refusal of the task scheduler, executors, containers, stages and the fair queues; the property
// tests of each decider check refusals in random histories.
#include <boost/test/unit_test.hpp>

#include "policies/containers/container_allocator.hpp"
#include "policies/executors/executor_allocation.hpp"
#include "policies/stages/stage_scheduler.hpp"
#include "tests/support/fair_world.hpp"
#include "tests/support/task_scheduler_script.hpp"

namespace heddle::policies {
namespace explanations_test {
namespace {

using support::TaskSchedulerScript;

TaskSetExplanation of(const TaskSchedulerScript& script, std::int32_t stage) {
  return script.scheduler.explain(script.now, {StageId{stage}, 0});
}

Instant at_ms(std::int64_t milliseconds) { return Instant{std::chrono::milliseconds{milliseconds}}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(explanations)

BOOST_AUTO_TEST_CASE(a_task_set_says_why_it_launches_nothing) {
  TaskSchedulerScript script;
  BOOST_TEST((of(script, 0).refusal == TaskRefusal::unknown_set));
  script.submit(0, {{"h1/e1"}});
  BOOST_TEST((of(script, 0).refusal == TaskRefusal::no_executor));
  script.offer({"e1@h1:0", "e2@h2:0"});
  BOOST_TEST((of(script, 0).refusal == TaskRefusal::no_free_slot));
  script.offer({"e2@h2:1"});
  const TaskSetExplanation waiting = of(script, 0);
  BOOST_TEST((waiting.refusal == TaskRefusal::waiting_for_locality));
  BOOST_TEST((waiting.allowed == LocalityLevel::process));
  BOOST_TEST((waiting.retry_at == std::optional<Instant>{at_ms(3001)}));
  BOOST_TEST(waiting.text.find("process") != std::string::npos);
  BOOST_TEST(waiting.holder == "h1");
  script.offer({"e1@h1:1"});
  BOOST_TEST((of(script, 0).refusal == TaskRefusal::nothing_pending));
  script.ends(0);
  BOOST_TEST((of(script, 0).refusal == TaskRefusal::zombie));
}

BOOST_AUTO_TEST_CASE(a_set_stands_behind_those_that_really_wait_and_names_the_first) {
  TaskSchedulerScript script;
  script.submit(1, {{}}).submit(2, {{}, {}});
  script.offer({"e1@h1:1"});
  // The launched task of set 1 is still in a list of host h1: nothing waits there.
  BOOST_TEST((of(script, 1).refusal == TaskRefusal::nothing_pending));
  const TaskSetExplanation alone = of(script, 2);
  BOOST_TEST((alone.refusal == TaskRefusal::no_free_slot));
  BOOST_TEST(alone.holder == "1 of 1 is in use by stage 1");
  BOOST_TEST(alone.text == "waits for a task slot: 1 of 1 is in use by stage 1");
  BOOST_TEST(alone.after_rounds == 1);
  script.fails(0);
  const TaskSetExplanation behind = of(script, 2);
  BOOST_TEST((behind.refusal == TaskRefusal::behind_other_sets));
  BOOST_TEST(behind.text == "earlier stages took the free task slots: stage 1");
  BOOST_TEST(behind.holder == "stage 1");
  BOOST_TEST(behind.after_rounds == 1);
}

BOOST_AUTO_TEST_CASE(a_set_without_a_free_slot_names_the_stages_that_use_them) {
  TaskSchedulerScript script;
  script.submit(0, {{}, {}, {}});
  script.offer({"e1@h1:2"});
  BOOST_TEST(of(script, 0).text == "waits for a task slot: 2 of 2 are in use by this stage");
  script.submit(1, {{}}).offer({"e1@h1:0"});
  BOOST_TEST(of(script, 0).text == "waits for a task slot: 2 of 2 are in use by this stage");
  script.offer({"e1@h1:0", "e2@h1:2"});
  script.submit(2, {{}}).offer({"e3@h1:1"});
  script.submit(3, {{}}).offer({"e4@h1:1"});
  script.submit(4, {{}, {}}).offer({"e5@h1:1"});
  BOOST_TEST(of(script, 4).text ==
             "waits for a task slot: 3 of 7 are in use by stage 0, 1 by stage 1, 1 by stage 2, the rest by 2 other "
             "stages");
}

BOOST_AUTO_TEST_CASE(a_set_that_no_executor_offered_a_slot_names_nobody) {
  TaskSchedulerScript script;
  script.submit(0, {{}}).offer({"e1@h1:0"});
  BOOST_TEST(of(script, 0).text == "waits for a task slot");
}

// An earlier set keeps launched tasks in its lists until they are found.
BOOST_AUTO_TEST_CASE(stale_entries_of_a_set_ahead_hold_nobody) {
  TaskSchedulerScript script;
  script.submit(0, {{"h1/e1"}}).submit(1, {{}});
  BOOST_TEST(script.offer({"e1@h1:1"}) == "0.0/0 e1 process");
  BOOST_TEST((of(script, 1).refusal == TaskRefusal::no_free_slot));
}

BOOST_AUTO_TEST_CASE(a_set_that_may_run_nowhere_names_the_hosts_and_when_it_is_given_up) {
  TaskSchedulerSettings settings;
  settings.exclusion.emplace();
  settings.dynamic_allocation = true;
  settings.unschedulable_timeout = std::chrono::seconds{10};
  TaskSchedulerScript script{settings};
  script.submit(0, {{}}).submit(1, {{}});
  script.offer({"e0@h0:2"});
  script.fails(0);
  script.offer({"e0@h0:1"});
  const TaskSetExplanation why = of(script, 0);
  BOOST_TEST((why.refusal == TaskRefusal::excluded));
  BOOST_TEST(why.holder == "h0");
  BOOST_TEST(why.index == 0);
  BOOST_TEST((why.retry_at == std::optional<Instant>{script.now + settings.unschedulable_timeout}));
  BOOST_TEST((why.retry_at == script.scheduler.next_due()));
}

BOOST_AUTO_TEST_CASE(the_next_free_slot_is_taken_when_nothing_stands_against_it) {
  TaskSchedulerScript script;
  script.offer({"e0@h0:1"});
  script.submit(0, {{}});
  BOOST_TEST((of(script, 0).refusal == TaskRefusal::none));
  BOOST_TEST(script.offer({"e0@h0:1"}) == "0.0/0 e0 process");
}

BOOST_AUTO_TEST_CASE(the_growth_of_executors_says_what_holds_it_and_when_it_goes_on) {
  ExecutorAllocationSettings settings;
  settings.executors_initial = settings.executors_min = 1;
  settings.executors_max = 3;
  settings.tasks_per_executor = {1};
  ExecutorAllocation decider{settings};
  AllocationEffects effects;
  const auto why = [&decider] { return decider.explain(ProfileId{0}); };
  decider.apply(Instant{}, allocation_input::Started{}, effects);
  BOOST_TEST((why().refusal == AllocationRefusal::initial_number));
  BOOST_TEST(!why().next_add.has_value());
  decider.apply(Instant{}, allocation_input::StageBegun{StageId{0}, 0, 5, ProfileId{0}, {IndexRange{0, 5}}, {}},
                effects);
  BOOST_TEST((why().refusal == AllocationRefusal::backlog_must_last));
  BOOST_TEST((why().needed == 5 && why().target == 1 && why().to_add == 1));
  BOOST_TEST((why().next_add == std::optional<Instant>{Instant{} + settings.backlog_timeout}));
  for (std::int64_t second = 1; second <= 4; ++second) {
    decider.apply(Instant{std::chrono::seconds{second}}, allocation_input::PollDue{}, effects);
    for (const auto& effect : std::vector(effects))
      if (const auto* asked = std::get_if<RequestExecutorTotals>(&effect); asked != nullptr && asked->needs_answer)
        decider.apply(Instant{std::chrono::seconds{second}}, allocation_input::RequestAnswered{true}, effects);
    effects.clear();
  }
  BOOST_TEST((why().refusal == AllocationRefusal::at_maximum));
  BOOST_TEST(why().text.find("3") != std::string::npos);
  decider.apply(Instant{}, allocation_input::StageEnded{StageId{0}, 0});
  decider.apply(Instant{std::chrono::seconds{5}}, allocation_input::PollDue{}, effects);
  BOOST_TEST((why().refusal == AllocationRefusal::enough));
  settings.dynamic = false;
  BOOST_TEST((ExecutorAllocation{settings}.explain(ProfileId{0}).refusal == AllocationRefusal::fixed_number));
}

BOOST_AUTO_TEST_CASE(a_profile_says_where_its_missing_executors_are) {
  ContainerAllocatorSettings settings;
  settings.default_profile = {ProfileId{0}, {1024, 1}, 1};
  settings.initial_executors = 0;
  ContainerAllocator decider{{settings, RackTable{}}};
  ContainerEffects effects;
  const auto why = [&decider] { return *decider.explain(ProfileId{0}); };
  decider.apply(Instant{}, container_input::Started{}, effects);
  BOOST_TEST((why().refusal == ContainerRefusal::none));
  ExecutorTotals requested;
  requested.totals[ProfileId{0}] = 2;
  decider.apply(Instant{}, container_input::TotalsRequested{requested}, effects);
  BOOST_TEST((why().refusal == ContainerRefusal::not_asked_yet));
  BOOST_TEST(why().after_calls == 1);
  decider.update_requests(effects);
  BOOST_TEST((why().refusal == ContainerRefusal::containers_pending));
  BOOST_TEST(why().pending == 2);
  BOOST_TEST(why().after_calls == 1);
  decider.apply(
      Instant{},
      container_input::ContainersGranted{{{ContainerId{1}, "a", ProfileId{0}}, {ContainerId{2}, "a", ProfileId{0}}}},
      effects);
  while (decider.apply(Instant{}, container_input::LaunchDue{}, effects)) {}
  BOOST_TEST((why().refusal == ContainerRefusal::executors_starting));
  BOOST_TEST(why().starting == 2);
  for (const std::int64_t container : {1, 2})
    decider.apply(Instant{}, container_input::ExecutorStarted{ContainerId{container}});
  BOOST_TEST((why().refusal == ContainerRefusal::none));
  BOOST_TEST(!decider.explain(ProfileId{9}).has_value());
  requested.totals[ProfileId{0}] = 3;
  requested.excluded_hosts = {"a"};
  decider.apply(Instant{}, container_input::TotalsRequested{requested}, effects);
  decider.apply(Instant{}, container_input::CallAnswered{{0, {}, {}, 1, {}}}, effects);
  BOOST_TEST((why().refusal == ContainerRefusal::all_nodes_excluded));
}

BOOST_AUTO_TEST_CASE(a_stage_that_lost_outputs_says_when_it_is_submitted_again) {
  StageSchedulerSettings settings;
  StageScheduler stages{settings};
  StageEffects effects;
  const auto why = [&stages](std::int64_t stage) { return stages.explain(StageId{stage}); };
  const auto dataset = [&stages](std::int32_t partitions, std::vector<DatasetId> parents) {
    DatasetDescription description;
    description.partitions = partitions;
    for (const DatasetId parent : parents) description.dependencies.push_back({Dependency::Kind::shuffle, parent});
    return stages.apply(Instant{}, stage_input::DatasetAdded{std::move(description)});
  };
  const DatasetId sink = dataset(1, {dataset(1, {})});
  BOOST_TEST((why(0).state == StageExplanation::State::unknown));
  stages.apply(Instant{}, stage_input::JobSubmitted{JobId{0}, sink, {IndexRange{0, 1}}}, effects);
  BOOST_TEST((why(0).state == StageExplanation::State::running));
  BOOST_TEST((why(1).state == StageExplanation::State::waiting));
  BOOST_TEST((why(1).missing_parents == std::vector{StageId{0}}));
  const MapStatusLocation place{ExecutorId{1}, HostId{1}};
  stages.apply(Instant{}, stage_input::TaskSucceeded{StageId{0}, 0, 0, place, {}}, effects);
  BOOST_TEST((why(0).state == StageExplanation::State::idle));
  BOOST_TEST((why(1).state == StageExplanation::State::running));
  stages.apply(Instant{}, stage_input::FetchFailed{StageId{1}, 0, 0, ShuffleId{0}, 0, place}, effects);
  for (const std::int64_t stage : {0, 1}) {
    BOOST_TEST((why(stage).state == StageExplanation::State::failed));
    BOOST_TEST((why(stage).retry_at == std::optional<Instant>{Instant{} + settings.resubmit_delay}));
  }
  BOOST_TEST(why(0).missing_partitions == 1);
}

BOOST_AUTO_TEST_CASE(an_application_says_which_limit_of_its_queue_it_waits_for) {
  FairWorld world{
      "<queue name='q'><maxRunningApps>1</maxRunningApps><maxResources>1024 mb,1 vcores</maxResources></queue>"};
  const NodeId node = world.node(4096, 4);
  const auto reason = [&](FairWorld::App app) {
    return world.fair.explain(FairWorld::attempt(app).application).reason;
  };
  const auto first = world.submit(1024, 1, "q", 2);
  const auto second = world.submit(1024, 1, "q");
  BOOST_TEST(reason(9) == "unknown_application");
  BOOST_TEST(reason(first) == "demand_not_seen");
  BOOST_TEST(reason(second) == "running_applications_limit");
  BOOST_TEST(world.fair.explain(FairWorld::attempt(second).application).holder == "root.q");
  world.update();
  world.beat(node);
  world.update();
  BOOST_TEST(reason(first) == "queue_at_maximum");
  const auto third = world.submit(8192, 1, "other");
  world.update();
  BOOST_TEST(reason(third) == "no_room");
  BOOST_TEST(world.fair.explain(FairWorld::attempt(third).application).offers_to_wait == 1);
}

BOOST_AUTO_TEST_CASE(a_fair_queue_names_whose_limit_holds_back_an_application) {
  FairWorld world{
      "<user name='ann'><maxRunningApps>1</maxRunningApps></user>"
      "<queue name='p'><maxRunningApps>1</maxRunningApps><maxResources>2048 mb,2 vcores</maxResources><queue "
      "name='x'/></queue>"
      "<queue name='m'><maxAMShare>0.1</maxAMShare></queue>"};
  const NodeId node = world.node(8192, 8);
  const auto why = [&](FairWorld::App app) { return world.fair.explain(FairWorld::attempt(app).application); };
  const auto first = world.submit(1024, 1, "p.x", 4);
  const auto second = world.submit(1024, 1, "p.x");
  BOOST_TEST(why(second).reason == "running_applications_limit");
  BOOST_TEST(why(second).holder == "root.p");
  const auto of_ann = world.submit(1024, 1, "q", 0, "ann");
  const auto more_of_ann = world.submit(1024, 1, "q", 1, "ann");
  BOOST_TEST(why(of_ann).reason == "nothing_asked");
  BOOST_TEST(why(more_of_ann).reason == "running_applications_limit");
  BOOST_TEST(why(more_of_ann).holder == "ann");
  world.update();
  world.beat(node, 2);
  world.update();
  BOOST_TEST(why(first).reason == "queue_at_maximum");
  BOOST_TEST(why(first).holder == "root.p");
  const auto masters = world.submit_with_master(4096, 4, "m");
  world.update();
  BOOST_TEST(why(masters).reason == "master_share_limit");
  BOOST_TEST(why(masters).holder == "root.m");
  const auto named = world.submit(1024, 1, "q", 0);
  (void)world.ask(
      named, {{1, "*", 1, {1024, 1}, false}, {1, "/default-rack", 1, {1024, 1}, false}, {1, "n2", 1, {1024, 1}, true}});
  world.update();
  BOOST_TEST(why(named).reason == "only_named_places");
}

BOOST_AUTO_TEST_CASE(a_fair_application_says_when_its_demand_is_seen) {
  FairSchedulerSettings settings = numbered_settings();
  settings.update_interval = std::chrono::milliseconds{500};
  FairWorld world{"", settings};
  const auto app = world.submit(1024, 1, "q");
  const ResourceExplanation why = world.fair.explain(FairWorld::attempt(app).application);
  BOOST_TEST(why.reason == "demand_not_seen");
  BOOST_TEST((why.retry_at == std::optional<Instant>{at_ms(500)}));
}

// The number of offers to wait leads exactly to the next locality level.
BOOST_AUTO_TEST_CASE(a_fair_application_says_how_many_offers_it_waits_for_its_data) {
  for (const float threshold : {0.0F, 0.4F, 1.0F}) {
    FairSchedulerSettings settings = numbered_settings();
    settings.locality.node_threshold = settings.locality.rack_threshold = threshold;
    FairWorld world{"", settings};
    const NodeId node = world.node(8192, 8, "r1");
    for (int i = 0; i < 4; ++i) world.node(8192, 8, "r1");
    const auto app = world.submit(1024, 1, "q", 0);
    (void)world.ask(app, {{1, "*", 1, {1024, 1}, true}, {1, "r1", 1, {1024, 1}, true}, {1, "n5", 1, {1024, 1}, true}});
    world.update();
    BOOST_TEST(world.beat(node).empty());
    const ResourceExplanation why = world.fair.explain(FairWorld::attempt(app).application);
    BOOST_TEST(why.reason == "locality_delay");
    for (std::int64_t i = 1; i < why.offers_to_wait; ++i) BOOST_TEST(world.beat(node).empty());
    BOOST_TEST(world.beat(node).size() == 1U);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace explanations_test
}  // namespace heddle::policies
