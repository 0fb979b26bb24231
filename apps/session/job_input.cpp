#include "apps/session/job_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "apps/roles/map_reduce_settings.hpp"
#include "apps/roles/role_settings.hpp"
#include "policies/stages/input_splits.hpp"
#include "ports/file_path.hpp"
#include "work/files/byte_source.hpp"
#include "work/output/output_commit.hpp"
#include "work/records/input_listing.hpp"
#include "work/tasks/function_registry.hpp"

namespace heddle::apps {
namespace {

/// Sizes of splits of one input.
struct SplitBounds {
  std::int64_t bytes_min = 1;
  std::int64_t bytes_max = INT64_MAX;
  std::int64_t block_bytes = 0;  // of files without blocks

  /// The old interface of Hadoop knows no maximum: a smaller block has the same effect.
  [[nodiscard]] std::int64_t bounded(std::int64_t block) const {
    return std::min(block, std::max(bytes_min, bytes_max));
  }
};

/// The block that has the byte at `offset`; an empty one if there is none. `blocks` are in order.
ports::FileBlock block_at(const std::vector<ports::FileBlock>& blocks, std::int64_t offset) {
  const auto next = std::upper_bound(blocks.begin(), blocks.end(), offset,
                                     [](std::int64_t at, const ports::FileBlock& block) { return at < block.offset; });
  return next == blocks.begin() ? ports::FileBlock{} : *std::prev(next);
}

Result<policies::SplitFile> to_split_file(const ports::FileSystem& files, ports::FileStatus file,
                                          const SplitBounds& bounds, const ports::BlockHosts* hosts) {
  policies::SplitFile made;
  made.path = file.path;
  made.length = file.length;
  made.block_bytes = bounds.bounded(file.block_bytes > 0 ? file.block_bytes : bounds.block_bytes);
  made.is_splittable = !work::is_packed_name(file.path);
  if (file.blocks.empty() && file.block_bytes > 0) {  // named by itself and not found in a folder
    auto located = files.locate(file.path, 0, file.length);
    if (!located) return located.error();
    file.blocks = std::move(*located);
  }
  if (file.blocks.empty() && hosts == nullptr) return made;
  for (std::int64_t offset = 0; offset < file.length; offset += made.block_bytes) {
    if (file.blocks.empty()) {
      made.block_hosts.push_back(hosts->hosts(file.path, offset, std::min(made.block_bytes, file.length - offset)));
      continue;
    }
    auto block = block_at(file.blocks, offset);
    made.block_hosts.push_back(std::move(block.hosts));
    made.block_cached_hosts.push_back(std::move(block.cached_hosts));
  }
  return made;
}

Result<TextInput> resolve_input(TextInput input, const work::FileSystems& files) {
  for (auto& path : input.paths) {
    auto resolved = files.resolve(path, ports::PathKind::pattern);
    if (!resolved) return Error{resolved.error().code, "input " + resolved.error().text};
    path = std::move(*resolved);
  }
  return input;
}

/// Adds to an error about a relative path in which folder it was looked up.
Error with_folder(Error error, const TextInput& written, const work::FileSystems& files) {
  if (error.code != Errc::not_found) return error;
  for (const auto& path : written.paths) {
    if (path.starts_with('/') || !ports::scheme_of(path).empty()) continue;
    const auto resolved = files.resolve(path, ports::PathKind::pattern);
    const auto folder = files.resolve(".", ports::PathKind::plain);
    if (!resolved || !folder || error.text.find('\'' + *resolved + '\'') == std::string::npos) continue;
    error.text += fmt::format("; '{}' is a relative path, looked up in {}", path, *folder);
    break;
  }
  return error;
}

Result<std::vector<InputSplit>> splits_of(const TextInput& written, const config::InputSettings& settings,
                                          const work::FileSystems& files, const ports::BlockHosts* hosts) {
  auto input = resolve_input(written, files);
  if (!input) return input.error();
  input->recursive = input->recursive || settings.recursive;
  auto listed = work::list_input(files, *input);
  if (!listed) return with_folder(listed.error(), written, files);
  std::vector<InputSplit> splits;
  if (input->format == InputFormat::n_line) {
    for (const auto& file : *listed) {
      auto lines = work::compute_line_splits(files, file.path, input->lines_per_split);
      if (!lines) return lines.error();
      splits.insert(splits.end(), lines->begin(), lines->end());
    }
    return splits;
  }
  const SplitBounds bounds{std::max(settings.split_bytes_min, input->split_bytes_min),
                           std::min(settings.split_bytes_max, input->split_bytes_max), settings.block_bytes};
  std::vector<policies::SplitFile> cut;
  for (auto& file : *listed) {
    auto made = to_split_file(files, std::move(file), bounds, hosts);
    if (!made) return made.error();
    cut.push_back(std::move(*made));
  }
  policies::SplitSettings rules;
  rules.old_interface = true;
  rules.split_bytes_min = bounds.bytes_min;
  rules.wanted_splits = input->wanted_splits;
  return policies::compute_splits(cut, rules, {});
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

/// Checks shipped files: completes paths, because tasks have other working folders; each must exist and have a unique
/// name.
Result<Done> settle_files(StageDescription& stage, const work::FileSystems& files) {
  std::map<std::string, std::string> path_of_name;
  for (auto& body : stage.bodies) {
    auto* command = std::get_if<CommandBody>(&body);
    if (command == nullptr) continue;
    for (auto& file : command->files) {
      const auto path = files.resolve_of_client(file);
      if (!path) return Error{path.error().code, "files: " + path.error().text};
      const auto is_there = files.is_present(*path);
      if (!is_there) return is_there.error();
      if (!*is_there) return Error{Errc::not_found, fmt::format("file to ship does not exist: {}", *path)};
      const auto [known, is_new] = path_of_name.emplace(ports::last_component(*path), *path);
      if (!is_new && known->second != *path)
        return Error{Errc::usage, fmt::format("two files to ship are named {}: {} and {}; rename one", known->first,
                                              known->second, *path)};
      file = *path;
    }
  }
  return Done{};
}

/// Creates the parent folder of each output in another file system. This waits for a NameNode in safe mode, so that a
/// job whose safe mode does not end (exit code 5) starts no task: a JobTracker would wait again in each attempt of the
/// setup. The job service reports all other errors.
Result<Done> wait_until_writable(work::FileSystems& files, const std::vector<std::string>& outputs) {
  for (const auto& output : outputs) {
    if (ports::scheme_of(output).empty()) continue;
    const auto made = files.make_directories(ports::parent_of(output));
    if (!made && made.error().code == Errc::unreachable) return made;
  }
  return Done{};
}

/// Settings name the memory of a reduce if the job does not. Merges of reduces have a part of it, as in Hadoop. A job
/// names it with its container, or with mapreduce.reduce.memory.totalbytes, whose default is that of the rules.
void settle_merge_memory(JobGraph& graph, const config::Settings& settings) {
  const auto named = settings.map_reduce().reduce_memory_mib << 20;
  const bool is_of_job = std::any_of(graph.stages.begin(), graph.stages.end(),
                                     [](const auto& stage) { return stage.shuffle && stage.memory_mib > 0; });
  if (named == 0 || is_of_job) return;
  for (auto& stage : graph.stages)
    if (stage.map_reduce && stage.map_reduce->reduce_memory == MapReduceRules{}.reduce_memory)
      stage.map_reduce->reduce_memory = named;
}

}  // namespace

Result<SubmitJob> prepare_job(JobGraph graph, const config::Settings& settings, work::FileSystems& files,
                              const ports::BlockHosts* hosts, work::HasEnded has_ended) {
  SubmitJob job;
  std::vector<std::string> outputs;
  for (auto& stage : graph.stages) {
    if (!stage.output) continue;
    auto& path = stage.output->path;
    auto resolved = files.resolve(path, ports::PathKind::plain);
    if (!resolved)
      return Error{resolved.error().code, fmt::format("stage '{}': output {}", stage.name, resolved.error().text)};
    path = std::move(*resolved);
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
      // For the settings file of the job: its role has another working folder.
      if (auto resolved = resolve_input(stage.inputs[index], files)) stage.inputs[index] = std::move(*resolved);
      policies::order_for_submission(*splits);
      for (auto& split : *splits) all.splits.push_back({static_cast<std::int32_t>(index), std::move(split)});
    }
    job.package.splits.push_back(std::move(all));
  }
  if (!outputs.empty()) {  // the settings of a commit name this process, and reading that costs more than a small job
    auto rules = commit_settings(settings);
    rules.has_ended = std::move(has_ended);
    if (auto cleared = work::FileOutputCommit{files, std::move(rules)}.clear(outputs); !cleared) return cleared.error();
    if (auto writable = wait_until_writable(files, outputs); !writable) return writable.error();
  }
  settle_merge_memory(graph, settings);
  job.package.graph = std::move(graph);
  job.rules = job_rules(settings);
  return job;
}

}  // namespace heddle::apps
