// Goal: the settings of a job have what its user gave, and the settings in effect win. Method: packages, and the last
// value of each key.
#include "policies/job_tracker/job_settings.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <utility>

#include "tests/support/classic_packages.hpp"

namespace heddle::policies {
namespace job_settings_test {
namespace {

BOOST_AUTO_TEST_CASE(the_settings_in_effect_win_over_the_keys_of_the_user) {
  auto package = tests::map_reduce_package({{"a"}}, 2);
  package.graph.properties = {{"stream.map.streamprocessor", "cat"},
                              {"my.own", "x"},
                              {"mapreduce.task.timeout", "-1"},
                              {"mapreduce.job.reduces", "9"}};
  const auto work = JobWork::make(JobId{1}, ApplicationId{1, 1}, std::move(package));
  BOOST_TEST_REQUIRE(work.has_value());
  JobSettings settings{{"mapreduce.task.timeout", "600s"}};
  add_job_settings(settings, *work, "ann", "default");
  std::map<std::string, std::string> last;
  for (const auto& [key, value] : settings) last.insert_or_assign(key, value);
  const std::map<std::string, std::string> expected{{"stream.map.streamprocessor", "cat"},
                                                    {"my.own", "x"},
                                                    {"mapreduce.task.timeout", "600s"},
                                                    {"mapreduce.job.name", "copy"},
                                                    {"mapreduce.job.user.name", "ann"},
                                                    {"mapreduce.job.queuename", "default"},
                                                    {"mapreduce.job.maps", "1"},
                                                    {"mapreduce.job.reduces", "2"},
                                                    {"mapreduce.input.fileinputformat.inputdir", "/in"},
                                                    {"mapreduce.output.fileoutputformat.outputdir", "/out"}};
  BOOST_TEST((last == expected));
}

}  // namespace
}  // namespace job_settings_test
}  // namespace heddle::policies
