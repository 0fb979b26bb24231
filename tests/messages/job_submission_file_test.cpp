// Goal: a job submission comes back from its bytes as it was, all other bytes are refused with a sentence, and a change
// of the layout needs another version. Method: a submission in which no field has its default; then damaged bytes.
#include "messages/job_submission_file.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "model/sealed_bytes.hpp"
#include "tests/support/classic_packages.hpp"

namespace heddle {
namespace job_submission_file_test {
namespace {

using namespace std::chrono_literals;

JobSubmission full_submission() {
  JobSubmission submission;
  submission.job = JobId{7};
  submission.user = "ann";
  submission.package_file = "/tmp/job-1.package";
  submission.submit_time = 1'700'000'000'000;
  submission.rules = {JobPriority::high, 0.5F, false, false, 0.1, 5s, 2, 3, 5, 6, 8, 9, -1};
  submission.package = tests::map_only_package({{"a"}, {"b"}});
  return submission;
}

std::string bytes_of(const JobSubmission& submission) {
  auto written = write_job_submission(submission);
  BOOST_REQUIRE(written.has_value());
  return *written;
}

BOOST_AUTO_TEST_CASE(a_submission_comes_back_as_it_was_written) {
  const auto written = full_submission();
  const auto back = read_job_submission(bytes_of(written));
  BOOST_REQUIRE(back.has_value());
  BOOST_TEST((back->job == written.job));
  BOOST_TEST(back->user == "ann");
  BOOST_TEST(back->package_file == "/tmp/job-1.package");
  BOOST_TEST(back->submit_time == 1'700'000'000'000);
  BOOST_TEST((back->rules == written.rules));
  BOOST_TEST(back->package.graph.name == "copy");
  BOOST_TEST_REQUIRE(back->package.splits.size() == 1U);
  BOOST_TEST((back->package.splits[0].splits[1].split == InputSplit{"/in", 100, 100, {"b"}}));
}

BOOST_AUTO_TEST_CASE(the_layout_of_a_submission_belongs_to_the_version) {
  const auto bytes = bytes_of(full_submission());
  BOOST_TEST(bytes.substr(0, 4) == "HDJS");
  BOOST_TEST(from_little_endian(std::string_view{bytes}.substr(4, 4)) == 3U);
  // If this fails, the fields of a submission have changed: raise the version in messages/job_submission_file.cpp.
  BOOST_TEST(bytes.size() == 376U);
  BOOST_TEST(from_little_endian(std::string_view{bytes}.substr(8, 8)) == 3430303530838233859U);
}

BOOST_AUTO_TEST_CASE(torn_and_changed_submissions_are_refused_with_a_sentence) {
  const auto whole = bytes_of(full_submission());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    auto changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    BOOST_REQUIRE_MESSAGE(!read_job_submission(changed).has_value(), "byte " << i);
    const auto cut = read_job_submission(std::string_view{whole}.substr(0, i));
    BOOST_REQUIRE_MESSAGE(!cut.has_value(), "cut at " << i);
    BOOST_TEST(cut.error().text.starts_with("the job submission "));
  }
}

BOOST_AUTO_TEST_CASE(values_of_a_submission_out_of_range_are_refused_with_their_reason) {
  auto submission = full_submission();
  submission.package.splits[0].splits[0].input = 7;
  BOOST_TEST(read_job_submission(bytes_of(submission)).error().text.find("an input that its stage does not have") !=
             std::string::npos);
}

}  // namespace
}  // namespace job_submission_file_test
}  // namespace heddle
