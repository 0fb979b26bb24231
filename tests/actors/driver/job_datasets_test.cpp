// Goal: each stage of a plan is one dataset of the StageScheduler, with its partitions, profile and places, and the
// plan gets the shuffles that the scheduler numbered.
#include "actors/driver/job_datasets.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <vector>

namespace heddle::actors {
namespace job_datasets_test {
namespace {

StageDescription stage(std::string name, std::vector<std::int32_t> parents, std::int32_t partitions, bool is_shuffled) {
  StageDescription made;
  made.name = std::move(name);
  made.parents = std::move(parents);
  made.partitions = partitions;
  made.bodies = {FunctionBody{made.name, {}}};
  if (is_shuffled) made.shuffle = ShuffleDescription{};
  return made;
}

policies::JobPlan four_stages() {
  return *policies::JobPlan::make({{"job",
                                    "",
                                    {stage("read", {}, 4, false), stage("count", {0}, 3, true),
                                     stage("tail", {1}, 0, false), stage("other", {0}, 3, true)}},
                                   {}});
}

struct Fixture {
  Fixture() {
    datasets.add_to(scheduler, {}, plan, [this](const std::vector<TaskSplit>&) {
      ++asked;
      return std::make_shared<const PreferredLocationLists>();
    });
  }
  RecordedStageScheduler scheduler{policies::StageScheduler{{}}, nullptr};
  policies::JobPlan plan = four_stages();
  JobDatasets datasets{{ProfileId{0}, ProfileId{2}, ProfileId{0}, ProfileId{0}}, false};
  int asked = 0;
};

BOOST_AUTO_TEST_CASE(each_stage_is_one_dataset_and_is_found_by_it) {
  const Fixture f;
  BOOST_TEST(f.asked == 4);
  for (std::int32_t number = 0; number < 4; ++number) BOOST_TEST(f.datasets.stage_of(f.datasets.of(number)) == number);
  BOOST_TEST(f.datasets.stage_of(policies::DatasetId{1000}) == -1);
  BOOST_TEST((f.datasets.profile(1) == ProfileId{2}));
}

BOOST_AUTO_TEST_CASE(the_plan_has_the_shuffles_of_the_scheduler_and_equal_ones_are_one) {
  const Fixture f;
  const auto count = f.scheduler->shuffle_of(f.datasets.of(1), 0);
  BOOST_TEST(!count.is_none());
  BOOST_TEST((f.scheduler->shuffle_of(f.datasets.of(3), 0) == count));
  BOOST_TEST(f.scheduler->shuffle_of(f.datasets.of(2), 0).is_none());
  BOOST_TEST_REQUIRE(f.plan.shuffles().size() == 1U);
  BOOST_TEST((f.plan.shuffles().begin()->first == count));
}

BOOST_AUTO_TEST_CASE(a_second_job_gets_other_datasets_after_the_first_is_forgotten) {
  Fixture f;
  const auto former = f.datasets.of(0);
  f.datasets.forget(f.scheduler, {});
  JobDatasets next{{ProfileId{0}, ProfileId{0}, ProfileId{0}, ProfileId{0}}, true};
  auto plan = four_stages();
  next.add_to(f.scheduler, {}, plan, [](const std::vector<TaskSplit>&) { return nullptr; });
  BOOST_TEST((next.of(0) != former));
  f.scheduler->check_invariants();
}

}  // namespace
}  // namespace job_datasets_test
}  // namespace heddle::actors
