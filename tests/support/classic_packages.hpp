// Job packages of classic MapReduce for tests: maps over splits with hosts, and reduces.
#pragma once

#include <string>
#include <vector>

#include "model/job_package.hpp"

namespace heddle::tests {

/// One map per entry: the hosts of its split.
inline JobPackage map_only_package(const std::vector<std::vector<std::string>>& hosts) {
  JobPackage package;
  package.graph.name = "copy";
  StageDescription stage;
  stage.name = "map";
  stage.inputs.push_back({});
  stage.inputs.back().paths = {"/in"};
  stage.output = TextOutput{};
  stage.output->path = "/out";
  package.graph.stages = {stage};
  StageSplits splits;
  for (const auto& each : hosts)
    splits.splits.push_back({0, {"/in", static_cast<std::int64_t>(splits.splits.size()) * 100, 100, each}});
  package.splits = {splits};
  return package;
}

/// The same maps, and so many reduces, which write the output.
inline JobPackage map_reduce_package(const std::vector<std::vector<std::string>>& hosts, std::int32_t reduces) {
  auto package = map_only_package(hosts);
  StageDescription reduce;
  reduce.name = "reduce";
  reduce.parents = {0};
  reduce.shuffle = ShuffleDescription{};
  reduce.partitions = reduces;
  reduce.output = package.graph.stages.front().output;
  package.graph.stages.front().output.reset();
  package.graph.stages.push_back(reduce);
  package.splits.push_back({});
  return package;
}

}  // namespace heddle::tests
