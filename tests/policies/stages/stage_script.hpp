// A stage scheduler with short functions for tests. Executors have the numbers of their hosts; task sets are kept in
// order.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "policies/stages/stage_scheduler.hpp"

namespace heddle::policies {

struct StageScript {
  explicit StageScript(StageSchedulerSettings settings = {}) : stages{settings} {}

  StageScheduler stages;
  StageEffects last;
  std::vector<SubmitTaskSet> sets;
  std::vector<std::pair<std::int64_t, std::int32_t>> results;  // job, output
  std::vector<std::int64_t> failed;
  std::vector<JobFailure> failures;
  std::vector<std::int64_t> ended;
  std::vector<std::int64_t> removed;  // executors of BlocksRemoved effects
  std::vector<StageCompleted> completed;
  std::vector<std::pair<std::int64_t, std::int32_t>> done;  // stage, partition
  Instant now{};
  std::int64_t next_job = 0;

  DatasetId dataset(std::int32_t partitions, std::vector<DatasetId> shuffled = {}, std::vector<DatasetId> narrow = {}) {
    return dataset_with(partitions, std::move(shuffled), std::move(narrow), [](DatasetDescription&) {});
  }
  template <class Change>
  DatasetId dataset_with(std::int32_t partitions, std::vector<DatasetId> shuffled, std::vector<DatasetId> narrow,
                         Change change) {
    DatasetDescription description;
    description.partitions = partitions;
    for (const DatasetId parent : shuffled) description.dependencies.push_back({Dependency::Kind::shuffle, parent});
    for (const DatasetId parent : narrow) description.dependencies.push_back({Dependency::Kind::narrow, parent});
    change(description);
    return stages.apply(Instant{}, stage_input::DatasetAdded{std::move(description)});
  }

  std::int64_t submit(DatasetId id, std::int32_t partitions) {
    const std::int64_t job = next_job;
    next_job += 1;
    step([&](StageEffects& effects) {
      stages.apply(now, stage_input::JobSubmitted{JobId{job}, id, {IndexRange{0, partitions}}}, effects);
    });
    return job;
  }
  std::int64_t submit_map_stage(std::int64_t shuffle) {
    const std::int64_t job = next_job;
    next_job += 1;
    step([&](StageEffects& effects) {
      stages.apply(now, stage_input::MapStageSubmitted{JobId{job}, ShuffleId{shuffle}}, effects);
    });
    return job;
  }
  void cancel(std::int64_t job) {
    step([&](StageEffects& effects) { stages.apply(Instant{}, stage_input::JobCancelled{JobId{job}}, effects); });
  }
  void ok(std::int64_t stage, std::int32_t attempt, std::int32_t partition, std::int32_t host,
          std::vector<std::int64_t> sizes = {}) {
    step([&](StageEffects& effects) {
      stages.apply(Instant{}, stage_input::TaskSucceeded{StageId{stage}, attempt, partition, place(host), sizes},
                   effects);
    });
  }
  /// All tasks of the nth set succeed, on these hosts in turn.
  void all_ok(std::size_t set, std::vector<std::int32_t> hosts) {
    const SubmitTaskSet copy = sets.at(set);
    std::size_t next = 0;
    for (const IndexRange& range : copy.partitions) {
      for (std::int32_t offset = 0; offset < range.count; ++offset, ++next) {
        ok(copy.stage.value, copy.attempt, range.first + offset, hosts[next % hosts.size()]);
      }
    }
  }
  void fetch_failed(std::int64_t stage, std::int32_t attempt, std::int32_t partition, std::int64_t shuffle,
                    std::int32_t map, std::int32_t host) {
    const MapStatusLocation at = host < 0 ? MapStatusLocation{} : place(host);
    step([&](StageEffects& effects) {
      stages.apply(now, stage_input::FetchFailed{StageId{stage}, attempt, partition, ShuffleId{shuffle}, map, at},
                   effects);
    });
  }
  void barrier_failed(std::int64_t stage, std::int32_t attempt) {
    step([&](StageEffects& effects) {
      stages.apply(now, stage_input::BarrierFailed{StageId{stage}, attempt}, effects);
    });
  }
  void resubmit() {
    now += std::chrono::milliseconds{200};
    step([&](StageEffects& effects) { stages.apply(now, stage_input::TimePassed{}, effects); });
  }
  void lose(std::int32_t executor, std::optional<std::int32_t> host = std::nullopt) {
    const std::optional<HostId> lost_host = host ? std::optional{HostId{*host}} : std::nullopt;
    step([&](StageEffects& effects) {
      stages.apply(Instant{}, stage_input::ExecutorGone{ExecutorId{executor}, lost_host}, effects);
    });
  }
  void add(std::int32_t executor) {
    stages.apply(Instant{}, stage_input::ExecutorRegistered{ExecutorId{executor}, HostId{executor}});
  }
  void set_failed(std::int64_t stage) {
    step([&](StageEffects& effects) { stages.apply(Instant{}, stage_input::SetGivenUp{StageId{stage}, 0}, effects); });
  }

  [[nodiscard]] static MapStatusLocation place(std::int32_t host) { return {ExecutorId{host}, HostId{host}}; }
  /// Host of each output of a shuffle; -1 if it is missing.
  [[nodiscard]] std::vector<std::int32_t> outputs(std::int64_t shuffle) const {
    std::vector<std::int32_t> hosts;
    const MapOutputTable& table = stages.outputs();
    for (std::int32_t map = 0; map < table.maps(ShuffleId{shuffle}); ++map)
      hosts.push_back(table.place(ShuffleId{shuffle}, map).host.value);
    return hosts;
  }
  /// Stage id and attempt of all task sets so far.
  [[nodiscard]] std::vector<std::pair<std::int64_t, std::int32_t>> set_names() const {
    std::vector<std::pair<std::int64_t, std::int32_t>> names;
    for (const SubmitTaskSet& set : sets) names.emplace_back(set.stage.value, set.attempt);
    return names;
  }
  [[nodiscard]] static std::vector<std::int32_t> partitions(const SubmitTaskSet& set) {
    std::vector<std::int32_t> all;
    for (const IndexRange& range : set.partitions) {
      for (std::int32_t offset = 0; offset < range.count; ++offset) all.push_back(range.first + offset);
    }
    return all;
  }
  [[nodiscard]] static std::vector<std::int32_t> hosts_of(const SubmitTaskSet& set, std::size_t position,
                                                          std::int32_t partition) {
    std::vector<std::int32_t> hosts;
    for (const PreferredLocation& preferred : set.places.of(position, partition)) hosts.push_back(preferred.host.value);
    return hosts;
  }

private:
  template <class Act>
  void step(Act act) {
    last.clear();
    act(last);
    stages.check_invariants();
    for (const StageEffect& effect : last) {
      if (const auto* set = std::get_if<SubmitTaskSet>(&effect)) sets.push_back(*set);
      if (const auto* result = std::get_if<JobResult>(&effect)) results.emplace_back(result->job.value, result->output);
      if (const auto* job = std::get_if<JobEnded>(&effect)) ended.push_back(job->job.value);
      if (const auto* gone = std::get_if<BlocksRemoved>(&effect)) removed.push_back(gone->executor.value);
      if (const auto* stage = std::get_if<StageCompleted>(&effect)) completed.push_back(*stage);
      if (const auto* told = std::get_if<PartitionDone>(&effect)) done.emplace_back(told->stage.value, told->partition);
      if (const auto* job = std::get_if<JobFailed>(&effect)) {
        failed.push_back(job->job.value);
        failures.push_back(job->failure);
      }
    }
  }
};

}  // namespace heddle::policies
