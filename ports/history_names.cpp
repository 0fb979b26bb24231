#include "ports/history_names.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace heddle::history {
namespace {

using Names = std::pair<std::string_view, std::string_view>;

constexpr std::array<Names, 4> groups{
    {{"org.apache.hadoop.mapreduce.JobCounter", "Job Counters "},
     {"org.apache.hadoop.mapreduce.TaskCounter", "Map-Reduce Framework"},
     {"org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter", "File Input Format Counters "},
     {"org.apache.hadoop.mapreduce.lib.output.FileOutputFormatCounter", "File Output Format Counters "}}};

constexpr std::array<Names, 30> counters{
    {{"TOTAL_LAUNCHED_MAPS", "Launched map tasks"},
     {"TOTAL_LAUNCHED_REDUCES", "Launched reduce tasks"},
     {"NUM_FAILED_MAPS", "Failed map tasks"},
     {"NUM_FAILED_REDUCES", "Failed reduce tasks"},
     {"NUM_KILLED_MAPS", "Killed map tasks"},
     {"NUM_KILLED_REDUCES", "Killed reduce tasks"},
     {"DATA_LOCAL_MAPS", "Data-local map tasks"},
     {"RACK_LOCAL_MAPS", "Rack-local map tasks"},
     {"OTHER_LOCAL_MAPS", "Other local map tasks"},
     {"SLOTS_MILLIS_MAPS", "Total time spent by all maps in occupied slots (ms)"},
     {"SLOTS_MILLIS_REDUCES", "Total time spent by all reduces in occupied slots (ms)"},
     {"MILLIS_MAPS", "Total time spent by all map tasks (ms)"},
     {"MILLIS_REDUCES", "Total time spent by all reduce tasks (ms)"},
     {"VCORES_MILLIS_MAPS", "Total vcore-milliseconds taken by all map tasks"},
     {"VCORES_MILLIS_REDUCES", "Total vcore-milliseconds taken by all reduce tasks"},
     {"MB_MILLIS_MAPS", "Total megabyte-milliseconds taken by all map tasks"},
     {"MB_MILLIS_REDUCES", "Total megabyte-milliseconds taken by all reduce tasks"},
     {"MAP_INPUT_RECORDS", "Map input records"},
     {"MAP_OUTPUT_RECORDS", "Map output records"},
     {"MAP_OUTPUT_BYTES", "Map output bytes"},
     {"COMBINE_INPUT_RECORDS", "Combine input records"},
     {"COMBINE_OUTPUT_RECORDS", "Combine output records"},
     {"REDUCE_INPUT_GROUPS", "Reduce input groups"},
     {"REDUCE_INPUT_RECORDS", "Reduce input records"},
     {"REDUCE_OUTPUT_RECORDS", "Reduce output records"},
     {"SPILLED_RECORDS", "Spilled Records"},
     {"SHUFFLED_MAPS", "Shuffled Maps "},
     {"MERGED_MAP_OUTPUTS", "Merged Map outputs"},
     {"BYTES_READ", "Bytes Read"},
     {"BYTES_WRITTEN", "Bytes Written"}}};

template <std::size_t Count>
std::string_view find(const std::array<Names, Count>& names, std::string_view wanted, std::string_view otherwise) {
  const auto* const row =
      std::find_if(names.begin(), names.end(), [&](const Names& each) { return each.first == wanted; });
  return row == names.end() ? otherwise : row->second;
}

}  // namespace

std::string_view shown_group(std::string_view group) { return find(groups, group, group); }

std::string_view shown_counter(std::string_view group, std::string_view counter) {
  return find(groups, group, {}).empty() ? counter : find(counters, counter, counter);
}

}  // namespace heddle::history
