// Stages of one and of several jobs: order, sharing, preferred locations, ends. C-DAG-nn are numbered cases of the
// specification.
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "tests/policies/stages/stage_script.hpp"

namespace heddle::policies {
namespace stage_scheduler_test {

namespace {

constexpr std::int32_t a = 0;  // hosts
constexpr std::int32_t b = 1;
constexpr std::int32_t c = 2;
constexpr std::int32_t d = 3;

using Names = std::vector<std::pair<std::int64_t, std::int32_t>>;
using Ints = std::vector<std::int32_t>;
using Ids = std::vector<std::int64_t>;

std::shared_ptr<const PreferredLocationLists> lists_of(const std::vector<Ints>& hosts) {
  auto lists = std::make_shared<PreferredLocationLists>();
  for (const Ints& of_partition : hosts) {
    std::vector<PreferredLocation> places;
    for (const std::int32_t host : of_partition) places.emplace_back(HostId{host});
    lists->add(places);
  }
  return lists;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stage_scheduler)

// C-DAG-01, C-DAG-06
BOOST_AUTO_TEST_CASE(parents_have_smaller_ids_and_a_job_leaves_nothing_behind) {
  StageScript script;
  const DatasetId source = script.dataset(2);
  const DatasetId sink = script.dataset(1, {source});
  script.submit(sink, 1);
  BOOST_TEST((script.set_names() == Names{{0, 0}}));
  BOOST_TEST((script.stages.waiting() == std::set{StageId{1}}));
  script.all_ok(0, {a, b});
  BOOST_TEST((script.set_names() == Names{{0, 0}, {1, 0}}));
  script.ok(1, 0, 0, a);
  BOOST_TEST((script.results == Names{{0, 0}}));
  BOOST_TEST((script.ended == Ids{0}));
  BOOST_TEST(script.stages.running().empty());
  BOOST_TEST(script.stages.parents(StageId{1}).empty());
}

// C-DAG-02
BOOST_AUTO_TEST_CASE(datasets_that_read_one_shuffle_have_one_map_stage_above_them) {
  StageScript script;
  const DatasetId of_a = script.dataset(1);
  const DatasetId of_b = script.dataset(1, {of_a});
  const ShuffleId from_a = script.stages.shuffle_of(of_b, 0);
  const DatasetId of_c =
      script.dataset_with(1, {of_a, of_b}, {}, [&](DatasetDescription& it) { it.dependencies[0].shared = from_a; });
  BOOST_TEST((script.stages.shuffle_of(of_c, 0) == from_a));
  const DatasetId of_d = script.dataset(1, {of_c});
  script.submit(of_d, 1);
  const auto parents = [&](std::int64_t stage) { return script.stages.parents(StageId{stage}); };
  BOOST_TEST(parents(0).empty());
  BOOST_TEST((parents(1) == std::vector{StageId{0}}));
  BOOST_TEST((parents(2) == std::vector{StageId{0}, StageId{1}}));
  BOOST_TEST((parents(3) == std::vector{StageId{2}}));
  for (std::size_t set = 0; set < script.sets.size(); ++set) script.all_ok(set, {a});
  BOOST_TEST((script.set_names() == Names{{0, 0}, {1, 0}, {2, 0}, {3, 0}}));
  BOOST_TEST((script.sets[3].kind == StageKind::result));
  BOOST_TEST((script.ended == Ids{0}));
}

BOOST_AUTO_TEST_CASE(a_shared_shuffle_is_kept_until_the_last_that_reads_it_is_forgotten) {
  StageScript script;
  const DatasetId source = script.dataset(2);
  const DatasetId first = script.dataset(1, {source});
  const ShuffleId shuffle = script.stages.shuffle_of(first, 0);
  const DatasetId second =
      script.dataset_with(1, {source}, {}, [&](DatasetDescription& it) { it.dependencies[0].shared = shuffle; });
  script.submit(first, 1);
  script.all_ok(0, {a, b});
  script.all_ok(1, {a});
  script.stages.apply(Instant{}, stage_input::DatasetForgotten{first});
  script.stages.apply(Instant{}, stage_input::DatasetForgotten{first});
  BOOST_TEST((script.outputs(shuffle.value) == Ints{a, b}));
  script.submit(second, 1);
  BOOST_TEST(script.sets.size() == 3U);  // its parent does not run again
  BOOST_TEST((script.sets[2].kind == StageKind::result));
  script.all_ok(2, {a});
  script.stages.apply(Instant{}, stage_input::DatasetForgotten{second});
  BOOST_TEST(script.stages.outputs().shuffles().empty());
}

// C-DAG-53
BOOST_AUTO_TEST_CASE(a_stage_has_its_direct_shuffles_as_parents) {
  StageScript script;
  const DatasetId first = script.dataset(1);
  const DatasetId second = script.dataset(1, {first});
  const DatasetId third = script.dataset(1, {first, second});
  const DatasetId last = script.dataset(1, {third});
  script.submit(last, 1);
  BOOST_TEST(script.stages.parents(StageId{3}).size() == 2U);
  BOOST_TEST(script.stages.parents(StageId{4}).size() == 1U);
  for (std::size_t set = 0; set < script.sets.size(); ++set) script.all_ok(set, {a});
  BOOST_TEST((script.ended == Ids{0}));
  BOOST_TEST(script.sets.size() == 5U);
}

BOOST_AUTO_TEST_CASE(shuffles_behind_a_narrow_parent_are_direct_ones) {  // C-DAG-53
  StageScript script;
  const DatasetId of_a = script.dataset(1);
  const DatasetId of_b = script.dataset(1);
  const DatasetId of_c = script.dataset(1, {of_b});
  const DatasetId of_d = script.dataset(1, {of_c});
  const DatasetId of_e = script.dataset(1, {of_a}, {of_d});
  script.submit(of_e, 1);
  StageScript run = script;
  for (std::size_t set = 0; set < run.sets.size(); ++set) run.all_ok(set, {a});
  std::map<DatasetId, StageId> stage_of;
  for (const SubmitTaskSet& set : run.sets) stage_of[set.dataset] = set.stage;
  const auto parents = [&](DatasetId dataset) {
    const auto found = script.stages.parents(stage_of.at(dataset));
    return std::set<StageId>(found.begin(), found.end());
  };
  BOOST_TEST((parents(of_c) == std::set<StageId>{stage_of.at(of_b)}));
  BOOST_TEST((parents(of_e) == std::set<StageId>{stage_of.at(of_a), stage_of.at(of_c)}));
}

// C-DAG-05
BOOST_AUTO_TEST_CASE(a_job_over_no_partitions_ends_at_once) {
  StageScript script;
  script.submit(script.dataset(0), 0);
  BOOST_TEST((script.ended == Ids{0}));
  BOOST_TEST(script.sets.empty());
  BOOST_TEST(script.results.empty());
}

// C-DAG-07, C-DAG-08
BOOST_AUTO_TEST_CASE(tasks_prefer_cached_copies_of_a_narrow_parent) {
  StageScript script;
  const DatasetId parent = script.dataset_with(3, {}, {}, [](DatasetDescription& it) { it.cached = true; });
  const DatasetId child = script.dataset(3, {}, {parent});
  script.stages.apply(Instant{},
                      stage_input::PartitionCached{parent, 0, {StageScript::place(a), StageScript::place(b)}});
  script.stages.apply(Instant{}, stage_input::PartitionCached{parent, 2, {StageScript::place(c)}});
  script.submit(child, 3);
  BOOST_TEST((StageScript::hosts_of(script.sets[0], 0, 0) == Ints{a, b}));
  BOOST_TEST((StageScript::hosts_of(script.sets[0], 1, 1) == Ints{}));
  BOOST_TEST((StageScript::hosts_of(script.sets[0], 2, 2) == Ints{c}));
}

// C-DAG-09
BOOST_AUTO_TEST_CASE(a_dataset_cached_whole_hides_its_parents) {
  StageScript script;
  const DatasetId first = script.dataset(1);
  const DatasetId second = script.dataset(1, {first});
  const DatasetId cached = script.dataset_with(1, {second}, {}, [](DatasetDescription& it) { it.cached = true; });
  const DatasetId last = script.dataset(1, {}, {cached});
  script.stages.apply(Instant{}, stage_input::PartitionCached{cached, 0, {StageScript::place(a)}});
  script.submit(last, 1);
  BOOST_TEST(script.sets.size() == 1U);
  BOOST_TEST((script.sets[0].kind == StageKind::result));
}

// C-DAG-10
BOOST_AUTO_TEST_CASE(thirty_nested_zips_are_walked_once) {
  StageScript script;
  DatasetId top = script.dataset(1);
  for (int level = 0; level < 30; ++level) top = script.dataset(1, {}, {top, top});
  script.submit(top, 1);
  BOOST_TEST((StageScript::hosts_of(script.sets[0], 0, 0) == Ints{}));
}

BOOST_AUTO_TEST_CASE(a_lineage_of_twenty_thousand_shuffles_needs_no_deep_stack) {
  StageScript script;
  DatasetId top = script.dataset(1);
  for (int level = 0; level < 20'000; ++level) top = script.dataset(1, {top});
  StageEffects effects;
  script.stages.apply(Instant{}, stage_input::JobSubmitted{JobId{0}, top, {IndexRange{0, 1}}}, effects);
  BOOST_TEST(script.stages.waiting().size() == 20'000U);
}

// C-DAG-14: tasks cannot be killed.
BOOST_AUTO_TEST_CASE(a_cancelled_job_goes_on_where_its_tasks_cannot_be_killed) {
  StageScript script{{.can_kill_tasks = false}};
  script.submit(script.dataset(1), 1);
  script.cancel(0);
  BOOST_TEST(script.failed.empty());
  script.all_ok(0, {0});
  BOOST_TEST((script.results == Names{{0, 0}}));
  BOOST_TEST((script.ended == Ids{0}));
  BOOST_TEST(script.failed.empty());
}

// C-DAG-12, C-DAG-13, C-DAG-32
BOOST_AUTO_TEST_CASE(a_failed_set_or_a_cancelled_job_ends_with_its_stages) {
  StageScript script;
  const DatasetId source = script.dataset(1);
  const DatasetId sink = script.dataset(1, {source});
  script.submit(sink, 1);
  script.set_failed(0);
  BOOST_TEST((script.failed == Ids{0}));
  BOOST_TEST((script.failures[0] == JobFailure::task_set_failed));
  script.submit(sink, 1);
  script.cancel(1);
  script.cancel(1);
  BOOST_TEST((script.failed == Ids{0, 1}));
  BOOST_TEST((script.failures[1] == JobFailure::cancelled));
  BOOST_TEST(script.stages.waiting().empty());
}

// C-DAG-30
BOOST_AUTO_TEST_CASE(news_of_stages_that_are_gone_changes_nothing) {
  StageScript script;
  script.submit(script.dataset(1), 1);
  script.ok(0, 0, 0, a);
  script.ok(0, 0, 0, a);
  script.fetch_failed(0, 0, 0, 0, 0, a);
  script.set_failed(0);
  BOOST_TEST(script.last.empty());
}

// C-DAG-36
BOOST_AUTO_TEST_CASE(a_stage_used_by_two_jobs_fails_both) {
  StageScript script;
  const DatasetId shared = script.dataset(1);
  const DatasetId other = script.dataset(1);
  const DatasetId first = script.dataset(1, {shared});
  const DatasetId second = script.dataset(1, {other}, {first});
  script.submit(first, 1);
  script.submit(second, 1);
  script.set_failed(0);
  BOOST_TEST((script.failed == Ids{0, 1}));
  BOOST_TEST((script.ended == Ids{0, 1}));
  BOOST_TEST(script.stages.running().empty());
}

// C-DAG-37, C-DAG-38
BOOST_AUTO_TEST_CASE(a_stage_runs_for_the_smallest_job_that_is_still_active) {
  StageScript script;
  const DatasetId shared = script.dataset(1);
  const DatasetId first = script.dataset(1, {shared});
  const DatasetId second = script.dataset(1, {}, {first});
  script.submit(first, 1);
  script.submit(second, 1);
  BOOST_TEST(script.sets[0].job.value == 0);
  script.cancel(0);
  script.ok(0, 0, 0, a);
  BOOST_TEST(script.sets.size() == 2U);
  for (std::size_t set = 1; set < script.sets.size(); ++set) BOOST_TEST(script.sets[set].job.value == 1);
  script.fetch_failed(script.sets[1].stage.value, 0, 0, 0, 0, a);
  script.resubmit();
  BOOST_TEST_REQUIRE(script.sets.size() == 3U);
  BOOST_TEST((script.sets[2].stage.value == 0 && script.sets[2].attempt == 1));
  script.all_ok(2, {b});
  BOOST_TEST(script.sets.size() == 4U);
  for (std::size_t set = 2; set < script.sets.size(); ++set) BOOST_TEST(script.sets[set].job.value == 1);
}

// C-DAG-44, C-DAG-45
BOOST_AUTO_TEST_CASE(reduce_tasks_prefer_hosts_that_hold_much_of_their_input) {
  StageScript script;
  const DatasetId source = script.dataset(4);
  const DatasetId sink =
      script.dataset_with(1, {source}, {}, [](DatasetDescription& it) { it.reduce_locality = true; });
  script.submit(sink, 1);
  for (std::int32_t map = 0; map < 4; ++map) script.ok(0, 0, map, map, {10 * (map + 1)});
  BOOST_TEST((StageScript::hosts_of(script.sets[1], 0, 0) == Ints{b, c, d}));
}

// C-DAG-46
BOOST_AUTO_TEST_CASE(a_narrow_parent_counts_more_than_a_shuffled_one) {
  StageScript script;
  const DatasetId shuffled = script.dataset(1);
  const DatasetId narrow =
      script.dataset_with(1, {}, {}, [](DatasetDescription& it) { it.preferred = lists_of({{b}}); });
  script.submit(script.dataset(1, {shuffled}, {narrow}), 1);
  script.ok(0, 0, 0, a, {10});
  BOOST_TEST((StageScript::hosts_of(script.sets[1], 0, 0) == Ints{b}));
}

BOOST_AUTO_TEST_CASE(the_places_of_a_whole_input_are_shared_and_not_copied) {
  StageScript script;
  const auto lists = lists_of({{a}, {b}, {c}});
  const DatasetId input = script.dataset_with(3, {}, {}, [&](DatasetDescription& it) { it.preferred = lists; });
  script.submit(script.dataset(3, {}, {input}), 3);
  BOOST_TEST(script.sets[0].places.lists.get() == lists.get());
  BOOST_TEST((script.sets[0].partitions == std::vector{IndexRange{0, 3}}));
}

// C-DAG-47
BOOST_AUTO_TEST_CASE(a_map_stage_job_has_one_result_and_spares_later_jobs_the_stage) {
  StageScript script;
  const DatasetId source = script.dataset(2);
  const DatasetId sink = script.dataset(1, {source});
  const std::int64_t first = script.submit_map_stage(0);
  script.all_ok(0, {a, b});
  BOOST_TEST((script.results == Names{{first, 0}}));
  const std::int64_t second = script.submit(sink, 1);
  BOOST_TEST(script.sets.size() == 2U);
  script.all_ok(1, {a});
  const std::int64_t third = script.submit_map_stage(0);
  BOOST_TEST(script.sets.size() == 2U);
  BOOST_TEST((script.results == Names{{first, 0}, {second, 0}, {third, 0}}));
}

// C-DAG-48
BOOST_AUTO_TEST_CASE(a_map_stage_job_and_a_reduce_job_share_the_stage) {
  StageScript script;
  const DatasetId source = script.dataset(2);
  const DatasetId sink = script.dataset(1, {source});
  script.submit_map_stage(0);
  script.submit(sink, 1);
  BOOST_TEST(script.sets.size() == 1U);
  script.all_ok(0, {a, b});
  script.all_ok(1, {a});
  BOOST_TEST((script.results == Names{{0, 0}, {1, 0}}));
}

BOOST_AUTO_TEST_CASE(explain_names_what_a_stage_waits_for) {
  StageScript script;
  const DatasetId source = script.dataset(2);
  script.submit(script.dataset(1, {source}), 1);
  const StageExplanation waiting = script.stages.explain(StageId{1});
  BOOST_TEST((waiting.state == StageExplanation::State::waiting));
  BOOST_TEST((waiting.missing_parents == std::vector{StageId{0}}));
  const StageExplanation running = script.stages.explain(StageId{0});
  BOOST_TEST((running.state == StageExplanation::State::running));
  BOOST_TEST(running.missing_partitions == 2);
  BOOST_TEST((script.stages.explain(StageId{9}).state == StageExplanation::State::unknown));
}

BOOST_AUTO_TEST_CASE(a_dataset_is_forgotten_once_no_job_needs_it) {
  StageScript script;
  const DatasetId source =
      script.dataset_with(1, {}, {}, [](DatasetDescription& it) { it.preferred = lists_of({{a}}); });
  const DatasetId sink = script.dataset(1, {source});
  script.submit(sink, 1);
  script.all_ok(0, {a});
  script.stages.apply(Instant{}, stage_input::DatasetForgotten{sink});
  BOOST_TEST(script.stages.outputs().has_shuffle(ShuffleId{0}));
  script.all_ok(1, {a});
  script.stages.apply(Instant{}, stage_input::DatasetForgotten{sink});
  script.stages.apply(Instant{}, stage_input::DatasetForgotten{source});
  BOOST_TEST(!script.stages.outputs().has_shuffle(ShuffleId{0}));
}

BOOST_AUTO_TEST_CASE(a_copy_decides_on_its_own) {
  StageScript script;
  const DatasetId cached = script.dataset_with(1, {}, {}, [](DatasetDescription& it) { it.cached = true; });
  script.stages.apply(Instant{}, stage_input::PartitionCached{cached, 0, {StageScript::place(a)}});
  StageScheduler copy = script.stages;
  copy.apply(Instant{}, stage_input::PartitionCached{cached, 0, {StageScript::place(b)}});
  script.submit(cached, 1);
  BOOST_TEST((StageScript::hosts_of(script.sets[0], 0, 0) == Ints{a}));
}

// C-MOT-07
BOOST_AUTO_TEST_CASE(reduce_tasks_prefer_hosts_only_where_reduce_locality_is_on) {
  for (const bool is_on : {true, false}) {
    StageScript script;
    const DatasetId source = script.dataset(1);
    script.submit(script.dataset_with(1, {source}, {}, [&](DatasetDescription& it) { it.reduce_locality = is_on; }), 1);
    script.ok(0, 0, 0, c, {1000});
    BOOST_TEST_REQUIRE(script.sets.size() == 2U);
    BOOST_TEST((StageScript::hosts_of(script.sets[1], 0, 0) == (is_on ? Ints{c} : Ints{})));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace stage_scheduler_test
}  // namespace heddle::policies
