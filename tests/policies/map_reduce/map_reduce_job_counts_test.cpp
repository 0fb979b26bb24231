// Goal: progress has Hadoop's weights, and a map whose output cannot be fetched runs again once after enough reports.
// Method: the numbered cases of the specification (E2-13, E2-14), and random notices against a plain count.
#include "policies/map_reduce/map_reduce_job_counts.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace map_reduce_job_counts_test {
namespace {

/// A job after its setup, with the first maps and reduces done.
float progress_of(std::size_t maps, std::size_t maps_done, std::size_t reduces, std::size_t reduces_done) {
  MapReduceJobProgress job{1, 0, std::vector<float>(maps), std::vector<float>(reduces)};
  std::fill_n(job.maps.begin(), maps_done, 1.0F);
  std::fill_n(job.reduces.begin(), reduces_done, 1.0F);
  return job_progress(job);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(map_reduce_job_counts, *boost::unit_test::tolerance(1e-6F))

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

BOOST_AUTO_TEST_CASE(a_later_end_of_the_task_makes_its_success_obsolete) {
  AttemptEndings endings;
  endings.add({{true, 0, 0}, AttemptEnding::succeeded});
  endings.add({{false, 0, 0}, AttemptEnding::succeeded});
  endings.add({{false, 0, 1}, AttemptEnding::killed});
  BOOST_TEST((endings.of_maps() == std::vector{AddCompletionEvent{{false, 0, 0}, AttemptEnding::obsolete},
                                               AddCompletionEvent{{false, 0, 1}, AttemptEnding::killed}}));
  BOOST_TEST((endings.all().front().ending == AttemptEnding::succeeded));
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

}  // namespace map_reduce_job_counts_test
}  // namespace heddle::policies
