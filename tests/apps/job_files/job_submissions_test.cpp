// Goal: submissions are kept in files of their own; one that cannot be used does not harm the others.
// Method: a scratch folder.
#include "apps/job_files/job_submissions.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "tests/support/classic_packages.hpp"
#include "tests/support/scratch_folder.hpp"

namespace heddle::apps {
namespace job_submissions_test {
namespace {

JobSubmission submission_of(std::int64_t job) {
  JobSubmission submission;
  submission.job = JobId{job};
  submission.user = "ann";
  submission.package = tests::map_only_package({{"a"}});
  return submission;
}

BOOST_AUTO_TEST_CASE(submissions_are_listed_loaded_and_removed_by_their_job) {
  const work::ScratchFolder folder;
  JobSubmissions store{folder.file("jobs")};
  BOOST_REQUIRE(store.open().has_value());
  BOOST_TEST(store.list()->empty());
  for (const std::int64_t job : {10, 9}) BOOST_REQUIRE(store.save(submission_of(job)).has_value());
  BOOST_TEST((*store.list() == std::vector<JobId>{JobId{9}, JobId{10}}));
  BOOST_TEST(store.load(JobId{9})->user == "ann");
  BOOST_REQUIRE(store.remove(JobId{9}).has_value());
  BOOST_REQUIRE(store.remove(JobId{9}).has_value());
  BOOST_TEST((*store.list() == std::vector<JobId>{JobId{10}}));
  BOOST_TEST((store.load(JobId{9}).error().code == Errc::not_found));
}

BOOST_AUTO_TEST_CASE(a_torn_or_misplaced_submission_is_refused_and_the_others_stay) {
  const work::ScratchFolder folder;
  JobSubmissions store{folder.file("jobs")};
  BOOST_REQUIRE(store.open().has_value());
  for (const std::int64_t job : {1, 2}) BOOST_REQUIRE(store.save(submission_of(job)).has_value());
  std::ofstream{folder.file("jobs") + "/job-1.submission"} << "torn";
  std::ofstream{folder.file("jobs") + "/job-x.submission"} << "no job";
  BOOST_TEST((*store.list() == std::vector<JobId>{JobId{1}, JobId{2}}));
  BOOST_TEST((store.load(JobId{1}).error().code == Errc::corrupt));
  BOOST_TEST(store.load(JobId{1}).error().text.find("job-1.submission': the job submission has no valid header") !=
             std::string::npos);
  BOOST_TEST(store.load(JobId{2}).has_value());
}

}  // namespace
}  // namespace job_submissions_test
}  // namespace heddle::apps
