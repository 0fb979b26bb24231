// Goal: progress has Hadoop's weights, and a map whose output cannot be fetched runs again once after enough reports.
// Method: the numbered cases of the specification (E2-13, E2-14, E3-01 to E3-03), with tasks that apply the effects.
#include "policies/map_reduce/map_reduce_job.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace map_reduce_job_test {
namespace {

/// A job after its setup, with the first maps and reduces done.
float progress_of(std::size_t maps, std::size_t maps_done, std::size_t reduces, std::size_t reduces_done) {
  MapReduceJobProgress job{1, 0, std::vector<float>(maps), std::vector<float>(reduces)};
  std::fill_n(job.maps.begin(), maps_done, 1.0F);
  std::fill_n(job.reduces.begin(), reduces_done, 1.0F);
  return job_progress(job);
}

/// One map and some reduces, all running, and the list of completion events.
struct Job {
  explicit Job(std::int32_t count) {
    for (std::int32_t i = 0; i < count; ++i) reduces.emplace_back(true, i);
    map.on_schedule(effects);
    map.on_launched(0);
    for (auto& reduce : reduces) {
      reduce.on_schedule(effects);
      reduce.on_launched(0);
    }
    finish(map, 0);
  }
  void note() {
    for (const auto& effect : effects)
      if (const auto* ended = std::get_if<AddCompletionEvent>(&effect)) endings.add(*ended);
    effects.clear();
  }
  void finish(MapReduceTask& task, std::int32_t attempt) {
    task.on_succeeded(attempt, effects);
    note();
  }
  void notice(std::int32_t reduce, std::int32_t fetching) {
    failures.on_notice({true, reduce, 0}, "h" + std::to_string(reduce), {{false, 0, 0}}, fetching, failed);
    for (; carried_out < failed.size(); ++carried_out) map.on_failed(failed[carried_out].map.attempt, false, effects);
    note();
  }
  void run_again_and_finish() {
    map.on_launched(1);
    finish(map, 1);
    for (auto& reduce : reduces) finish(reduce, 0);
  }
  static std::string words(const std::vector<AddCompletionEvent>& endings) {
    static const char* const names[] = {"succeeded", "failed", "killed", "obsolete", "task_failed"};
    std::string line;
    for (const auto& ended : endings)
      line += (ended.attempt.is_reduce ? "r" : "m") + std::to_string(ended.attempt.attempt) + ":" +
              names[static_cast<std::size_t>(ended.ending)] + " ";
    return line;
  }

