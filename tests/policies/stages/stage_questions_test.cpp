// Goal: the StageScheduler names the state of each stage and why it does not run, from its submission to the end of its
// job. Method: one job of two stages, asked after every step.
#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/policies/stages/two_stages.hpp"

namespace heddle::policies {
namespace stage_questions_test {
namespace {

using State = StageExplanation::State;
using Stages = std::vector<std::pair<StageId, ShuffleId>>;

constexpr ShuffleId none{};

/// Stage 0 writes shuffle 0 in two maps, and stage 1 reads it in two tasks. Dataset 2 is the sink.
StageScript one_job() {
  StageScript script;
  const DatasetId source = script.dataset(2);
  const DatasetId reduced = script.dataset(2, {source});
  script.submit(script.dataset(2, {}, {reduced}), 2);
  return script;
}

void check(const StageScript& script, std::int64_t stage, State state, const std::string& text) {
  const StageExplanation found = script.stages.explain(StageId{stage});
  BOOST_TEST((found.state == state), "stage " << stage << " has state " << static_cast<int>(found.state));
  BOOST_TEST(found.text == text);
  BOOST_TEST(found.retry_at.has_value() == (state == State::failed));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stage_questions)

BOOST_AUTO_TEST_CASE(an_explanation_follows_a_stage_through_its_states) {
  StageScript script = one_job();
  check(script, 0, State::running, "attempt 0 runs, 2 partitions are missing");
  check(script, 1, State::waiting, "waits for stage 0");
  BOOST_TEST((script.stages.explain(StageId{1}).missing_parents == std::vector{StageId{0}}));
  BOOST_TEST(script.stages.explain(StageId{1}).missing_partitions == 2);
  script.all_ok(0, {a, b});
  check(script, 0, State::idle, "0 partitions are missing; no running job needs it");
  check(script, 1, State::running, "attempt 0 runs, 2 partitions are missing");
  BOOST_TEST(script.stages.explain(StageId{1}).missing_parents.empty());
  script.fetch_failed(1, 0, 0, 0, 0, a);
  check(script, 1, State::failed,
        "lost outputs that it or a child needs, 2 partitions are missing; submitted again after the delay");
  check(script, 0, State::failed,
        "lost outputs that it or a child needs, 1 partition is missing; submitted again after the delay");
  BOOST_TEST(script.stages.explain(StageId{0}).missing_partitions == 1);
  BOOST_TEST((script.stages.explain(StageId{1}).retry_at == Instant{std::chrono::milliseconds{200}}));
  script.resubmit();
  BOOST_TEST((script.stages.explain(StageId{0}).state == State::running));
  check(script, 1, State::waiting, "waits for stage 0");
  script.cancel(0);
  check(script, 0, State::unknown, "stage 0 is not known, or its jobs have ended");
  check(script, 1, State::unknown, "stage 1 is not known, or its jobs have ended");
}

BOOST_AUTO_TEST_CASE(a_job_and_its_stages_are_known_until_it_ends) {
  StageScript script = one_job();
  BOOST_TEST(script.stages.is_active(JobId{0}));
  BOOST_TEST(!script.stages.is_active(JobId{1}));
  BOOST_TEST((script.stages.stages_of(JobId{0}) == Stages{{StageId{0}, ShuffleId{0}}, {StageId{1}, none}}));
  BOOST_TEST(script.stages.stages_of(JobId{1}).empty());
  BOOST_TEST((script.stages.stage_of(ShuffleId{0}) == StageId{0}));
  BOOST_TEST(script.stages.stage_of(ShuffleId{1}).is_none());
  BOOST_TEST((script.stages.parents(StageId{1}) == std::vector{StageId{0}}));
  BOOST_TEST(script.stages.parents(StageId{2}).empty());
  script.all_ok(0, {a, b});
  script.all_ok(1, {a});
  BOOST_TEST(!script.stages.is_active(JobId{0}));
  BOOST_TEST(script.stages.stages_of(JobId{0}).empty());
  BOOST_TEST(script.stages.stage_of(ShuffleId{0}).is_none());
  BOOST_TEST((script.outputs(0) == Ints{a, b}));  // they outlive the stage
}

BOOST_AUTO_TEST_CASE(only_a_shuffle_dependency_has_a_shuffle) {
  StageScript script = one_job();
  const DatasetId both = script.dataset(2, {DatasetId{0}}, {DatasetId{1}});
  BOOST_TEST((script.stages.shuffle_of(DatasetId{1}, 0) == ShuffleId{0}));
  BOOST_TEST(script.stages.shuffle_of(DatasetId{2}, 0).is_none());
  BOOST_TEST((script.stages.shuffle_of(both, 0) == ShuffleId{1}));
  BOOST_TEST(script.stages.shuffle_of(both, 1).is_none());
}

BOOST_AUTO_TEST_CASE(time_matters_only_from_a_fetch_failure_to_its_resubmission) {
  StageScript script = one_job();
  BOOST_TEST(!script.stages.next_due().has_value());
  script.all_ok(0, {a, b});
  BOOST_TEST(!script.stages.next_due().has_value());
  script.now += std::chrono::seconds{5};
  script.fetch_failed(1, 0, 0, 0, 0, a);
  const Instant due{std::chrono::milliseconds{5200}};
  BOOST_TEST((script.stages.next_due() == due));
  script.fetch_failed(1, 0, 1, 0, 1, b);  // of an attempt that has failed already
  BOOST_TEST((script.stages.next_due() == due));
  script.resubmit();
  BOOST_TEST(!script.stages.next_due().has_value());
  BOOST_TEST((script.set_names().back() == std::pair<std::int64_t, std::int32_t>{0, 1}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace stage_questions_test
}  // namespace heddle::policies
