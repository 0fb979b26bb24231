// Goal: the end of an attempt or a job reports and cancels exactly what belongs to it, in Spark's order.
// Method: the whole list of effects of one input, as text.
#include <boost/test/unit_test.hpp>
#include <set>
#include <string>

#include "tests/policies/stages/two_stages.hpp"

namespace heddle::policies {
namespace stage_endings_test {
namespace {

/// The effects that end something: "result JOB.OUTPUT", "stage STAGE.ATTEMPT ok", "job JOB failed at STAGE".
std::string endings(const StageEffects& effects) {
  std::string text;
  const auto add = [&text](const std::string& event) { text += (text.empty() ? "" : ", ") + event; };
  for (const StageEffect& effect : effects) {
    if (const auto* result = std::get_if<JobResult>(&effect))
      add("result " + to_string(result->job) + "." + std::to_string(result->output));
    if (const auto* stage = std::get_if<StageCompleted>(&effect))
      add("stage " + to_string(stage->stage) + "." + std::to_string(stage->attempt) +
          (stage->succeeded    ? " ok"
           : stage->will_retry ? " retried"
                               : " ended"));
    if (const auto* stage = std::get_if<CancelStage>(&effect)) add("cancel " + to_string(stage->stage));
    if (const auto* stage = std::get_if<KillStageAttempts>(&effect)) add("kill " + to_string(stage->stage));
    if (const auto* job = std::get_if<JobFailed>(&effect))
      add("job " + to_string(job->job) + " failed" + (job->stage.is_none() ? "" : " at " + to_string(job->stage)));
    if (const auto* job = std::get_if<JobEnded>(&effect))
      add("job " + to_string(job->job) + (job->succeeded ? " ok" : " ended"));
  }
  return text;
}

/// Another dataset over shuffle 0.
DatasetId reader_of_first_shuffle(StageScript& script, DatasetId source, std::int32_t partitions) {
  return script.dataset_with(partitions, {source}, {},
                             [](DatasetDescription& it) { it.dependencies[0].shared = ShuffleId{0}; });
}

/// Jobs 0 and 1 read the same map stage 0, which runs; their result stages 1 and 2 wait for it.
StageScript two_jobs(StageSchedulerSettings settings = {}) {
  StageScript script{settings};
  const DatasetId source = script.dataset(2);
  script.submit(script.dataset(1, {source}), 1);
  script.submit(reader_of_first_shuffle(script, source, 1), 1);
  return script;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stage_endings)

BOOST_AUTO_TEST_CASE(the_last_output_ends_its_stage_and_job_and_the_tasks_that_still_run) {
  StageScript script = two_stages();
  script.ok(1, 0, 0, a);
  BOOST_TEST(endings(script.last) == "result 0.0");
  script.ok(1, 0, 1, a);
  BOOST_TEST(endings(script.last) == "result 0.1, stage 1.0 ok, kill 1, job 0 ok");
  BOOST_TEST(!script.stages.is_active(JobId{0}));
}

BOOST_AUTO_TEST_CASE(a_job_that_finishes_cancels_the_parents_that_run_again_for_it) {
  StageScript script = two_stages();
  script.ok(1, 0, 0, b);
  script.fetch_failed(1, 0, 1, 0, 0, a);
  BOOST_TEST(endings(script.last) == "stage 1.0 retried");
  script.resubmit();
  script.ok(1, 0, 1, b);  // a copy of the task that could not fetch
  BOOST_TEST(endings(script.last) == "result 0.1, stage 1.0 ok, cancel 0, stage 0.1 ended, kill 1, job 0 ok");
}

BOOST_AUTO_TEST_CASE(a_cancelled_job_cancels_only_running_stages_that_no_other_job_needs) {
  StageScript script = two_jobs();
  script.cancel(0);
  BOOST_TEST(endings(script.last) == "job 0 failed, job 0 ended");
  BOOST_TEST((script.stages.running() == std::set{StageId{0}}));
  BOOST_TEST((script.stages.waiting() == std::set{StageId{2}}));
  script.cancel(1);
  BOOST_TEST(endings(script.last) == "cancel 0, stage 0.0 ended, job 1 failed, job 1 ended");
  BOOST_TEST(script.stages.running().empty());
  BOOST_TEST(script.stages.waiting().empty());
}

BOOST_AUTO_TEST_CASE(a_failed_stage_ends_its_jobs_by_id_and_its_last_job_ends_the_stage) {
  StageScript script = two_jobs();
  script.set_failed(0);
  BOOST_TEST(endings(script.last) ==
             "job 0 failed at 0, job 0 ended, cancel 0, stage 0.0 ended, job 1 failed at 0, job 1 ended");
  BOOST_TEST((script.failures == std::vector{JobFailure::task_set_failed, JobFailure::task_set_failed}));
  script.set_failed(0);
  BOOST_TEST(script.last.empty());
}

BOOST_AUTO_TEST_CASE(a_failed_stage_spares_jobs_that_do_not_depend_on_it) {
  StageScript script = two_jobs();
  script.submit(script.dataset(1, {script.dataset(1)}), 1);  // job 2
  script.all_ok(0, {a, b});
  script.set_failed(1);  // the result stage of job 0
  BOOST_TEST(endings(script.last) == "cancel 1, stage 1.0 ended, job 0 failed at 1, job 0 ended");
  BOOST_TEST(script.stages.is_active(JobId{1}));
  BOOST_TEST(script.stages.is_active(JobId{2}));
  script.set_failed(0);  // complete: nothing depends on a further attempt
  BOOST_TEST(script.last.empty());
}

BOOST_AUTO_TEST_CASE(all_jobs_that_want_a_map_stage_end_with_it_by_id) {
  StageScript script;
  const DatasetId sink = script.dataset(1, {script.dataset(2)});
  script.submit_map_stage(0);
  script.submit(sink, 1);
  script.submit_map_stage(0);
  script.ok(0, 0, 0, a);
  BOOST_TEST(endings(script.last).empty());
  script.ok(0, 0, 1, a);
  BOOST_TEST(endings(script.last) == "stage 0.0 ok, result 0.0, job 0 ok, result 2.0, job 2 ok");
  BOOST_TEST((script.set_names().back() == std::pair<std::int64_t, std::int32_t>{1, 0}));
  script.submit_map_stage(0);  // its outputs are there
  BOOST_TEST(endings(script.last) == "stage 0.1 ok, result 3.0, job 3 ok");
}

BOOST_AUTO_TEST_CASE(where_tasks_cannot_be_killed_a_job_ends_unless_a_stage_of_its_own_runs) {
  for (const bool can_kill : {true, false}) {
    StageScript script = two_jobs({.can_kill_tasks = can_kill});
    script.cancel(0);  // only the shared stage runs
    BOOST_TEST(endings(script.last) == "job 0 failed, job 0 ended");
    script.set_failed(0);
    BOOST_TEST(endings(script.last) == (can_kill ? "cancel 0, stage 0.0 ended, job 1 failed at 0, job 1 ended" : ""));
    BOOST_TEST(script.stages.is_active(JobId{1}) != can_kill);
  }
}

BOOST_AUTO_TEST_CASE(a_success_clears_the_failed_attempts_of_its_stage) {
  for (const bool succeeds : {true, false}) {
    StageScript script = two_stages(2, {.max_consecutive_attempts = 2, .max_stage_attempts = 9});
    const DatasetId sink = script.dataset(1, {reader_of_first_shuffle(script, DatasetId{0}, 2)});
    script.submit(sink, 1);  // stage 2 reads shuffle 0, stage 3 reads stage 2
    script.fetch_failed(2, 0, 0, 0, 0, a);
    script.resubmit();
    script.all_ok(script.sets.size() - 1, {b});
    BOOST_TEST((script.set_names().back() == std::pair<std::int64_t, std::int32_t>{2, 1}));
    if (succeeds) {
      script.all_ok(script.sets.size() - 1, {a});
      script.fetch_failed(3, 0, 0, 1, 0, a);  // stage 2 runs a third time
      script.resubmit();
    }
    const std::int32_t attempt = succeeds ? 2 : 1;
    BOOST_REQUIRE((script.set_names().back() == std::pair<std::int64_t, std::int32_t>{2, attempt}));
    script.fetch_failed(2, attempt, 0, 0, 1, b);
    BOOST_TEST((script.failures == (succeeds ? std::vector<JobFailure>{} : std::vector{JobFailure::fetch_failures})));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace stage_endings_test
}  // namespace heddle::policies
