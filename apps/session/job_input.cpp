#include "apps/session/job_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "apps/roles/map_reduce_settings.hpp"
#include "apps/roles/role_settings.hpp"
#include "config/text/file_uri.hpp"
#include "policies/stages/input_splits.hpp"
#include "work/files/byte_source.hpp"
#include "work/output/output_commit.hpp"
#include "work/records/input_listing.hpp"
#include "work/tasks/function_registry.hpp"

namespace heddle::apps {
namespace {

policies::SplitFile to_split_file(const ports::FileStatus& file, std::int64_t block_bytes,
                                  const ports::BlockHosts* hosts) {
  policies::SplitFile made;
  made.path = file.path;
  made.length = file.length;
  made.block_bytes = block_bytes;
  made.is_splittable = !work::is_packed_name(file.path);
  if (hosts == nullptr) return made;
  for (std::int64_t offset = 0; offset < file.length; offset += block_bytes)
    made.block_hosts.push_back(hosts->hosts(file.path, offset, std::min(block_bytes, file.length - offset)));
  return made;
}

Result<std::vector<InputSplit>> splits_of(const TextInput& input, const config::InputSettings& settings,
                                          const ports::FileSystem& files, const ports::BlockHosts* hosts) {
  auto wanted = input;
  wanted.recursive = input.recursive || settings.recursive;
  auto listed = work::list_input(files, wanted);
  if (!listed) return listed.error();
  std::vector<InputSplit> splits;
  if (input.format == InputFormat::n_line) {
    for (const auto& file : *listed) {
      auto lines = work::compute_line_splits(files, file.path, input.lines_per_split);
      if (!lines) return lines.error();
      splits.insert(splits.end(), lines->begin(), lines->end());
    }
    return splits;
  }
  std::vector<policies::SplitFile> cut;
  policies::SplitSettings rules;
  rules.old_interface = true;
  rules.split_bytes_min = std::max(settings.split_bytes_min, input.split_bytes_min);
  // The old interface of Hadoop knows no maximum: a smaller block has the same effect.
  const auto split_bytes_max = std::min(settings.split_bytes_max, input.split_bytes_max);
  const auto block_bytes = std::min(settings.block_bytes, std::max(rules.split_bytes_min, split_bytes_max));
  for (const auto& file : *listed) cut.push_back(to_split_file(file, block_bytes, hosts));
  rules.wanted_splits = input.wanted_splits;
  splits = policies::compute_splits(cut, rules, {});
  return splits;
}

/// All roles run this program: a function that is not registered here is missing in executors too.
Result<Done> check_functions(const StageDescription& stage) {
  auto bodies = stage.bodies;
  if (stage.shuffle && stage.shuffle->combiner) bodies.push_back(*stage.shuffle->combiner);
  for (const auto& body : bodies) {
    const auto* called = std::get_if<FunctionBody>(&body);
    if (called == nullptr) continue;
    if (auto found = work::FunctionRegistry::of_program().find(called->name); !found) return found.error();
  }
  return Done{};
}

/// Checks shipped files: makes paths absolute, because tasks have other working folders; each must exist and have a
/// unique name.
Result<Done> settle_files(StageDescription& stage, const ports::FileSystem& files) {
  std::map<std::string, std::string> path_of_name;
  for (auto& body : stage.bodies) {
    auto* command = std::get_if<CommandBody>(&body);
    if (command == nullptr) continue;
    for (auto& file : command->files) {
      const auto local = config::local_path(file);
      if (!local) return Error{local.error().code, "files: " + local.error().text};
      const auto absolute = std::filesystem::absolute(*local).lexically_normal();
      const auto is_there = files.is_present(absolute.string());
      if (!is_there) return is_there.error();
      if (!*is_there) return Error{Errc::not_found, fmt::format("file to ship does not exist: {}", absolute.string())};
      const auto [known, is_new] = path_of_name.emplace(absolute.filename().string(), absolute.string());
      if (!is_new && known->second != absolute.string())
        return Error{Errc::usage, fmt::format("two files to ship are named {}: {} and {}; rename one", known->first,
                                              known->second, absolute.string())};
      file = absolute.string();
    }
  }
  return Done{};
}

}  // namespace

Result<SubmitJob> prepare_job(JobGraph graph, const config::Settings& settings, ports::FileSystem& files,
                              const ports::BlockHosts* hosts) {
  SubmitJob job;
  std::vector<std::string> outputs;
  for (auto& stage : graph.stages) {
    if (!stage.output) continue;
    auto& path = stage.output->path;
    const auto local = config::local_path(path);
    if (!local) return Error{local.error().code, fmt::format("stage '{}': output {}", stage.name, local.error().text)};
    path = std::filesystem::absolute(*local).lexically_normal().string();
    if (path.size() > 1 && path.ends_with('/')) path.pop_back();
    outputs.push_back(path);
  }
  for (auto& stage : graph.stages) {
    if (auto checked = check_functions(stage); !checked)
      return Error{checked.error().code, fmt::format("stage '{}': {}", stage.name, checked.error().text)};
    if (auto settled = settle_files(stage, files); !settled)
      return Error{settled.error().code, fmt::format("stage '{}': {}", stage.name, settled.error().text)};
    StageSplits all;
    for (std::size_t index = 0; index < stage.inputs.size(); ++index) {
      auto splits = splits_of(stage.inputs[index], settings.input(), files, hosts);
      if (!splits) return Error{splits.error().code, fmt::format("stage '{}': {}", stage.name, splits.error().text)};
      policies::order_for_submission(*splits);
      for (auto& split : *splits) all.splits.push_back({static_cast<std::int32_t>(index), std::move(split)});
    }
    job.package.splits.push_back(std::move(all));
  }
  if (!outputs.empty()) {  // the settings of a commit name this process, and reading that costs more than a small job
    if (auto cleared = work::FileOutputCommit{files, commit_settings(settings)}.clear(outputs); !cleared)
      return cleared.error();
  }
  job.package.graph = std::move(graph);
  job.rules = job_rules(settings);
  return job;
}

}  // namespace heddle::apps
