// Goal: a job carries what its user gave under the keys of Hadoop Streaming. Method: requests, and the properties of
// their graphs.
#include <boost/test/unit_test.hpp>
#include <map>
#include <string>

#include "apps/cli/streaming_job.hpp"

namespace heddle::apps {
namespace streaming_properties_test {
namespace {

StreamingRequest words_request() {
  StreamingRequest request;
  request.inputs = {"in"};
  request.output = "out";
  request.mapper = "cut -d ' ' -f1";
  request.combiner = "uniq";
  request.reducer = "sh -c 'wc -l > \"ä\"'";
  return request;
}

/// The last value of a key counts.
std::map<std::string, std::string> properties_of(const StreamingRequest& request) {
  const auto job = make_streaming_job(request);
  BOOST_REQUIRE(job.has_value());
  std::map<std::string, std::string> properties;
  for (const auto& [key, value] : job->graph.properties) properties.insert_or_assign(key, value);
  return properties;
}

BOOST_AUTO_TEST_CASE(commands_are_encoded_as_streaming_encodes_them) {
  const std::map<std::string, std::string> expected{
      {"stream.map.streamprocessor", "cut+-d+%27+%27+-f1"},
      {"stream.combine.streamprocessor", "uniq"},
      {"stream.reduce.streamprocessor", "sh+-c+%27wc+-l+%3E+%22%C3%A4%22%27"}};
  BOOST_TEST((properties_of(words_request()) == expected));
  auto request = words_request();
  request.mapper = "a.b-c*d_e~+";
  BOOST_TEST(properties_of(request)["stream.map.streamprocessor"] == "a.b-c*d_e%7E%2B");
}

BOOST_AUTO_TEST_CASE(a_job_without_reduces_has_no_reducer) {
  for (const std::string reducer : {"NONE", "wc"}) {
    auto request = words_request();
    request.reducer = reducer;
    request.reduce_tasks = 0;
    BOOST_TEST(!properties_of(request).contains("stream.reduce.streamprocessor"));
  }
}

BOOST_AUTO_TEST_CASE(classes_have_the_keys_of_hadoop) {
  auto request = words_request();
  request.combiner.clear();
  request.reducer = "aggregate";
  const std::map<std::string, std::string> aggregate{
      {"stream.map.streamprocessor", "cut+-d+%27+%27+-f1"},
      {"mapred.reducer.class", "org.apache.hadoop.mapred.lib.aggregate.ValueAggregatorReducer"},
      {"mapred.combiner.class", "org.apache.hadoop.mapred.lib.aggregate.ValueAggregatorCombiner"}};
  BOOST_TEST((properties_of(request) == aggregate));
  request.mapper = "org.apache.hadoop.mapred.lib.IdentityMapper";
  request.reducer.clear();
  const std::map<std::string, std::string> identity{
      {"mapred.mapper.class", "org.apache.hadoop.mapred.lib.IdentityMapper"}};
  BOOST_TEST((properties_of(request) == identity));
}

BOOST_AUTO_TEST_CASE(every_key_of_the_configuration_is_kept) {
  auto request = words_request();
  request.configuration = {{"my.own", "x y"}, {"mapreduce.job.reduces", "3"}, {"mapreduce.map.java.opts", "-Xmx1g"}};
  const auto properties = properties_of(request);
  for (const auto& [key, value] : request.configuration) {
    BOOST_TEST_REQUIRE(properties.contains(key), key);
    BOOST_TEST(properties.at(key) == value);
  }
}

}  // namespace
}  // namespace streaming_properties_test
}  // namespace heddle::apps
