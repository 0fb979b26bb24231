#include "policies/map_reduce/job_counters.hpp"

#include <algorithm>
#include <string_view>

#include "model/java_number.hpp"

namespace heddle::policies {
namespace {

constexpr std::array<std::string_view, 17> counter_names{
    "TOTAL_LAUNCHED_MAPS", "TOTAL_LAUNCHED_REDUCES", "NUM_FAILED_MAPS",      "NUM_FAILED_REDUCES", "NUM_KILLED_MAPS",
    "NUM_KILLED_REDUCES",  "SLOTS_MILLIS_MAPS",      "SLOTS_MILLIS_REDUCES", "MB_MILLIS_MAPS",     "MB_MILLIS_REDUCES",
    "VCORES_MILLIS_MAPS",  "VCORES_MILLIS_REDUCES",  "MILLIS_MAPS",          "MILLIS_REDUCES",     "DATA_LOCAL_MAPS",
    "RACK_LOCAL_MAPS",     "OTHER_LOCAL_MAPS"};

}  // namespace

void JobCounters::add_place(MapPlace place, std::int64_t amount) {
  switch (place) {
    case MapPlace::node: return add(MapReduceJobCounter::data_local_maps, amount);
    case MapPlace::rack: return add(MapReduceJobCounter::rack_local_maps, amount);
    case MapPlace::other: return add(MapReduceJobCounter::other_local_maps, amount);
  }
}

void JobCounters::add_to(std::vector<std::pair<std::string, std::int64_t>>& counters) const {
  static_assert(counter_names.size() == std::tuple_size_v<decltype(sums_)>);
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    if (sums_[i] == 0) continue;
    const std::string name = "org.apache.hadoop.mapreduce.JobCounter\t" + std::string{counter_names[i]};
    const auto known =
        std::find_if(counters.begin(), counters.end(), [&name](const auto& counter) { return counter.first == name; });
    if (known == counters.end()) counters.emplace_back(name, sums_[i]);
    else known->second = java::wrap_add(known->second, sums_[i]);
  }
}

}  // namespace heddle::policies
