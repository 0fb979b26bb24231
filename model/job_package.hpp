// What a client submits to have a job run: the job as its user describes it, and the splits of its inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>
#include <vector>

#include "model/job_graph.hpp"
#include "model/stage_work.hpp"

namespace heddle {

struct JobPackage {
  JobGraph graph;
  std::vector<StageSplits> splits;  // one entry per stage
};

/// Why a package from a file cannot be used; empty if it can. Does not check how the stages are connected.
[[nodiscard]] inline std::string_view fault_of(const JobPackage& package) {
  const auto& stages = package.graph.stages;
  if (package.splits.size() > stages.size()) return "it has splits of a stage that its graph does not have";
  for (std::size_t stage = 0; stage < package.splits.size(); ++stage) {
    if (std::ssize(package.splits[stage].splits) > stage_tasks_max) return "a stage has too many splits";
    for (const auto& [input, split] : package.splits[stage].splits) {
      if (input < 0 || static_cast<std::size_t>(input) >= stages[stage].inputs.size())
        return "a split belongs to an input that its stage does not have";
      if (split.offset < 0 || split.length < 0 ||
          split.offset > std::numeric_limits<std::int64_t>::max() - split.length)
        return "the offset or the length of a split is out of range";
    }
  }
  for (const auto& stage : stages)
    if (stage.partitions > stage_tasks_max) return "the number of partitions of a stage is out of range";
  return "";
}

}  // namespace heddle
