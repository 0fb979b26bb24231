#include "actors/driver/input_sizes.hpp"

namespace heddle::actors {

std::vector<std::int64_t> input_sizes(const TaskSetRecord& set, const policies::JobPlan& plan,
                                      const policies::MapOutputTable& outputs) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(set.tasks), 0);
  for (std::int32_t index = 0; index < set.tasks; ++index)
    if (const auto* split = plan.split(set.root, set.partition_of(index)); split != nullptr)
      sizes[static_cast<std::size_t>(index)] = split->split.length;
  for (const auto& input : set.work.shuffle_inputs) {
    const auto bytes = outputs.bytes_per_reduce(input.shuffle);
    for (std::int32_t index = 0; index < set.tasks; ++index) {
      auto& size = sizes[static_cast<std::size_t>(index)];
      const auto partition = static_cast<std::size_t>(set.partition_of(index));
      size = size < 0 || partition >= bytes.size() ? -1 : size + bytes[partition];
    }
  }
  return sizes;
}

}  // namespace heddle::actors
