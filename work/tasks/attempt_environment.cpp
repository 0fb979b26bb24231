#include "work/tasks/attempt_environment.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "work/commands/process_tree.hpp"

namespace heddle::work {
namespace {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// HEDDLE_DEVICES_GPU=0,1: the name of the kind in capitals, with underscores for other characters.
std::pair<std::string, std::string> variable_of(const DeviceAddresses& kind) {
  std::string name = "HEDDLE_DEVICES_";
  for (const char letter : kind.name) {
    if (letter >= 'a' && letter <= 'z') name += static_cast<char>(letter - 'a' + 'A');
    else name += (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ? letter : '_';
  }
  std::string addresses;
  for (const auto& address : kind.addresses) addresses += (addresses.empty() ? "" : ",") + address;
  return {name, addresses};
}

Environment names_of(const TaskAttempt& attempt, const std::string& mark) {
  const StageProgram& work = *attempt.work;
  Environment result{
      {"HEDDLE_TASK_INDEX", std::to_string(attempt.index)},       {"HEDDLE_TASK_COUNT", std::to_string(work.tasks)},
      {"HEDDLE_TASK_ATTEMPT", std::to_string(attempt.attempt)},   {"HEDDLE_STAGE", work.name},
      {"HEDDLE_APPLICATION", to_string(work.application)},        {std::string{process_mark_name}, mark},
      {"mapreduce_task_partition", std::to_string(attempt.index)}};
  if (!work.barrier_hosts.empty()) {
    std::string hosts;
    for (const auto& host : work.barrier_hosts) hosts += (hosts.empty() ? "" : ",") + host;
    result.emplace_back("HEDDLE_BARRIER_HOSTS", hosts);
  }
  if (attempt.devices != nullptr)
    for (const auto& kind : attempt.devices->kinds) result.push_back(variable_of(kind));
  if (attempt.split == nullptr) return result;
  const InputSplit& split = attempt.split->split;
  result.emplace_back("mapreduce_map_input_file", split.path);
  result.emplace_back("mapreduce_map_input_start", std::to_string(split.offset));
  result.emplace_back("mapreduce_map_input_length", std::to_string(split.length));
  return result;
}

bool is_streaming(const StageProgram& work) {
  return (work.shuffle_output && work.shuffle_output->description.streaming) || (work.output && work.output->streaming);
}

/// Variables of Hadoop Streaming about the task, with current and deprecated names (rule ST-3). The job configuration
/// is part of the command's own environment.
void add_streaming_names(const TaskAttempt& attempt, Environment& result) {
  const StageProgram& work = *attempt.work;
  const std::string number = to_string(work.application).substr(std::string_view{"application_"}.size());
  const bool is_map = work.shuffle_inputs.empty();
  std::string index = std::to_string(attempt.index);
  index.insert(0, 6 - std::min<std::size_t>(6, index.size()), '0');
  const std::string task = number + (is_map ? "_m_" : "_r_") + index;
  const auto add = [&result](const char* name, const char* older, const std::string& value) {
    result.emplace_back(name, value);
    result.emplace_back(older, value);
  };
  add("mapreduce_job_id", "mapred_job_id", "job_" + number);
  add("mapreduce_task_id", "mapred_tip_id", "task_" + task);
  add("mapreduce_task_attempt_id", "mapred_task_id", "attempt_" + task + "_" + std::to_string(attempt.attempt));
  add("mapreduce_task_ismap", "mapred_task_is_map", is_map ? "true" : "false");
  result.emplace_back("mapred_task_partition", std::to_string(attempt.index));
  if (work.output) add("mapreduce_output_fileoutputformat_outputdir", "mapred_output_dir", work.output->path);
  if (attempt.split == nullptr) return;
  result.emplace_back("map_input_file", attempt.split->split.path);
  result.emplace_back("map_input_start", std::to_string(attempt.split->split.offset));
  result.emplace_back("map_input_length", std::to_string(attempt.split->split.length));
}

}  // namespace

Environment environment_of(const TaskAttempt& attempt, const std::string& mark) {
  auto result = names_of(attempt, mark);
  if (is_streaming(*attempt.work)) add_streaming_names(attempt, result);
  return result;
}

}  // namespace heddle::work
