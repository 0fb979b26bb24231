// Single offers to one task set, from the numbered cases of Spark's task set manager: at most one task per call, at a
// level that the caller gives. An offer is "executor@host"; the answer is the task index, or none.
#include <boost/test/unit_test.hpp>
#include <map>

#include "model/random_stream.hpp"
#include "policies/tasks/task_scheduler_state.hpp"
#include "policies/tasks/task_speculation.hpp"

namespace heddle::policies {
namespace task_set_offers_test {
namespace {

using Level = LocalityLevel;
using Words = std::vector<std::string>;

constexpr int none = -1;

class OneSet {
public:
  OneSet(const Words& executors, const std::vector<Words>& tasks, TaskSchedulerSettings settings = {},
         const std::map<std::string, std::string>& racks = {})
      : state{std::move(settings)}, racks_{racks} {
    for (const std::string& each : executors) {
      const OfferPlace place = place_of(each);
      state.directory.record_offer(place.executor, place.host);
    }
    TaskSetDescription description;
    description.key = {StageId{0}, 0};
    description.tasks = static_cast<std::int32_t>(tasks.size());
    PreferredLocationLists lists;
    for (const Words& words : tasks) {
      std::vector<PreferredLocation> places;
      for (const std::string& word : words) {
        const auto slash = word.find('/');
        if (slash == std::string::npos) places.push_back(PreferredLocation{host(word)});
        else
          places.push_back(
              PreferredLocation{host(word.substr(0, slash)), ExecutorId{executor(word.substr(slash + 1))}});
      }
      lists.add(places);
    }
    description.places = {std::make_shared<const PreferredLocationLists>(std::move(lists)), false};
    slot_ = make_set(state, now, description);
    state.by_stage[description.key.stage].insert_or_assign(0, slot_);
    state.pools.add(slot_, state.sets);
  }

  /// Index of the task that this offer gets at this level.
  int offer(const std::string& words, Level level) {
    OfferRound::OpenOffer open{place_of(words), 1};
    OfferRound::PassResult result;
    TaskSchedulerEffects effects;
    state.round.open_with_room = 1;
    const bool is_taken = state.round.offer_slot(state, now, slot_, open, level, result, effects);
    rejected = result.rejected;
    if (!is_taken) return none;
    last_was_copy = effects.launches.at(0).speculative;
    return effects.launches.at(0).index;
  }
  /// Number of these one-core offers that get a task in one round.
  std::size_t round(const Words& offers) {
    std::vector<SlotOffer> given;
    for (const std::string& words : offers) {
      const OfferPlace place = place_of(words);
      given.push_back({ExecutorId{place.executor}, place.host, 1});
    }
    TaskSchedulerEffects effects;
    state.round.open_offers(state, given);
    state.round.offer_to_set(state, now, slot_, true, effects);
    return effects.launches.size();
  }
  void wait(std::int64_t milliseconds) { now += std::chrono::milliseconds{milliseconds}; }
  TaskSet& set() { return state.sets[slot_]; }
  void end(int index) {
    TaskSchedulerEffects effects;
    succeed_attempt(state, now, set().states[index].first_live, effects);
  }
  bool look_for_slow_ones() {
    TaskSchedulerEffects effects;
    const bool found = check_speculation(now, set(), state.settings, state.attempts, state.directory, effects);
    copies_wanted.clear();
    for (const TaskSchedulerEffect& effect : effects.events)
      if (const auto* told = std::get_if<SpeculativeTaskSubmitted>(&effect)) copies_wanted.push_back(told->index);
    return found;
  }

  TaskSchedulerState state;
  Instant now{};
  bool rejected = false;
  bool last_was_copy = false;
  std::vector<std::int32_t> copies_wanted;

private:
  HostId host(const std::string& name) {
    const auto [row, is_new] = hosts_.try_emplace(name, HostId{static_cast<std::int32_t>(hosts_.size())});
    const auto rack = racks_.find(name);
    if (is_new) state.directory.introduce_host(row->second, name, rack == racks_.end() ? "" : rack->second);
    return row->second;
  }
  std::int32_t executor(const std::string& name) {
    const auto [row, is_new] = executors_.try_emplace(name, static_cast<std::int32_t>(executors_.size()));
    if (is_new) state.directory.introduce_executor(ExecutorId{row->second}, name);
    return row->second;
  }
  OfferPlace place_of(const std::string& words) {
    const auto on = words.find('@');
    const HostId at = host(words.substr(on + 1));
    return {executor(words.substr(0, on)), at, state.directory.rack_of(at)};
  }

