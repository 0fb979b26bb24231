// Goal: a plan fuses and connects the stages of a job as its graph says, and numbers shuffles as the StageScheduler
// does. Method: small graphs, then random ones beside a DatasetTable.
#include "policies/stages/job_plan.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

#include "model/random_stream.hpp"
#include "policies/stages/dataset_table.hpp"

namespace heddle::policies {
namespace job_plan_test {
namespace {

using Stages = std::vector<std::int32_t>;
using Shuffles = std::vector<ShuffleId>;

constexpr ShuffleId none{};

StageDescription stage(std::string name, std::vector<std::int32_t> parents = {}, std::int32_t partitions = 0) {
  StageDescription made;
  made.name = std::move(name);
  made.parents = std::move(parents);
  made.partitions = partitions;
  made.bodies = {FunctionBody{made.name, {}}};
  return made;
}

StageDescription shuffled(std::string name, std::vector<std::int32_t> parents, std::int32_t partitions) {
  auto made = stage(std::move(name), std::move(parents), partitions);
  made.shuffle = ShuffleDescription{};
  return made;
}

JobPlan plan_of(std::vector<StageDescription> stages, std::vector<StageSplits> splits = {}) {
  auto plan = JobPlan::make({{"job", "", std::move(stages)}, std::move(splits)});
  BOOST_REQUIRE(plan.has_value());
  return std::move(*plan);
}

std::string refusal_of(std::vector<StageDescription> stages) {
  const auto plan = JobPlan::make({{"job", "", std::move(stages)}, {}});
  BOOST_REQUIRE(!plan.has_value());
  BOOST_TEST((plan.error().code == Errc::usage));
  return plan.error().text;
}

StageSplits splits_of(const std::vector<std::string>& paths) {
  StageSplits made;
  for (const auto& path : paths) made.splits.push_back({0, {path, 0, 10, {}}});
  return made;
}

std::vector<std::string> functions_of(const StageProgram& program) {
  std::vector<std::string> names;
  for (const auto& body : program.bodies) names.push_back(std::get<FunctionBody>(body).name);
  return names;
}

/// Map and reduce, as Hadoop runs them: three splits, two reduces.
JobPlan words() {
  auto map = stage("split");
  map.inputs.emplace_back().paths = {"/in"};
  auto reduce = shuffled("count", {0}, 2);
  reduce.shuffle->order = ShuffleDescription::Order::none;
  reduce.output.emplace().path = "/out";
  return plan_of({map, reduce}, {splits_of({"/in/a", "/in/b", "/in/c"}), {}});
}

std::vector<StageDescription> random_stages(RandomStream& random) {
  std::vector<StageDescription> stages;
  const auto count = static_cast<std::int32_t>(1 + random.below(9));
  for (std::int32_t index = 0; index < count; ++index) {
    const auto parent = [&] { return static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(index))); };
    const auto partitions = static_cast<std::int32_t>(1 + random.below(3));
    const auto name = "stage " + std::to_string(index);
    const auto kind = index == 0 ? 0U : random.below(4);
    if (kind == 0) {
      stages.push_back(stage(name, {}, partitions));
    } else if (kind == 1) {
      stages.push_back(stage(name, {parent()}));
    } else {
      std::vector<std::int32_t> parents;
      for (auto left = 1 + random.below(3); left > 0; --left) parents.push_back(parent());
      stages.push_back(shuffled(name, parents, partitions));
      stages.back().shuffle->key.fields = static_cast<std::int32_t>(random.below(2));
    }
  }
  return stages;
}

/// Adds the dataset of a stage as a job does that shares the shuffles of the plan.
Shuffles add_dataset(DatasetTable& table, const JobPlan& plan, std::int32_t index) {
  const auto shared = plan.shared_shuffles(index);
  DatasetDescription dataset;
  dataset.partitions = plan.partitions(index);
  for (std::size_t edge = 0; edge < plan.stage(index).parents.size(); ++edge)
    dataset.dependencies.push_back({shared.empty() ? Dependency::Kind::narrow : Dependency::Kind::shuffle,
                                    DatasetId{plan.stage(index).parents[edge]}, shared.empty() ? none : shared[edge]});
  return table.at(table.add(dataset)).shuffles;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(job_plan)

BOOST_AUTO_TEST_CASE(a_graph_that_cannot_run_is_refused_with_the_name_of_the_stage) {
  BOOST_TEST(refusal_of({}) == "the job has no stages");
  for (const std::int32_t parent : {-1, 1, 2})
    BOOST_TEST(refusal_of({stage("a"), stage("b", {parent})}) ==
               "stage 'b' has a parent that does not come before it in the graph");
  BOOST_TEST(refusal_of({stage("a"), stage("b"), stage("c", {0, 1})}) ==
             "stage 'c' has 2 parents and no shuffle; a stage without a shuffle has exactly one");
  auto reader = stage("b", {0});
  reader.inputs.emplace_back().paths = {"/in"};
  BOOST_TEST(refusal_of({stage("a"), reader}) == "stage 'b' has both parents and input files; remove one of them");
}

BOOST_AUTO_TEST_CASE(partitions_come_from_splits_from_the_parent_or_from_the_stage) {
  auto read = stage("read", {}, 9);
  read.inputs.emplace_back().paths = {"/in"};
  auto empty = read;
  const auto plan = plan_of({read, stage("narrow", {0}, 7), shuffled("sum", {1}, 4), stage("one"), empty},
                            {splits_of({"/in/a", "/in/b"})});
  const Stages expected{2, 2, 4, 1, 0};
  for (std::int32_t each = 0; each < plan.stages(); ++each)
    BOOST_TEST(plan.partitions(each) == expected.at(static_cast<std::size_t>(each)));
  BOOST_TEST(plan.split(0, 1)->split.path == "/in/b");
  BOOST_TEST(plan.split(0, 2) == nullptr);
  BOOST_TEST(plan.split(3, 0) == nullptr);
  BOOST_TEST(plan.splits(0).size() == 2U);
}

BOOST_AUTO_TEST_CASE(stages_without_shuffle_run_in_the_tasks_of_their_parent) {
  auto first = stage("first", {}, 3);
  first.cores = 2;
  first.barrier = true;
  first.keep_standard_output = true;
  auto second = stage("second", {0});
  second.cores = 4;
  second.terminal = "host:1";
  second.pass_through = true;
  const auto third = stage("third", {1});
  const auto plan = plan_of({first, second, third});
  BOOST_TEST(plan.root_of(2) == 0);
  BOOST_TEST(plan.name_of(2) == "first + second + third");
  BOOST_TEST(plan.is_barrier(2));
  BOOST_TEST(plan.task_cores(2) == 4);
  BOOST_TEST(plan.task_cores(0) == 2);
  const auto program = plan.program_of(2, none);
  BOOST_TEST(program.name == "first + second + third");
  BOOST_TEST((functions_of(program) == std::vector<std::string>{"first", "second", "third"}));
  BOOST_TEST(program.tasks == 3);
  BOOST_TEST(program.pass_through);
  BOOST_TEST(program.keep_standard_output);
  BOOST_TEST(program.terminal == "host:1");
  BOOST_TEST(functions_of(plan.program_of(0, none)).size() == 1U);
}

BOOST_AUTO_TEST_CASE(result_stages_have_no_children_or_an_output) {
  auto kept = stage("kept");
  kept.output.emplace().path = "/kept";
  auto last = shuffled("last", {0}, 1);
  last.output.emplace().path = "/last";
  last.executor_cores = 1;
  const auto plan = plan_of({kept, stage("passed"), last, stage("tail", {1})});
  BOOST_TEST((plan.result_stages() == Stages{0, 2, 3}));
  BOOST_TEST((plan.output_paths() == std::vector<std::string>{"/kept", "/last"}));
  BOOST_TEST(plan.names_executors());
  BOOST_TEST(!words().names_executors());
}

BOOST_AUTO_TEST_CASE(map_and_reduce_get_their_programs_without_a_stage_scheduler) {
  auto plan = words();
  BOOST_TEST((plan.number_shuffles(ShuffleId{7}) == ShuffleId{8}));
  const auto map = plan.program_of(0, ShuffleId{7});
  BOOST_TEST(map.tasks == 3);
  BOOST_TEST(map.inputs.size() == 1U);
  BOOST_TEST(map.shuffle_inputs.empty());
  BOOST_TEST(!map.output.has_value());
  BOOST_TEST_REQUIRE(map.shuffle_output.has_value());
  BOOST_TEST((map.shuffle_output->shuffle == ShuffleId{7}));
  BOOST_TEST(map.shuffle_output->partitions == 2);
  BOOST_TEST((map.shuffle_output->description.order == ShuffleDescription::Order::none));
  const auto reduce = plan.program_of(1, none);
  BOOST_TEST(reduce.tasks == 2);
  BOOST_TEST_REQUIRE(reduce.shuffle_inputs.size() == 1U);
  BOOST_TEST((reduce.shuffle_inputs.front().shuffle == ShuffleId{7}));
  BOOST_TEST(reduce.shuffle_inputs.front().maps == 3);
  BOOST_TEST(!reduce.shuffle_output.has_value());
  BOOST_TEST(reduce.output->path == "/out");
}

BOOST_AUTO_TEST_CASE(readers_with_equal_options_and_partitions_share_a_shuffle) {
  auto other_options = shuffled("other options", {0}, 2);
  other_options.shuffle->key.fields = 2;
  auto plan = plan_of({stage("source"), shuffled("first", {0}, 2), shuffled("alike", {0}, 2),
                       shuffled("more partitions", {0}, 3), other_options});
  BOOST_TEST((plan.shared_shuffles(2) == Shuffles{none}));  // the shuffle of the first reader is not known yet
  BOOST_TEST((plan.number_shuffles(ShuffleId{0}) == ShuffleId{3}));
  BOOST_TEST(plan.shuffles().size() == 3U);
  BOOST_TEST((plan.shuffles().at(ShuffleId{0}).child == 1));
  for (const std::int32_t reader : {1, 2})
    BOOST_TEST((plan.program_of(reader, none).shuffle_inputs.front().shuffle == ShuffleId{0}));
  BOOST_TEST((plan.program_of(3, none).shuffle_inputs.front().shuffle == ShuffleId{1}));
  BOOST_TEST((plan.program_of(4, none).shuffle_inputs.front().shuffle == ShuffleId{2}));
}

BOOST_AUTO_TEST_CASE(a_stage_that_reads_a_parent_twice_uses_two_shuffles) {
  auto plan = plan_of({stage("source"), shuffled("join", {0, 0}, 2), shuffled("again", {0, 0}, 2)});
  plan.set_shuffles(1, {ShuffleId{4}, ShuffleId{5}});
  BOOST_TEST((plan.shared_shuffles(0).empty()));
  BOOST_TEST((plan.shared_shuffles(2) == Shuffles{ShuffleId{4}, ShuffleId{5}}));
  plan.set_shuffles(2, plan.shared_shuffles(2));
  BOOST_TEST(plan.shuffles().size() == 2U);
  BOOST_TEST(plan.program_of(2, none).shuffle_inputs.size() == 2U);
}

BOOST_AUTO_TEST_CASE(shuffles_are_numbered_as_a_dataset_table_numbers_them) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomStream random{seed};
    auto numbered = plan_of(random_stages(random));
    auto with_table = numbered;
    static_cast<void>(numbered.number_shuffles(ShuffleId{0}));
    DatasetTable table;
    for (std::int32_t index = 0; index < with_table.stages(); ++index) {
      const auto shuffles = add_dataset(table, with_table, index);
      if (with_table.stage(index).shuffle) with_table.set_shuffles(index, shuffles);
    }
    BOOST_REQUIRE(numbered.shuffles().size() == with_table.shuffles().size());
    for (const auto& [id, edge] : numbered.shuffles()) {
      BOOST_REQUIRE(with_table.shuffles().at(id).parent == edge.parent);
      BOOST_REQUIRE(with_table.shuffles().at(id).child == edge.child);
    }
  }
}

BOOST_AUTO_TEST_CASE(each_reader_agrees_with_the_writer_of_its_shuffles) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomStream random{seed};
    auto plan = plan_of(random_stages(random));
    static_cast<void>(plan.number_shuffles(ShuffleId{10}));
    for (std::int32_t index = 0; index < plan.stages(); ++index) {
      const auto reader = plan.program_of(index, none);
      const auto root = plan.root_of(index);
      BOOST_REQUIRE(reader.tasks == plan.partitions(index));
      BOOST_REQUIRE(functions_of(reader).back() == plan.stage(index).name);
      BOOST_REQUIRE(reader.shuffle_inputs.size() == plan.stage(root).parents.size());
      for (const auto& input : reader.shuffle_inputs) {
        const auto parent = plan.shuffles().at(input.shuffle).parent;
        const auto writer = plan.program_of(parent, input.shuffle);
        BOOST_REQUIRE(input.maps == writer.tasks);
        BOOST_REQUIRE(writer.shuffle_output->partitions == reader.tasks);
        BOOST_REQUIRE((writer.shuffle_output->description == input.description));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace job_plan_test
}  // namespace heddle::policies