  MapReduceTask map{false, 0};
  std::vector<MapReduceTask> reduces;
  MapReduceTaskEffects effects;
  AttemptEndings endings;
  FetchFailures failures;
  std::vector<FailFinishedMap> failed;
  std::size_t carried_out = 0;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(map_reduce_job, *boost::unit_test::tolerance(1e-6F))

// C-E2-13.
BOOST_AUTO_TEST_CASE(maps_and_reduces_share_nine_tenths_of_the_progress) {
  BOOST_TEST(progress_of(10, 0, 10, 0) == 0.05F);
  BOOST_TEST(progress_of(10, 1, 10, 0) == 0.095F);
  BOOST_TEST(progress_of(10, 8, 10, 0) == 0.41F);
  BOOST_TEST(progress_of(10, 10, 10, 0) == 0.5F);
  BOOST_TEST(progress_of(10, 10, 10, 2) == 0.59F);
  BOOST_TEST(progress_of(10, 10, 10, 10) == 0.95F);
}

// C-E2-14.
BOOST_AUTO_TEST_CASE(maps_alone_have_nine_tenths_of_the_progress) {
  BOOST_TEST(progress_of(10, 0, 0, 0) == 0.05F);
  BOOST_TEST(progress_of(10, 1, 0, 0) == 0.14F);
  BOOST_TEST(progress_of(10, 6, 0, 0) == 0.59F);
  BOOST_TEST(progress_of(10, 10, 0, 0) == 0.95F);
}

// C-E3-01.
BOOST_AUTO_TEST_CASE(three_notices_of_the_only_reduce_run_a_map_again) {
  Job job{1};
  job.notice(0, 1);
  job.notice(0, 1);
  BOOST_TEST((job.map.state() == MapReduceTaskState::succeeded));
  job.notice(0, 1);
  BOOST_TEST((job.map.state() == MapReduceTaskState::scheduled));
  BOOST_TEST(job.map.attempts() == 2);
  BOOST_TEST(job.failures.notices_of({false, 0, 0}) == 0);
  job.map.on_launched(1);
  BOOST_TEST((job.map.state() == MapReduceTaskState::running));
  job.run_again_and_finish();
  BOOST_TEST(Job::words(job.endings.all()) == "m0:obsolete m0:failed m1:succeeded r0:succeeded ");
  BOOST_TEST(Job::words(job.endings.of_maps()) == "m0:obsolete m0:failed m1:succeeded ");
}

// C-E3-02: the next application attempt reads that the map has to run again, so it has not ended.
BOOST_AUTO_TEST_CASE(a_master_that_follows_runs_a_map_again_that_could_not_be_fetched) {
  Job job{1};
  for (int i = 0; i < 3; ++i) job.notice(0, 1);
  BOOST_REQUIRE(!job.map.has_ended());
  Job next{0};
  next.endings = {};
  next.map = MapReduceTask{false, 0};
  next.map.on_recover({}, 2, next.effects);
  next.note();
  BOOST_TEST((next.map.state() == MapReduceTaskState::scheduled));
  next.map.on_launched(1000);
  next.finish(next.map, 1000);
  MapReduceTask reduce{true, 0};
  reduce.on_recover({}, 2, next.effects);
  reduce.on_launched(1000);
  next.finish(reduce, 1000);
  BOOST_TEST(Job::words(next.endings.all()) == "m1000:succeeded r1000:succeeded ");
}

BOOST_AUTO_TEST_CASE(a_master_that_follows_keeps_a_map_that_has_ended) {
  MapReduceTask map{false, 0};
  MapReduceTaskEffects effects;
  map.on_recover({MapReduceTaskState::succeeded, 3}, 2, effects);
  BOOST_TEST((map.state() == MapReduceTaskState::succeeded));
  BOOST_TEST(*map.successful_attempt() == 3);
  map.check_invariants();
}

// C-E3-03: the third report arrives when two of three reduces no longer fetch. The last reporter is named.
BOOST_AUTO_TEST_CASE(notices_count_against_the_reduces_that_still_fetch) {
  Job job{3};
  job.notice(0, 3);
  job.notice(1, 3);
  BOOST_TEST((job.map.state() == MapReduceTaskState::succeeded));
  BOOST_TEST(job.failures.notices_of({false, 0, 0}) == 2);
  job.notice(2, 1);
  BOOST_TEST((job.map.state() == MapReduceTaskState::scheduled));
  BOOST_REQUIRE(job.failed.size() == 1U);
  BOOST_TEST((job.failed[0] == FailFinishedMap{{false, 0, 0}, {true, 2, 0}, "h2"}));
  job.run_again_and_finish();
  BOOST_TEST(Job::words(job.endings.all()) ==
             "m0:obsolete m0:failed m1:succeeded r0:succeeded r0:succeeded r0:succeeded ");
}

BOOST_AUTO_TEST_CASE(three_notices_of_many_fetching_reduces_do_not_suffice) {
  FetchFailures failures;
  std::vector<FailFinishedMap> failed;
  for (int i = 0; i < 4; ++i) failures.on_notice({true, 0, 0}, "h", {{false, 0, 0}}, 10, failed);
  BOOST_TEST(failed.empty());
  failures.on_notice({true, 0, 0}, "h", {{false, 0, 0}}, 10, failed);
  BOOST_TEST(failed.size() == 1U);
}

// For any order of reports: a map fails exactly when its reports since the last failure reach both limits.
BOOST_AUTO_TEST_CASE(random_notices_fail_maps_as_a_plain_count_does) {
  RandomStream random{11};
  FetchFailures failures;
  std::vector<FailFinishedMap> failed;
  std::map<std::int32_t, std::int32_t> count;
  for (int step = 0; step < 5000; ++step) {
    const auto map = static_cast<std::int32_t>(random.below(20));
    const auto fetching = static_cast<std::int32_t>(random.below(12));
    const std::size_t before = failed.size();
    failures.on_notice({true, 0, 0}, "h", {{false, map, 0}}, fetching, failed);
    const bool is_due = ++count[map] >= 3 && 2 * count[map] >= fetching;
    BOOST_REQUIRE((failed.size() > before) == is_due);
    if (is_due) count[map] = 0;
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace map_reduce_job_test
}  // namespace heddle::policies
