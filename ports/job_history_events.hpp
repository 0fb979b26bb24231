// Events of the history of one MapReduce job, with the fields that Hadoop's history files have. A job, task or attempt
// has the id that Hadoop prints: job_<start>_<number> has the numbers of its application. Times are milliseconds since
// 1970.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/ids.hpp"
#include "model/task_attempt_id.hpp"

namespace heddle::history {

/// task_<start>_<number>_m_<task>, or _r_ for a reduce.
struct TaskName {
  ApplicationId job;
  bool is_reduce = false;
  std::int32_t task = 0;
  auto operator<=>(const TaskName&) const = default;
};

/// attempt_<start>_<number>_m_<task>_<attempt>.
struct AttemptName {
  TaskName task;
  std::int32_t attempt = 0;
  auto operator<=>(const AttemptName&) const = default;
};

/// container_e<epoch>_<start>_<number>_<application attempt>_<container>, without the epoch if that is 0.
struct ContainerName {
  AttemptId application;
  ContainerId container{0};
  auto operator<=>(const ContainerName&) const = default;
};

/// `display_name`: for people, such as "Map input records".
struct Counter {
  std::string name;
  std::string display_name;
  std::int64_t value = 0;
  bool operator==(const Counter&) const = default;
};

struct CounterGroup {
  std::string name;
  std::string display_name;
  std::vector<Counter> counters;
  bool operator==(const CounterGroup&) const = default;
};

/// `name`: "COUNTERS", or which counters of a job they are.
struct Counters {
  std::string name = "COUNTERS";
  std::vector<CounterGroup> groups{};
  bool operator==(const Counters&) const = default;
};

/// How a job, a task or an attempt ended that did not succeed. `error`: a job whose master failed.
enum class BadEnd : std::uint8_t { failed, killed, error };

// -- the job ---------------------------------------------------------------------------------------------

struct MasterStarted {
  AttemptId application;
  std::int64_t start_time = 0;
  ContainerName container;
  std::string node_host;
  std::int32_t node_port = 0;
  std::int32_t node_http_port = 0;
  bool operator==(const MasterStarted&) const = default;
};

struct JobSubmitted {
  ApplicationId job;
  std::string name;
  std::string user;
  std::int64_t submit_time = 0;
  std::string settings_path;
  std::string queue;
  bool operator==(const JobSubmitted&) const = default;
};

struct JobQueueChanged {
  ApplicationId job;
  std::string queue;
  bool operator==(const JobQueueChanged&) const = default;
};

/// `priority`: a name such as "NORMAL".
struct JobPriorityChanged {
  ApplicationId job;
  std::string priority;
  bool operator==(const JobPriorityChanged&) const = default;
};

struct JobInited {
  ApplicationId job;
  std::int64_t launch_time = 0;
  std::int32_t maps = 0;
  std::int32_t reduces = 0;
  bool operator==(const JobInited&) const = default;
};

/// The job was started.
struct JobTimesChanged {
  ApplicationId job;
  std::int64_t submit_time = 0;
  std::int64_t launch_time = 0;
  bool operator==(const JobTimesChanged&) const = default;
};

/// `status`: a name such as "RUNNING".
struct JobStatusChanged {
  ApplicationId job;
  std::string status;
  bool operator==(const JobStatusChanged&) const = default;
};

/// The job succeeded. -1: unknown.
struct JobSucceeded {
  ApplicationId job;
  std::int64_t finish_time = 0;
  std::int32_t finished_maps = 0;
  std::int32_t finished_reduces = 0;
  std::int32_t failed_maps = 0;
  std::int32_t failed_reduces = 0;
  Counters total_counters{"TOTAL_COUNTERS"};
  Counters map_counters{"MAP_COUNTERS"};
  Counters reduce_counters{"REDUCE_COUNTERS"};
  std::int32_t killed_maps = -1;
  std::int32_t killed_reduces = -1;
  bool operator==(const JobSucceeded&) const = default;
};

/// The job failed or was killed. -1: unknown.
struct JobUnsuccessful {
  ApplicationId job;
  std::int64_t finish_time = 0;
  std::int32_t finished_maps = 0;
  std::int32_t finished_reduces = 0;
  BadEnd end = BadEnd::failed;
  std::string diagnostics;
  std::int32_t failed_maps = -1;
  std::int32_t failed_reduces = -1;
  std::int32_t killed_maps = -1;
  std::int32_t killed_reduces = -1;
  bool operator==(const JobUnsuccessful&) const = default;
};

// -- tasks -----------------------------------------------------------------------------------------------

/// `split_locations`: hosts with the input of a map, separated by commas.
struct TaskStarted {
  TaskName task;
  AttemptType type = AttemptType::map;
  std::int64_t start_time = 0;
  std::string split_locations;
  bool operator==(const TaskStarted&) const = default;
};

struct TaskFinished {
  TaskName task;
  AttemptType type = AttemptType::map;
  std::int64_t finish_time = 0;
  Counters counters;
  std::optional<AttemptName> winner;
  bool operator==(const TaskFinished&) const = default;
};

/// The task failed or was killed. `last_attempt`: the attempt whose failure ended the task.
struct TaskFailed {
  TaskName task;
  AttemptType type = AttemptType::map;
  std::int64_t finish_time = 0;
  std::string error;
  std::optional<AttemptName> last_attempt;
  BadEnd end = BadEnd::failed;
  Counters counters;
  bool operator==(const TaskFailed&) const = default;
};

struct TaskUpdated {
  TaskName task;
  std::int64_t finish_time = 0;
  bool operator==(const TaskUpdated&) const = default;
};

// -- attempts --------------------------------------------------------------------------------------------

/// `avataar`: Hadoop's word for the kind of an attempt: "VIRGIN", or "SPECULATIVE". -1: no such port.
struct AttemptStarted {
  AttemptName attempt;
  AttemptType type = AttemptType::map;
  std::int64_t start_time = 0;
  std::string tracker;  // host name and port of its NodeManager, or name of its TaskTracker
  std::int32_t http_port = -1;
  std::int32_t shuffle_port = -1;
  ContainerName container;
  std::string locality;
  std::string avataar;
  bool operator==(const AttemptStarted&) const = default;
};

struct MapAttemptFinished {
  AttemptName attempt;
  AttemptType type = AttemptType::map;
  std::int64_t map_finish_time = 0;
  std::int64_t finish_time = 0;
  std::string host;
  std::int32_t port = -1;
  std::string rack;
  std::string state;
  Counters counters;
  bool operator==(const MapAttemptFinished&) const = default;
};

struct ReduceAttemptFinished {
  AttemptName attempt;
  AttemptType type = AttemptType::reduce;
  std::int64_t shuffle_finish_time = 0;
  std::int64_t sort_finish_time = 0;
  std::int64_t finish_time = 0;
  std::string host;
  std::int32_t port = -1;
  std::string rack;
  std::string state;
  Counters counters;
  bool operator==(const ReduceAttemptFinished&) const = default;
};

/// A setup or cleanup attempt succeeded.
struct OtherAttemptFinished {
  AttemptName attempt;
  AttemptType type = AttemptType::job_setup;
  std::int64_t finish_time = 0;
  std::string rack;
  std::string host;
  std::string state;
  Counters counters;
  bool operator==(const OtherAttemptFinished&) const = default;
};

struct AttemptUnsuccessful {
  AttemptName attempt;
  AttemptType type = AttemptType::map;
  std::int64_t finish_time = 0;
  std::string host;
  std::int32_t port = -1;
  std::string rack;
  BadEnd end = BadEnd::failed;
  std::string error;
  Counters counters;
  bool operator==(const AttemptUnsuccessful&) const = default;
};

/// In the order of Hadoop's schema: binary files have the index.
using Event = std::variant<JobSucceeded, JobTimesChanged, JobInited, MasterStarted, JobPriorityChanged, JobQueueChanged,
                           JobStatusChanged, JobSubmitted, JobUnsuccessful, MapAttemptFinished, ReduceAttemptFinished,
                           OtherAttemptFinished, AttemptStarted, AttemptUnsuccessful, TaskFailed, TaskFinished,
                           TaskStarted, TaskUpdated>;

}  // namespace heddle::history
