// Serialisation of model/ values inside messages.
#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "caf_compat/interface.hpp"
#include "model/attempt_work.hpp"
#include "model/container.hpp"
#include "model/executor_loss.hpp"
#include "model/ids.hpp"
#include "model/job_graph.hpp"
#include "model/job_package.hpp"
#include "model/launch_spec.hpp"
#include "model/node_condition.hpp"
#include "model/resources.hpp"
#include "model/stage_work.hpp"

namespace heddle {

template <class Inspector, class Tag>
typename Inspector::result_type inspect(Inspector& inspector, StrongId<Tag>& x) {
  return inspector(x.value);
}

HEDDLE_INSPECT(ApplicationId, cluster_start, number)
HEDDLE_INSPECT(AttemptId, application, attempt)
HEDDLE_INSPECT(TaskId, job, stage, stage_attempt, index, attempt)
HEDDLE_INSPECT(ResourceAmount, name, amount)

/// A list of names and amounts; empty for most resources.
template <class Inspector>
typename Inspector::result_type inspect(Inspector& inspector, ResourceAmounts& x) {
  auto rows = x.rows();
  auto load = caf::meta::load_callback([&]() -> caf::error {
    x = ResourceAmounts{rows};
    return caf::none;
  });
  return inspector(rows, load);
}

HEDDLE_INSPECT(Resource, memory_mib, cores, others)
HEDDLE_INSPECT_EMPTY(IdentityBody)
HEDDLE_INSPECT(CommandBody, arguments, environment, files, exit_code_fails, unread_input_fails_below)
HEDDLE_INSPECT(FunctionBody, name, argument)

/// Fields: index of the alternative, and a value of each alternative; unused ones are empty.
template <class Inspector>
typename Inspector::result_type inspect(Inspector& inspector, TaskBody& x) {
  auto kind = static_cast<std::uint8_t>(x.index());
  CommandBody command = std::holds_alternative<CommandBody>(x) ? std::get<CommandBody>(x) : CommandBody{};
  FunctionBody function = std::holds_alternative<FunctionBody>(x) ? std::get<FunctionBody>(x) : FunctionBody{};
  auto load = caf::meta::load_callback([&]() -> caf::error {
    if (kind == 1) x = std::move(command);
    else if (kind == 2) x = std::move(function);
    else x = IdentityBody{};
    return caf::none;
  });
  return inspector(kind, command, function, load);
}

/// Fields: a flag and a value.
template <class Inspector, class T>
typename Inspector::result_type inspect(Inspector& inspector, std::optional<T>& x) {
  bool present = x.has_value();
  // On the heap: g++ 12 warns that a local value may be uninitialised if the flag is false.
  const auto value = std::make_unique<T>();
  if (present) *value = *x;
  auto load = caf::meta::load_callback([&]() -> caf::error {
    if (present) x = std::move(*value);
    else x.reset();
    return caf::none;
  });
  return inspector(present, *value, load);
}

HEDDLE_INSPECT(ProcessEnd, exit_code, signal)
HEDDLE_INSPECT(ContainerEnd, exit_status, diagnostics, process, log_directory)
HEDDLE_INSPECT(CompletedContainer, container, end)
HEDDLE_INSPECT(GrantedContainer, container, node, host, node_address, priority, resource)
HEDDLE_INSPECT(NodeUpdate, node, host, condition)
HEDDLE_INSPECT(LossReason, kind, by_application)
HEDDLE_INSPECT(ExecutorLoss, reason, end)
HEDDLE_INSPECT(ApplicationMasterLaunch, job_service, driver_address, owner, racks, staging_folder, is_followed)
HEDDLE_INSPECT(ExecutorLaunch, executor, cores, profile, driver_address, first_shuffle)
HEDDLE_INSPECT(TaskChildLaunch, parent_address, child, owner)

/// Fields: index of the role, and a value of each role; those of the other roles are empty.
template <class Inspector>
typename Inspector::result_type inspect(Inspector& inspector, ContainerLaunch& x) {
  auto kind = static_cast<std::uint8_t>(x.role.index());
  const auto value_of = [&x](auto empty) {
    const auto* value = std::get_if<decltype(empty)>(&x.role);
    return value == nullptr ? empty : *value;
  };
  auto master = value_of(ApplicationMasterLaunch{});
  auto executor = value_of(ExecutorLaunch{});
  auto child = value_of(TaskChildLaunch{});
  auto load = caf::meta::load_callback([&]() -> caf::error {
    if (kind == 1) x.role = std::move(executor);
    else if (kind == 2) x.role = std::move(child);
    else x.role = std::move(master);
    return caf::none;
  });
  return inspector(x.settings, x.log_directory, kind, master, executor, child, load);
}

HEDDLE_INSPECT(TextInput, paths, format, split_bytes_min, split_bytes_max, wanted_splits, lines_per_split, xml_begin,
               xml_end, key_value_separator, ignore_key, ignore_value, map_input_separator, recursive)
HEDDLE_INSPECT(KeyFormat, separator, fields)
HEDDLE_INSPECT(ShuffleDescription, key, order, partitioner, partitioner_options, partitioner_separator, comparator,
               comparator_options, comparator_separator, combiner, streaming, read_separator, combined_key)
HEDDLE_INSPECT(TextOutput, path, gzip, part_prefix, lazy, streaming, key, separator)
HEDDLE_INSPECT(MapReduceRules, sort_mib, spill_part, combine_spills_min, has_offset_keys, failed_maps_percent,
               sort_factor, reduce_memory, copy_part, single_part, merge_part, kept_part, counters_max, reporter_prefix)
HEDDLE_INSPECT(StageDescription, name, inputs, parents, shuffle, partitions, bodies, output, cores, memory_mib,
               executor_cores, executor_memory_mib, barrier, pass_through, terminal, keep_standard_output, map_reduce)
HEDDLE_INSPECT(JobGraph, name, pool, stages, properties)
HEDDLE_INSPECT(InputSplit, path, offset, length, hosts, cached_hosts)
HEDDLE_INSPECT(StageKey, job, stage, attempt)
HEDDLE_INSPECT(ShuffleInput, shuffle, maps, description)
HEDDLE_INSPECT(ShuffleOutput, shuffle, partitions, description)
HEDDLE_INSPECT(StageProgram, key, name, application, application_attempt, inputs, shuffle_inputs, bodies,
               shuffle_output, output, pass_through, terminal, keep_standard_output, tasks, barrier_hosts, map_reduce)
HEDDLE_INSPECT(TaskSplit, input, split)
HEDDLE_INSPECT(StageSplits, splits)
HEDDLE_INSPECT(JobPackage, graph, splits)
HEDDLE_INSPECT(DeviceAddresses, name, addresses)
HEDDLE_INSPECT(TaskDevices, kinds)
HEDDLE_INSPECT(TaskRange, stage, first_index, count, attempt, splits, devices)
HEDDLE_INSPECT(MapOutputLocation, node, epoch, host, address, directory)
HEDDLE_INSPECT(TaskOutcome, state, failure, exit_code, text, start_us, run_us, bytes_read, records_read,
               bytes_shuffled_in, bytes_shuffled_out, bytes_written, records_written, bytes_spilled, partition_bytes,
               failed_shuffle, failed_map, failed_at, task_counters, standard_error, counters)
HEDDLE_INSPECT(JobTotals, tasks, failed_attempts, bytes_read, records_read, bytes_shuffled, bytes_written,
               bytes_spilled, locality, counters, failures)
HEDDLE_INSPECT(RunningTask, stage, index, attempt, records, run_us)
HEDDLE_INSPECT(TaskAttemptId, job, is_reduce, task, attempt)
HEDDLE_INSPECT(AttemptCounters, task, user)
HEDDLE_INSPECT(TaskAttemptStatus, attempt, state, is_cleanup, progress, outcome, place, shuffle_ms)
HEDDLE_INSPECT(JobRules, priority, slow_start, map_speculative, reduce_speculative, speculative_gap, speculative_lag,
               map_attempts_max, reduce_attempts_max, tracker_failures_max, map_failures_percent,
               reduce_failures_percent, reduce_input_limit, tasks_per_process)
HEDDLE_INSPECT(JobSubmission, job, user, package_file, submit_time, rules, package)
HEDDLE_INSPECT(OutputWinners, path, lazy, task_attempts)
HEDDLE_INSPECT(OutputWork, outputs, application_attempt, is_commit)
HEDDLE_INSPECT(TrackerJob, job, application, token, programs, tasks_per_process)
HEDDLE_INSPECT(AttemptLaunch, attempt, type, uses_reduce_slot, state, range, output)
HEDDLE_INSPECT(MapCompletion, map, attempt, ending, place, run_us)
HEDDLE_INSPECT(CompletionsWanted, job, from)
HEDDLE_INSPECT(JobCompletions, job, from, rows)

}  // namespace heddle
