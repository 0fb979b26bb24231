// Strong 64-bit ids, assigned in ascending order and printed in decimal. Tables and logs never hold ids of CAF.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

namespace heddle {

/// An id that compares only with ids of the same kind. The default value means "none".
template <class Tag>
struct StrongId {
  static constexpr std::int64_t none_value = -1;
  std::int64_t value = none_value;

  constexpr StrongId() = default;
  constexpr explicit StrongId(std::int64_t number) : value{number} {}
  [[nodiscard]] constexpr bool is_none() const { return value == none_value; }
  constexpr auto operator<=>(const StrongId&) const = default;
};

template <class Tag>
[[nodiscard]] std::string to_string(StrongId<Tag> id) {
  return std::to_string(id.value);
}

using JobId = StrongId<struct JobIdTag>;
using StageId = StrongId<struct StageIdTag>;
using ShuffleId = StrongId<struct ShuffleIdTag>;
using ExecutorId = StrongId<struct ExecutorIdTag>;
using NodeId = StrongId<struct NodeIdTag>;
/// Number of one registration of an executor or a node; messages with an older epoch are stale.
using Epoch = StrongId<struct EpochTag>;
/// (epoch of the ResourceManager << 40) | number.
using ContainerId = StrongId<struct ContainerIdTag>;

/// Id of an application: start of its ResourceManager (wall clock, ms), and a number from 1.
struct ApplicationId {
  std::int64_t cluster_start = 0;
  std::int64_t number = 0;
  auto operator<=>(const ApplicationId&) const = default;
};

/// One attempt of an application; `attempt` counts from 1.
struct AttemptId {
  ApplicationId application;
  std::int32_t attempt = 0;
  auto operator<=>(const AttemptId&) const = default;
};

/// One attempt of one task of one stage attempt. `index` is the task index; `attempt` counts task attempts from 0.
struct TaskId {
  JobId job;
  StageId stage;
  std::int32_t stage_attempt = 0;
  std::int32_t index = 0;
  std::int32_t attempt = 0;
  auto operator<=>(const TaskId&) const = default;
};

/// "application_1700000000000_0001", as in Hadoop.
[[nodiscard]] std::string to_string(const ApplicationId& id);
/// "appattempt_1700000000000_0001_000001", as in Hadoop.
[[nodiscard]] std::string to_string(const AttemptId& id);
/// "job.stage.stage_attempt.index.attempt".
[[nodiscard]] std::string to_string(const TaskId& id);

}  // namespace heddle

template <class Tag>
struct std::hash<heddle::StrongId<Tag>> {
  std::size_t operator()(heddle::StrongId<Tag> id) const noexcept { return std::hash<std::int64_t>{}(id.value); }
};
