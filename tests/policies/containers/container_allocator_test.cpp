// Goal: totals become absolute asks, granted containers become executors, and each container end has one loss reason.
// Method: the numbered cases of the specification, then random histories with counts checked after each step.
#include "policies/containers/container_allocator.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"
#include "tests/support/effects_of.hpp"

namespace container_allocator_test {

using namespace heddle;
using namespace heddle::policies;

namespace {

constexpr ProfileId standard{0};

struct World {
  explicit World(ContainerAllocatorSettings settings = {}) : allocator{{std::move(settings), racks()}} {}

  static RackTable racks() {
    RackTable table;
    for (int i = 1; i <= 9; ++i) table.set("h" + std::to_string(i), "/r" + std::to_string((i + 1) / 2));
    return table;
  }
  bool want(std::int32_t total, std::map<std::string, std::int32_t> hosts = {}, std::int32_t tasks = 0) {
    ExecutorTotals requested;
    requested.totals[standard] = total;
    requested.locality_tasks[standard] = tasks;
    requested.tasks_of_host[standard] = std::move(hosts);
    requested.excluded_hosts = excluded;
    return allocator.apply(now, container_input::TotalsRequested{requested}, effects);
  }
  void update() { allocator.update_requests(effects); }
  void grant(const std::vector<std::string>& hosts, ProfileId profile = standard) {
    std::vector<ContainerGrant> batch;
    for (const auto& host : hosts) batch.push_back({ContainerId{next_container++}, host, profile});
    allocator.apply(now, container_input::ContainersGranted{batch}, effects);
    for (std::size_t before = effects.size(); allocator.apply(now, container_input::LaunchDue{}, effects);
         before = effects.size())
      if (const auto* launch = std::get_if<LaunchExecutor>(&effects[before]))
        allocator.apply(now, container_input::ExecutorStarted{launch->container});
  }
  void end(std::vector<std::pair<std::int64_t, std::int32_t>> containers) {
    std::vector<CompletedContainer> batch;
    for (const auto& [container, status] : containers) batch.push_back({ContainerId{container}, {status}});
    allocator.apply(now, container_input::ContainersEnded{batch}, effects);
  }
  template <class Effect>
  std::vector<Effect> take() {
    auto found = tests::effects_of<Effect>(effects);
    effects.clear();
    return found;
  }
  void check(std::int32_t running, std::int32_t pending) const {
    BOOST_TEST(allocator.running(standard) == running);
    BOOST_TEST(allocator.pending(standard) == pending);
    allocator.check_invariants();
  }

