#include "apps/bench/measure.hpp"

#include <algorithm>
#include <array>

namespace heddle::apps {
namespace {

struct NamedMeasure {
  std::string_view name;
  Result<BenchReadings> (*run)(const BenchPlace& place);
};

constexpr std::array<NamedMeasure, 18> table{{
    {"no_op_tasks", measure_no_op_tasks},
    {"two_process_tasks", measure_two_process_tasks},
    {"task_latency", measure_task_latency},
    {"command_tasks", measure_command_tasks},
    {"mapper_cat", measure_mapper_cat},
    {"word_count", measure_word_count},
    {"command_word_count", measure_command_word_count},
    {"sort", measure_sort},
    {"shuffle_fetch", measure_shuffle_fetch},
    {"start", measure_start},
    {"cluster_start", measure_cluster_start},
    {"task_memory", measure_task_memory},
    {"task_cost", measure_task_cost},
    {"map_reduce_line", measure_map_reduce_line},
    {"map_reduce_cat", measure_map_reduce_cat},
    {"map_reduce_word_count", measure_map_reduce_word_count},
    {"one_line_maps", measure_one_line_maps},
    {"copies_beside_maps", measure_copies_beside_maps},
}};

}  // namespace

std::int64_t BenchPlace::scaled(double published, std::int64_t least) const {
  return std::max(least, static_cast<std::int64_t>(published * scale));
}

Result<BenchReadings> run_measure(std::string_view name, const BenchPlace& place) {
  const auto* found =
      std::find_if(table.begin(), table.end(), [&](const NamedMeasure& measure) { return measure.name == name; });
  if (found == table.end()) return Error{Errc::internal, "no function measures " + std::string{name}};
  return found->run(place);
}

}  // namespace heddle::apps