  std::map<std::string, std::string> racks_;
  std::map<std::string, HostId> hosts_;
  std::map<std::string, std::int32_t> executors_;
  TaskSetSlot slot_ = 0;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(task_set_offers)

// C-TSM-04.
BOOST_AUTO_TEST_CASE(waits_open_the_next_level) {
  OneSet one{{"e1@h1", "e2@h2"}, {{"h1/e1"}, {"h2/e2"}, {"h1", "h2/e2"}, {}}};
  BOOST_TEST(one.offer("e1@h1", Level::any) == 0);
  BOOST_TEST(one.offer("e1@h1", Level::process) == none);
  one.wait(3000);
  BOOST_TEST(one.offer("e1@h1", Level::node) == 2);
  BOOST_TEST(one.offer("e2@h2", Level::node) == 1);
  BOOST_TEST(one.offer("e2@h2", Level::node) == none);
  one.wait(3000);
  BOOST_TEST(one.offer("e2@h2", Level::no_pref) == 3);
}

// C-TSM-06: the legacy rule, in which each launch resets the timer.
BOOST_AUTO_TEST_CASE(each_launch_resets_the_timer_by_the_older_rule) {
  TaskSchedulerSettings settings;
  settings.legacy_reset = true;
  settings.exclusion = ExclusionSettings{};
  settings.exclusion->stage_failed_tasks_per_executor = settings.exclusion->stage_failed_executors_per_node = 1;
  OneSet one{{"e1@h1", "e2@h2", "e3@h3"}, {{"h1"}, {"h2"}, {"h2"}, {"h3"}, {"h2"}}, settings};
  BOOST_TEST(one.offer("e1@h1", Level::any) == 0);
  BOOST_TEST(one.offer("e1@h1", Level::any) == none);
  BOOST_TEST(one.rejected);
  one.wait(3000);
  BOOST_TEST(one.offer("e1@h1", Level::any) == 1);
  BOOST_TEST(one.offer("e1@h1", Level::any) == 2);
  BOOST_TEST(one.offer("e2@h2", Level::any) == 4);
  BOOST_TEST(one.offer("e2@h2", Level::any) == none);
  BOOST_TEST(one.rejected);
  one.wait(3000);
  one.set().flags.is_zombie = true;
  BOOST_TEST(one.offer("e2@h2", Level::any) == none);
  BOOST_TEST(!one.rejected);
  one.set().flags.is_zombie = false;
  const auto kept = one.set().exclusion;
  one.set().exclusion->on_failure(one.now, HostId{1}, 1, 3);
  BOOST_TEST(one.offer("e2@h2", Level::any) == none);
  BOOST_TEST(!one.rejected);
  one.set().exclusion = kept;
  BOOST_TEST(one.offer("e2@h2", Level::any) == 3);
  BOOST_TEST(one.offer("e2@h2", Level::any) == none);
  BOOST_TEST(!one.rejected);
}

// C-TSM-13.
BOOST_AUTO_TEST_CASE(copies_and_tasks_without_preference_come_after_node_local_ones) {
  TaskSchedulerSettings settings;
  settings.speculation = SpeculationSettings{};
  settings.speculation->threshold = std::chrono::seconds{1};
  settings.executor_cores = 8;
  OneSet one{{"A@h1", "B@h2", "C@h3"}, {{"h1/A"}, {"h2", "h1"}, {}, {"h3/C"}}, settings};
  BOOST_TEST(one.offer("A@h1", Level::process) == 0);
  BOOST_TEST(one.offer("A@h1", Level::node) == none);
  BOOST_TEST(one.offer("A@h1", Level::no_pref) == 1);
  one.wait(3000);
  BOOST_TEST(one.look_for_slow_ones());  // also of task 0, for which only h1 is allowed
  BOOST_TEST(one.offer("A@h1", Level::no_pref) == 2);
  BOOST_TEST(one.offer("B@h2", Level::no_pref) == 1);
  BOOST_TEST(one.last_was_copy);
  one.wait(9000);
  BOOST_TEST(one.offer("B@h2", Level::any) == 3);
}

// C-TSM-14.
BOOST_AUTO_TEST_CASE(node_local_tasks_are_taken_at_once_where_none_is_nearer) {
  OneSet one{{"A@h1", "B@h2", "C@h3"}, {{"h1"}, {"h2"}, {}, {"h3"}}};
  BOOST_TEST(one.offer("A@h1", Level::node) == 0);
  BOOST_TEST(one.offer("A@h2", Level::node) == 1);
  BOOST_TEST(one.offer("A@h3", Level::node) == 3);
  BOOST_TEST(one.offer("A@h3", Level::node) == none);
  BOOST_TEST(one.offer("A@h3", Level::no_pref) == 2);
}

// C-TSM-15.
BOOST_AUTO_TEST_CASE(node_local_tasks_follow_process_local_ones_at_once) {
  OneSet one{{"A@h1", "B@h2"}, {{"h1"}, {"h2"}, {"h1/A"}, {"h2/B"}}};
  BOOST_TEST(one.offer("A@h1", Level::node) == 2);
  BOOST_TEST(one.offer("B@h2", Level::node) == 3);
  BOOST_TEST(one.offer("A@h1", Level::node) == 0);
  BOOST_TEST(one.offer("B@h2", Level::node) == 1);
  BOOST_TEST(one.offer("A@h1", Level::node) == none);
  BOOST_TEST(one.offer("B@h2", Level::node) == none);
}

// C-TSM-20: racks are registered with their hosts, all at once; offers look nothing up.
BOOST_AUTO_TEST_CASE(rack_local_tasks_go_to_hosts_of_the_same_rack) {
  TaskSchedulerSettings settings;
  settings.wait_process = settings.wait_node = Duration::zero();
  settings.wait_rack = std::chrono::milliseconds{1};
  std::map<std::string, std::string> racks;
  const auto host = [](int i) { return "h" + std::to_string(i); };
  const auto offer = [&](int i) { return "e" + std::to_string(i) + "@" + host(i); };
  Words executors;
  std::vector<Words> tasks;
  for (int i = 0; i < 200; ++i) {
    racks[host(i)] = "rack" + std::to_string(i % 20);
    executors.push_back(offer(i));
    if (i < 100) tasks.push_back({host(i)});
  }
  OneSet one{executors, tasks, settings, racks};
  BOOST_TEST(one.offer("x@unknown", Level::rack) == none);
  for (int i = 100; i < 120; ++i)
    for (int round = 0; round < 5; ++round) {
      BOOST_TEST(one.offer(offer(i), Level::node) == none);
      const int index = one.offer(offer(i), Level::rack);
      BOOST_TEST_REQUIRE(index != none);
      BOOST_TEST(index % 20 == i % 20);
    }
}

// C-SPE-03: copies have the preferred locations of their tasks, and avoid the host where the task runs.
BOOST_AUTO_TEST_CASE(copies_keep_their_preferences) {
  TaskSchedulerSettings settings;
  settings.speculation = SpeculationSettings{};
  settings.speculation->quantile = 0.3;
  settings.speculation->multiplier = 0;
  settings.speculation->min_runtime = Duration::zero();
  settings.wait_process = settings.wait_node = settings.wait_rack = std::chrono::hours{1};
  OneSet one{{"e1@h1", "e2@h2", "e3@h3", "e4@h4"}, {{"h1", "h3"}, {"h2"}, {"h3"}}, settings};
  for (const char* each : {"e1@h1", "e2@h2", "e3@h3"}) BOOST_TEST(one.offer(each, Level::node) != none);
  one.wait(1);
  one.end(2);
  one.wait(1000);
  BOOST_TEST(one.look_for_slow_ones());
  BOOST_TEST(one.copies_wanted == (std::vector<std::int32_t>{0, 1}), boost::test_tools::per_element());
  BOOST_TEST(one.offer("e4@h4", Level::node) == none);
  BOOST_TEST(one.offer("e2@h2", Level::node) == none);
  BOOST_TEST(one.offer("e3@h3", Level::node) == 0);
  BOOST_TEST(one.last_was_copy);
  one.wait(3'600'000);
  BOOST_TEST(one.offer("e4@h4", Level::any) == 1);
  BOOST_TEST(one.last_was_copy);
  BOOST_TEST(one.offer("e1@h1", Level::any) == none);
  BOOST_TEST(!one.look_for_slow_ones());
}

// C-TSF-15, C-TSF-16: the end of the last task is applied to a finished set; names have stage and attempt.
BOOST_AUTO_TEST_CASE(a_set_is_done_before_its_last_task_is_told) {
  OneSet one{{"e1@h1"}, {{}}};
  BOOST_TEST(one.offer("e1@h1", Level::no_pref) == 0);
  TaskSchedulerEffects effects;
  succeed_attempt(one.state, one.now, one.set().states[0].first_live, effects);
  BOOST_TEST(one.set().flags.is_zombie);
  BOOST_TEST_REQUIRE(!effects.events.empty());
  for (const auto& [stage, attempt, name] :
       {std::tuple{0, 0, "TaskSet_0.0"}, std::tuple{0, 1, "TaskSet_0.1"}, std::tuple{1, 1, "TaskSet_1.1"}}) {
    TaskSetDescription description;
    description.key = {StageId{stage}, attempt};
    BOOST_TEST(one.state.sets[make_set(one.state, one.now, description)].origin.name == name);
  }
}

// C-TSM-16
BOOST_AUTO_TEST_CASE(tasks_without_preference_come_after_all_that_are_local_to_the_process) {
  OneSet one{{"A@h1", "B@h2"}, {{}, {"h1/A"}, {"h2/B"}}};
  BOOST_TEST(one.offer("A@h1", Level::process) == 1);
  BOOST_TEST(one.offer("B@h2", Level::process) == 2);
  BOOST_TEST(one.offer("A@h1", Level::process) == none);
  BOOST_TEST(one.offer("A@h1", Level::node) == none);
  BOOST_TEST(one.offer("A@h1", Level::no_pref) == 0);
  BOOST_TEST(one.offer("A@h1", Level::any) == none);
}

// C-TS-22, C-TS-23: executors and hosts that are excluded for the whole set take no part in a round, in any order of
// offers. Their offers look at no task: a task that is skipped counts as a refusal, and one that is taken leaves the
// list of waiting tasks. In the second run each task has failed on the excluded place, so that none could run there.
BOOST_AUTO_TEST_CASE(excluded_places_take_no_part_in_a_round) {
  constexpr std::int32_t tasks = 500;
  RandomStream random{22};
  for (int run = 0; run < 40; ++run) {
    const bool is_host = run % 2 == 0;
    const std::int32_t failed = run / 2 % 2 == 0 ? 2 : tasks;
    TaskSchedulerSettings settings;
    settings.exclusion = ExclusionSettings{};
    OneSet one{{"e1@h1", "e2@h1", "e3@h2"}, std::vector<Words>(tasks), settings};
    TaskSetExclusion& exclusion = *one.set().exclusion;
    for (std::int32_t index = 0; index < failed; ++index) {
      if (!is_host) exclusion.on_failure(one.now, HostId{1}, 2, index);
      for (const std::int32_t executor : {0, 1})
        if (is_host) exclusion.on_failure(one.now, HostId{0}, executor, index);
    }
    Words offers{"e1@h1", "e2@h1", "e3@h2"};
    random.shuffle(offers);
    const std::size_t launched = one.round(offers);
    BOOST_TEST(launched == (is_host ? 1U : 2U));
    BOOST_TEST(one.set().flags.no_rejects_since_reset);
    for (const Level level : {Level::process, Level::node, Level::no_pref, Level::any}) {
      BOOST_TEST(one.offer(is_host ? "e1@h1" : "e3@h2", level) == none);
      BOOST_TEST(!one.rejected);
    }
    std::size_t left = 0;
    while (one.offer(is_host ? "e3@h2" : "e1@h1", Level::no_pref) != none) ++left;
    BOOST_TEST(left == tasks - launched);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace task_set_offers_test
}  // namespace heddle::policies