  ContainerAllocator allocator;
  ContainerEffects effects;
  std::set<std::string> excluded;
  Instant now{};
  std::int64_t next_container = 1;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(container_allocator)

BOOST_AUTO_TEST_CASE(one_container_is_asked_for_and_used) {  // C-YA-01
  World world;
  BOOST_TEST(world.want(1));
  world.update();
  world.check(0, 1);
  world.grant({"h1"});
  world.check(1, 0);
}

BOOST_AUTO_TEST_CASE(profiles_are_matched_apart) {  // C-YA-02, C-YA-03
  World world;
  world.allocator.apply(world.now, container_input::ProfileDescribed{{ProfileId{1}, {4096, 2}, 2}});
  world.allocator.apply(world.now, container_input::ProfileDescribed{{ProfileId{2}, {1024, 1}, 1}});
  ExecutorTotals requested;
  requested.totals = {{standard, 0}, {ProfileId{1}, 1}, {ProfileId{2}, 2}};
  world.allocator.apply(world.now, container_input::TotalsRequested{requested}, world.effects);
  world.update();
  BOOST_TEST(world.allocator.pending() == 3);
  world.grant({"h1"}, ProfileId{1});
  world.grant({"h2", "h3"}, ProfileId{2});
  BOOST_TEST(world.allocator.running(ProfileId{1}) == 1);
  BOOST_TEST(world.allocator.running(ProfileId{2}) == 2);
}

// The answer of Spark 3.5.1: a profile is created with the initial target, then compared with its first total.
BOOST_AUTO_TEST_CASE(the_first_total_of_a_profile_changes_the_initial_target) {
  for (const std::int32_t total : {0, 4, 5}) {
    ContainerAllocatorSettings settings;
    settings.initial_executors = 4;
    World world{settings};
    world.allocator.apply(world.now, container_input::ProfileDescribed{{ProfileId{1}, {4096, 2}, 2}});
    BOOST_TEST(world.allocator.target(ProfileId{1}) == 0);
    ExecutorTotals requested;
    requested.totals = {{ProfileId{1}, total}};
    BOOST_TEST(world.allocator.apply(world.now, container_input::TotalsRequested{requested}, world.effects) ==
               (total != 4));
    BOOST_TEST(world.allocator.target(ProfileId{1}) == total);
    BOOST_TEST(!world.allocator.apply(world.now, container_input::TotalsRequested{requested}, world.effects));
  }
}

BOOST_AUTO_TEST_CASE(containers_nobody_asked_for_go_back) {  // C-YA-04, C-YA-05, C-YA-06
  struct Row {
    std::int32_t target;
    std::vector<std::string> grants;
    std::int32_t running;
    std::size_t released;
  };
  const std::vector<Row> rows{{1, {"h1", "h1"}, 1, 1}, {4, {"h1", "h1", "h2"}, 3, 0}, {2, {"h1", "h2", "h4"}, 2, 1}};
  for (const auto& row : rows) {
    World world;
    world.want(row.target);
    world.update();
    world.effects.clear();
    world.grant(row.grants);
    BOOST_TEST(world.take<ReleaseContainer>().size() == row.released);
    world.check(row.running, row.target - row.running);
  }
}

BOOST_AUTO_TEST_CASE(a_smaller_target_withdraws_requests_and_kills_nothing) {  // C-YA-07, C-YA-08
  World world;
  world.want(4);
  world.update();
  world.want(3);
  world.update();
  world.check(0, 3);
  world.grant({"h1", "h2"});
  world.want(1);
  world.update();
  world.check(2, 0);
}

BOOST_AUTO_TEST_CASE(a_killed_executor_is_counted_once) {  // C-YA-09, C-YA-10
  World world;
  world.want(2);
  world.update();
  world.grant({"h1", "h2"});
  for (int i = 0; i < 4; ++i)
    world.allocator.apply(world.now, container_input::ExecutorKilled{ExecutorId{1}}, world.effects);
  BOOST_TEST(world.take<ReleaseContainer>().size() == 1U);
  world.check(1, 0);
  world.update();
  world.check(1, 1);
  world.end({{1, 0}});
  BOOST_TEST(world.take<ReportExecutorRemoved>().empty());
}

BOOST_AUTO_TEST_CASE(a_container_ends_once) {  // C-YA-11, C-YA-12
  World world;
  world.want(2);
  world.update();
  world.grant({"h1", "h2"});
  world.end({{1, -1}, {1, -1}, {2, -1}});
  world.update();
  world.check(0, 2);
  BOOST_TEST(world.allocator.unexpected_releases() == 2);
  BOOST_TEST(world.take<ReportExecutorRemoved>().size() == 2U);
}

BOOST_AUTO_TEST_CASE(exclusions_travel_with_a_changed_total_only) {  // C-YA-13
  World world;
  world.excluded = {"A"};
  world.want(1);
  world.excluded = {"A", "B"};
  world.want(1);
  BOOST_TEST(world.take<ExclusionChanged>().size() == 1U);
  world.want(2);
  BOOST_TEST(world.take<ExclusionChanged>().front().added == std::vector<std::string>{"B"},
             boost::test_tools::per_element());
  world.excluded = {};
  world.want(3);
  BOOST_TEST(world.take<ExclusionChanged>().front().removed.size() == 2U);
}

BOOST_AUTO_TEST_CASE(exit_statuses_say_who_is_to_blame) {  // C-YA-15, C-YA-16
  ContainerAllocatorSettings settings;
  settings.health.exclude_on_launch_failure = true;
  settings.health.failures_per_node_max = 0;
  World world{settings};
  const std::vector<std::int32_t> harmless{0, -102, -103, -104, -106, -105, -107, -100, -101};
  world.want(20);
  world.update();
  world.grant(std::vector<std::string>(12, "h1"));
  std::int64_t container = 1;
  for (const auto status : harmless) world.end({{container++, status}});
  BOOST_TEST(world.allocator.failed_executors(world.now) == 0);
  world.effects.clear();
  world.end({{container++, -1000}});
  BOOST_TEST(world.take<ExclusionChanged>().size() == 1U);
  world.allocator.apply(world.now, container_input::ShutDown{});
  world.end({{container++, 1}});
  BOOST_TEST(world.allocator.failed_executors(world.now) == 1);
}

BOOST_AUTO_TEST_CASE(failures_leave_the_window) {  // C-YA-14
  ContainerAllocatorSettings settings;
  settings.health.failure_validity = std::chrono::seconds{100};
  World world{settings};
  world.now = Instant{std::chrono::seconds{100}};
  world.end({{900, 1}});
  BOOST_TEST(world.allocator.failed_executors(world.now) == 1);
  const auto failures_at = [&](std::int64_t second, std::int64_t more) {
    world.now = Instant{std::chrono::seconds{second}};
    for (; more > 0; --more) world.end({{1000 + 10 * second + more, 1}});
    return world.allocator.failed_executors(world.now);
  };
  BOOST_TEST(failures_at(201, 0) == 0);
  BOOST_TEST(failures_at(201, 2) == 2);
  BOOST_TEST(failures_at(251, 1) == 3);
  BOOST_TEST(failures_at(302, 0) == 1);
  BOOST_TEST(failures_at(352, 0) == 0);
}

BOOST_AUTO_TEST_CASE(a_node_being_decommissioned_is_told_once) {  // C-YA-22
  ContainerAllocatorSettings settings;
  settings.report_decommissioning = true;
  World world{settings};
  for (int i = 0; i < 3; ++i) world.allocator.on_cluster(3, {"h1"}, world.effects);
  BOOST_TEST(world.take<ReportHostDecommissioning>().size() == 1U);
}

BOOST_AUTO_TEST_CASE(an_end_before_the_start_was_answered_leaves_nothing_running) {  // C-YA-23
  World world;
  world.want(1);
  world.update();
  world.allocator.apply(world.now, container_input::ContainersGranted{{{ContainerId{1}, "h1", standard}}},
                        world.effects);
  BOOST_TEST(world.allocator.apply(world.now, container_input::LaunchDue{}, world.effects));
  world.end({{1, 1}});
  BOOST_TEST(world.allocator.starting() == 1);
  world.allocator.apply(world.now, container_input::ExecutorStarted{ContainerId{1}});
  BOOST_TEST(world.allocator.starting() == 0);
  world.check(0, 0);
}

BOOST_AUTO_TEST_CASE(a_container_elsewhere_takes_the_oldest_request) {  // C-YA-30, C-YA-31, C-YA-32, C-YA-29
  World world;
  world.want(1, {{"h1", 1}}, 1);
  world.update();
  world.want(2, {}, 0);
  world.update();
  world.check(0, 2);
  world.effects.clear();
  auto any_first = world;
  any_first.grant({"h9"});
  BOOST_TEST(any_first.allocator.explain(standard)->pending_stale == 0);
  world.want(3, {{"h1", 1}}, 1);
  world.update();
  world.grant({"h1"});
  world.check(1, 2);
  world.grant({"h2"});
  world.check(2, 1);
}

BOOST_AUTO_TEST_CASE(executor_ids_go_on_after_the_highest_known) {  // C-YA-33
  ContainerAllocatorSettings settings;
  settings.last_executor_id = 7;
  World world{settings};
  world.want(1);
  world.update();
  world.grant({"h1"});
  BOOST_TEST(to_string(world.take<LaunchExecutor>().front().executor) == "8");
}

BOOST_AUTO_TEST_CASE(a_loss_question_is_answered_by_the_end) {  // C-YA-34
  World world;
  world.want(1);
  world.update();
  world.grant({"h1"});
  world.allocator.apply(world.now, container_input::LossQuestioned{ExecutorId{1}}, world.effects);
  BOOST_TEST(world.allocator.loss_questions() == 1);
  world.effects.clear();
  world.end({{1, -102}});
  auto again = world;
  const auto answers = world.take<AnswerLossReason>();
  BOOST_TEST(answers.front().loss->end.exit_status == -102);
  BOOST_TEST(!answers.front().loss->reason.by_application);
  BOOST_TEST(again.take<ReportExecutorRemoved>().size() == 1U);
}

// Stale requests are replaced. Free ones stay, unless requests for hosts need their number.
BOOST_AUTO_TEST_CASE(missing_executors_are_asked_for_near_their_tasks) {  // C-YA-27
  struct Row {
    std::int32_t tasks_elsewhere;
    std::int32_t local;
    std::int32_t free;
  };
  for (const auto& row : {Row{2, 3, 4}, Row{5, 6, 1}}) {
    World world;
    world.want(3);
    world.update();
    world.grant({"h1", "h2"});
    world.allocator.apply(world.now, container_input::ContainersGranted{{{ContainerId{50}, "h3", standard}}},
                          world.effects);
    BOOST_TEST(world.allocator.apply(world.now, container_input::LaunchDue{}, world.effects));
    world.want(6);
    world.update();
    world.want(7, {{"h9", 1}}, 1);
    world.update();
    world.want(9, {{"h9", 1}, {"h7", 2}}, 3);
    world.update();
    world.check(2, 6);
    world.want(10, {{"h9", 1}, {"h5", row.tasks_elsewhere}}, 1 + row.tasks_elsewhere);
    BOOST_TEST(world.allocator.explain(standard)->pending_stale == 2);
    world.update();
    world.check(2, 7);
    BOOST_TEST(world.allocator.explain(standard)->pending_stale == 0);
    BOOST_TEST(world.allocator.explain(standard)->pending_local == row.local);
    BOOST_TEST(world.allocator.pending(standard) - row.local == row.free);
  }
}

// C-YA-28: stale requests go first, then free ones, then local ones.
BOOST_AUTO_TEST_CASE(a_surplus_cancels_stale_requests_first) {
  World world;
  world.want(2, {{"h1", 2}}, 2);
  world.update();
  world.want(3, {{"h3", 2}}, 2);
  world.allocator.update_requests(world.effects);
  world.effects.clear();
  world.want(1, {{"h3", 2}}, 2);
  world.update();
  world.check(0, 1);
  BOOST_TEST(world.allocator.explain(standard)->pending_local == 1);
}

// C-Y-143, C-Y-148, C-Y-152; CL-4, CL-5, CL-8, CL-9.
BOOST_AUTO_TEST_CASE(calls_say_absolute_counts_once_and_again_after_a_failure) {
  World world;
  world.want(2, {{"h1", 2}, {"h2", 2}}, 2);
  auto call = world.allocator.apply(world.now, container_input::CallDue{}, world.effects);
  const auto text = [](const AllocateCall& said) {
    std::string line;
    for (const auto& ask : said.asks) line += ask.name + ":" + std::to_string(ask.count) + " ";
    return line;
  };
  BOOST_TEST(text(call) == "*:2 /r1:2 h1:2 h2:2 ");
  world.allocator.apply(world.now, container_input::CallFailed{});
  BOOST_TEST(text(world.allocator.apply(world.now, container_input::CallDue{}, world.effects)) ==
             "*:2 /r1:2 h1:2 h2:2 ");
  world.allocator.apply(world.now, container_input::CallAnswered{{1, {}, {}, 3, {}}}, world.effects);
  BOOST_TEST(text(world.allocator.apply(world.now, container_input::CallDue{}, world.effects)) == "");
  world.grant({"h1", "h1", "h1"});
  call = world.allocator.apply(world.now, container_input::CallDue{}, world.effects);
  BOOST_TEST(call.response_id == 1);
  BOOST_TEST(text(call) == "*:0 /r1:0 h1:0 h2:0 ");
  BOOST_TEST(call.releases.size() == 1U);
  world.allocator.apply(world.now, container_input::CallAnswered{{2, {}, {}, 3, {}}}, world.effects);
  world.want(3);
  world.allocator.apply(world.now, container_input::RegistrationLost{});
  call = world.allocator.apply(world.now, container_input::CallDue{}, world.effects);
  BOOST_TEST(call.response_id == 0);
  BOOST_TEST(text(call) == "*:1 ");
  BOOST_TEST(call.releases.size() == 1U);
}

BOOST_AUTO_TEST_CASE(requests_always_add_up_to_what_is_missing) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    RandomStream random{seed};
    World world;
    for (int step = 0; step < 200; ++step) {
      std::map<std::string, std::int32_t> hosts;
      for (std::uint64_t i = random.below(4); i > 0; --i)
        hosts["h" + std::to_string(1 + random.below(9))] = 1 + static_cast<std::int32_t>(random.below(9));
      const auto target = static_cast<std::int32_t>(random.below(30));
      if (random.chance(1, 3)) world.want(target, hosts, static_cast<std::int32_t>(random.below(30)));
      world.update();
      BOOST_TEST_INFO("seed " << seed << " step " << step);
      const std::int32_t missing = std::max(0, world.allocator.target(standard) - world.allocator.running(standard));
      BOOST_TEST(world.allocator.pending(standard) == missing);
      world.grant(std::vector<std::string>(random.below(4), "h" + std::to_string(1 + random.below(9))));
      if (world.next_container > 1 && random.chance(1, 4))
        world.end({{1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(world.next_container))), 1}});
      world.allocator.check_invariants();
      world.effects.clear();
    }
  }
}

