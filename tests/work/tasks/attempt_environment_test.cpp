// Goal: commands get the variables of their task, also those of Hadoop Streaming.
// Method: tables of names and values.
#include "work/tasks/attempt_environment.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

namespace attempt_environment_test {

namespace {

using namespace heddle;
using namespace heddle::work;

std::string value_of(const TaskAttempt& attempt, const std::string& name) {
  const auto environment = environment_of(attempt, "mark");
  const auto found =
      std::find_if(environment.begin(), environment.end(), [&](const auto& one) { return one.first == name; });
  return found == environment.end() ? "unset" : found->second;
}

struct OneMap {
  OneMap() {
    work.name = "stage";
    work.tasks = 3;
    split.split.path = "/in/words.txt";
    split.split.offset = 6;
    split.split.length = 7;
    attempt.work = &work;
    attempt.split = &split;
    attempt.index = 2;
    attempt.attempt = 1;
  }
  StageProgram work;
  TaskSplit split;
  TaskAttempt attempt;
};

BOOST_AUTO_TEST_CASE(every_command_has_variables_of_its_task_and_split) {
  const OneMap map;
  const std::pair<const char*, const char*> rows[] = {
      {"HEDDLE_TASK_INDEX", "2"},         {"HEDDLE_TASK_COUNT", "3"},
      {"HEDDLE_TASK_ATTEMPT", "1"},       {"HEDDLE_STAGE", "stage"},
      {"mapreduce_task_partition", "2"},  {"mapreduce_map_input_file", "/in/words.txt"},
      {"mapreduce_map_input_start", "6"}, {"mapreduce_map_input_length", "7"},
      {"HEDDLE_BARRIER_HOSTS", "unset"},  {"mapred_tip_id", "unset"},
      {"map_input_file", "unset"}};
  for (const auto& [name, value] : rows) BOOST_TEST(value_of(map.attempt, name) == value, name);
}

BOOST_AUTO_TEST_CASE(barrier_hosts_and_devices_are_comma_separated) {
  OneMap map;
  map.work.barrier_hosts = {"h1", "h2", "h1"};
  const TaskDevices devices{{{"gpu", {"0", "1"}}, {"my-card.2", {"x"}}}};
  map.attempt.devices = &devices;
  BOOST_TEST(value_of(map.attempt, "HEDDLE_BARRIER_HOSTS") == "h1,h2,h1");
  BOOST_TEST(value_of(map.attempt, "HEDDLE_DEVICES_GPU") == "0,1");
  BOOST_TEST(value_of(map.attempt, "HEDDLE_DEVICES_MY_CARD_2") == "x");
}

BOOST_AUTO_TEST_CASE(streaming_programs_get_current_and_deprecated_names) {
  OneMap map;
  map.work.output.emplace();
  map.work.output->streaming = true;
  map.work.output->path = "/out";
  const std::string number = to_string(map.work.application).substr(std::string{"application_"}.size());
  for (const bool is_map : {true, false}) {
    if (!is_map) map.work.shuffle_inputs.emplace_back();
    const std::string task = number + (is_map ? "_m_000002" : "_r_000002");
    const std::pair<const char*, std::string> rows[] = {{"mapreduce_job_id", "job_" + number},
                                                        {"mapred_tip_id", "task_" + task},
                                                        {"mapreduce_task_attempt_id", "attempt_" + task + "_1"},
                                                        {"mapred_task_is_map", is_map ? "true" : "false"},
                                                        {"mapred_output_dir", "/out"},
                                                        {"map_input_file", "/in/words.txt"}};
    for (const auto& [name, value] : rows) BOOST_TEST(value_of(map.attempt, name) == value, name);
  }
}

}  // namespace

}  // namespace attempt_environment_test