// heddle.fix.count_starting_executors (YA-12): the target decreases between the matching of a batch and its launches.
BOOST_AUTO_TEST_CASE(a_batch_can_exceed_the_target_unless_executors_that_start_count) {
  for (const bool counts : {false, true}) {
    ContainerAllocatorSettings settings;
    settings.count_starting = counts;
    World world{settings};
    world.want(2);
    world.update();
    world.allocator.apply(
        world.now,
        container_input::ContainersGranted{{{ContainerId{1}, "h1", standard}, {ContainerId{2}, "h2", standard}}},
        world.effects);
    world.want(1);
    while (world.allocator.apply(world.now, container_input::LaunchDue{}, world.effects)) {}
    BOOST_TEST(world.take<LaunchExecutor>().size() == (counts ? 1U : 2U));
  }
}

// heddle.fix.rebalance_requests (YA-9): waiting tasks prefer another host, and the total stays the same.
BOOST_AUTO_TEST_CASE(requests_follow_the_places_of_tasks_at_an_equal_total_only_if_mended) {
  for (const bool mended : {false, true}) {
    ContainerAllocatorSettings settings;
    settings.rebalance = mended;
    World world{settings};
    world.want(3, {{"h1", 2}}, 2);
    (void)world.allocator.apply(world.now, container_input::CallDue{}, world.effects);
    BOOST_TEST(!world.want(3, {{"h3", 2}}, 2));
    const auto names = [&world] {
      std::map<std::string, std::int32_t> counts;
      for (const auto& ask : world.allocator.apply(world.now, container_input::CallDue{}, world.effects).asks)
        counts[ask.name] = ask.count;
      return counts;
    };
    const auto asked = names();
    BOOST_TEST(asked.contains("h3") == mended);
    if (mended) BOOST_TEST(asked.at("h3") == 2);
    if (mended) BOOST_TEST(asked.at("h1") == 0);
    world.check(0, 3);
    BOOST_TEST(names().empty());
  }
}

// heddle.fix.always_push_exclusion (YA-3): a node is excluded, and the total stays the same.
BOOST_AUTO_TEST_CASE(excluded_nodes_are_told_at_an_equal_total_only_if_mended) {
  for (const bool mended : {false, true}) {
    ContainerAllocatorSettings settings;
    settings.always_push_exclusion = mended;
    World world{settings};
    world.want(1);
    world.effects.clear();
    world.excluded = {"h1"};
    world.want(1);
    BOOST_TEST(world.take<ExclusionChanged>().size() == (mended ? 1U : 0U));
    world.want(2);
    BOOST_TEST(world.take<ExclusionChanged>().size() == (mended ? 0U : 1U));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace container_allocator_test
