// Records of a .jhist file: one table of names and fields. The schema, both writers and the reader follow it.
// The names, types and order of fields are those of Hadoop 3.4.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "ports/job_history_events.hpp"

namespace heddle::work {

// -- kinds of fields -------------------------------------------------------------------------------------

/// A member. `missing`: default of the schema for files of older versions. An optional member may be null.
template <class Record, class Value>
struct Field {
  std::string_view name;
  Value Record::*member;
  std::optional<std::int32_t> missing{};
};
template <class Record, class Value>
Field(std::string_view, Value Record::*) -> Field<Record, Value>;
template <class Record, class Value>
Field(std::string_view, Value Record::*, int) -> Field<Record, Value>;

/// A member that is never null here, but can be null in other files: then it keeps its default.
template <class Record, class Value>
struct Nullable {
  std::string_view name;
  Value Record::*member;
};
template <class Record, class Value>
Nullable(std::string_view, Value Record::*) -> Nullable<Record, Value>;

/// The task of an attempt, which the name of the attempt contains.
template <class Record>
struct TaskOf {
  std::string_view name;
  history::AttemptName Record::*member;
};
template <class Record>
TaskOf(std::string_view, history::AttemptName Record::*) -> TaskOf<Record>;

/// Not used: always this text, false, null, or empty. Not read.
struct FixedText {
  std::string_view name;
  std::string_view text;
};
struct FixedFalse {
  std::string_view name;
};
struct NullText {
  std::string_view name;
};
struct NoNumbers {
  std::string_view name;
};
struct NoTexts {
  std::string_view name;
};

// -- counters --------------------------------------------------------------------------------------------

template <class Record>
struct JhistRecord;

template <>
struct JhistRecord<history::Counter> {
  static constexpr std::string_view name = "JhCounter";
  static constexpr auto fields =
      std::tuple{Field{"name", &history::Counter::name}, Field{"displayName", &history::Counter::display_name},
                 Field{"value", &history::Counter::value}};
};

template <>
struct JhistRecord<history::CounterGroup> {
  static constexpr std::string_view name = "JhCounterGroup";
  static constexpr auto fields = std::tuple{Field{"name", &history::CounterGroup::name},
                                            Field{"displayName", &history::CounterGroup::display_name},
                                            Field{"counts", &history::CounterGroup::counters}};
};

template <>
struct JhistRecord<history::Counters> {
  static constexpr std::string_view name = "JhCounters";
  static constexpr auto fields =
      std::tuple{Field{"name", &history::Counters::name}, Field{"groups", &history::Counters::groups}};
};

// -- the job ---------------------------------------------------------------------------------------------

template <>
struct JhistRecord<history::JobSucceeded> {
  using R = history::JobSucceeded;
  static constexpr std::string_view name = "JobFinished";
  static constexpr auto fields = std::tuple{
      Field{"jobid", &R::job},
      Field{"finishTime", &R::finish_time},
      Field{"finishedMaps", &R::finished_maps},
      Field{"finishedReduces", &R::finished_reduces},
      Field{"failedMaps", &R::failed_maps},
      Field{"failedReduces", &R::failed_reduces},
      Field{"totalCounters", &R::total_counters},
      Field{"mapCounters", &R::map_counters},
      Field{"reduceCounters", &R::reduce_counters},
      Field{"killedMaps", &R::killed_maps, -1},
      Field{"killedReduces", &R::killed_reduces, -1},
  };
};

template <>
struct JhistRecord<history::JobTimesChanged> {
  using R = history::JobTimesChanged;
  static constexpr std::string_view name = "JobInfoChange";
  static constexpr auto fields =
      std::tuple{Field{"jobid", &R::job}, Field{"submitTime", &R::submit_time}, Field{"launchTime", &R::launch_time}};
};

template <>
struct JhistRecord<history::JobInited> {
  using R = history::JobInited;
  static constexpr std::string_view name = "JobInited";
  static constexpr auto fields = std::tuple{Field{"jobid", &R::job},          Field{"launchTime", &R::launch_time},
                                            Field{"totalMaps", &R::maps},     Field{"totalReduces", &R::reduces},
                                            FixedText{"jobStatus", "INITED"}, FixedFalse{"uberized"}};
};

template <>
struct JhistRecord<history::MasterStarted> {
  using R = history::MasterStarted;
  static constexpr std::string_view name = "AMStarted";
  static constexpr auto fields = std::tuple{Field{"applicationAttemptId", &R::application},
                                            Field{"startTime", &R::start_time},
                                            Field{"containerId", &R::container},
                                            Field{"nodeManagerHost", &R::node_host},
                                            Field{"nodeManagerPort", &R::node_port},
                                            Field{"nodeManagerHttpPort", &R::node_http_port}};
};

template <>
struct JhistRecord<history::JobPriorityChanged> {
  using R = history::JobPriorityChanged;
  static constexpr std::string_view name = "JobPriorityChange";
  static constexpr auto fields = std::tuple{Field{"jobid", &R::job}, Field{"priority", &R::priority}};
};

template <>
struct JhistRecord<history::JobQueueChanged> {
  using R = history::JobQueueChanged;
  static constexpr std::string_view name = "JobQueueChange";
  static constexpr auto fields = std::tuple{Field{"jobid", &R::job}, Field{"jobQueueName", &R::queue}};
};

template <>
struct JhistRecord<history::JobStatusChanged> {
  using R = history::JobStatusChanged;
  static constexpr std::string_view name = "JobStatusChanged";
  static constexpr auto fields = std::tuple{Field{"jobid", &R::job}, Field{"jobStatus", &R::status}};
};

template <>
struct JhistRecord<history::JobSubmitted> {
  using R = history::JobSubmitted;
  static constexpr std::string_view name = "JobSubmitted";
  static constexpr auto fields = std::tuple{Field{"jobid", &R::job},
                                            Field{"jobName", &R::name},
                                            Field{"userName", &R::user},
                                            Field{"submitTime", &R::submit_time},
                                            Field{"jobConfPath", &R::settings_path},
                                            NoTexts{"acls"},
                                            Field{"jobQueueName", &R::queue},
                                            NullText{"workflowId"},
                                            NullText{"workflowName"},
                                            NullText{"workflowNodeName"},
                                            NullText{"workflowAdjacencies"},
                                            NullText{"workflowTags"}};
};

template <>
struct JhistRecord<history::JobUnsuccessful> {
  using R = history::JobUnsuccessful;
  static constexpr std::string_view name = "JobUnsuccessfulCompletion";
  static constexpr auto fields = std::tuple{Field{"jobid", &R::job},
                                            Field{"finishTime", &R::finish_time},
                                            Field{"finishedMaps", &R::finished_maps},
                                            Field{"finishedReduces", &R::finished_reduces},
                                            Field{"jobStatus", &R::end},
                                            Nullable{"diagnostics", &R::diagnostics},
                                            Field{"failedMaps", &R::failed_maps, -1},
                                            Field{"failedReduces", &R::failed_reduces, -1},
                                            Field{"killedMaps", &R::killed_maps, -1},
                                            Field{"killedReduces", &R::killed_reduces, -1}};
};

// -- attempts --------------------------------------------------------------------------------------------

template <>
struct JhistRecord<history::MapAttemptFinished> {
  using R = history::MapAttemptFinished;
  static constexpr std::string_view name = "MapAttemptFinished";
  static constexpr auto fields = std::tuple{TaskOf{"taskid", &R::attempt},
                                            Field{"attemptId", &R::attempt},
                                            Field{"taskType", &R::type},
                                            FixedText{"taskStatus", "SUCCEEDED"},
                                            Field{"mapFinishTime", &R::map_finish_time},
                                            Field{"finishTime", &R::finish_time},
                                            Field{"hostname", &R::host},
                                            Field{"port", &R::port},
                                            Field{"rackname", &R::rack},
                                            Field{"state", &R::state},
                                            Field{"counters", &R::counters},
                                            NoNumbers{"clockSplits"},
                                            NoNumbers{"cpuUsages"},
                                            NoNumbers{"vMemKbytes"},
                                            NoNumbers{"physMemKbytes"}};
};

template <>
struct JhistRecord<history::ReduceAttemptFinished> {
  using R = history::ReduceAttemptFinished;
  static constexpr std::string_view name = "ReduceAttemptFinished";
  static constexpr auto fields = std::tuple{TaskOf{"taskid", &R::attempt},
                                            Field{"attemptId", &R::attempt},
                                            Field{"taskType", &R::type},
                                            FixedText{"taskStatus", "SUCCEEDED"},
                                            Field{"shuffleFinishTime", &R::shuffle_finish_time},
                                            Field{"sortFinishTime", &R::sort_finish_time},
                                            Field{"finishTime", &R::finish_time},
                                            Field{"hostname", &R::host},
                                            Field{"port", &R::port},
                                            Field{"rackname", &R::rack},
                                            Field{"state", &R::state},
                                            Field{"counters", &R::counters},
                                            NoNumbers{"clockSplits"},
                                            NoNumbers{"cpuUsages"},
                                            NoNumbers{"vMemKbytes"},
                                            NoNumbers{"physMemKbytes"}};
};

template <>
struct JhistRecord<history::OtherAttemptFinished> {
  using R = history::OtherAttemptFinished;
  static constexpr std::string_view name = "TaskAttemptFinished";
  static constexpr auto fields = std::tuple{TaskOf{"taskid", &R::attempt},        Field{"attemptId", &R::attempt},
                                            Field{"taskType", &R::type},          FixedText{"taskStatus", "SUCCEEDED"},
                                            Field{"finishTime", &R::finish_time}, Field{"rackname", &R::rack},
                                            Field{"hostname", &R::host},          Field{"state", &R::state},
                                            Field{"counters", &R::counters}};
};

template <>
struct JhistRecord<history::AttemptStarted> {
  using R = history::AttemptStarted;
  static constexpr std::string_view name = "TaskAttemptStarted";
  static constexpr auto fields = std::tuple{TaskOf{"taskid", &R::attempt},          Field{"taskType", &R::type},
                                            Field{"attemptId", &R::attempt},        Field{"startTime", &R::start_time},
                                            Field{"trackerName", &R::tracker},      Field{"httpPort", &R::http_port},
                                            Field{"shufflePort", &R::shuffle_port}, Field{"containerId", &R::container},
                                            Nullable{"locality", &R::locality},     Nullable{"avataar", &R::avataar}};
};

template <>
struct JhistRecord<history::AttemptUnsuccessful> {
  using R = history::AttemptUnsuccessful;
  static constexpr std::string_view name = "TaskAttemptUnsuccessfulCompletion";
  static constexpr auto fields = std::tuple{TaskOf{"taskid", &R::attempt},   Field{"taskType", &R::type},
                                            Field{"attemptId", &R::attempt}, Field{"finishTime", &R::finish_time},
                                            Field{"hostname", &R::host},     Field{"port", &R::port},
                                            Field{"rackname", &R::rack},     Field{"status", &R::end},
                                            Field{"error", &R::error},       Nullable{"counters", &R::counters},
                                            NoNumbers{"clockSplits"},        NoNumbers{"cpuUsages"},
                                            NoNumbers{"vMemKbytes"},         NoNumbers{"physMemKbytes"}};
};

// -- tasks -----------------------------------------------------------------------------------------------

template <>
struct JhistRecord<history::TaskFailed> {
  using R = history::TaskFailed;
  static constexpr std::string_view name = "TaskFailed";
  static constexpr auto fields = std::tuple{Field{"taskid", &R::task},
                                            Field{"taskType", &R::type},
                                            Field{"finishTime", &R::finish_time},
                                            Field{"error", &R::error},
                                            Field{"failedDueToAttempt", &R::last_attempt},
                                            Field{"status", &R::end},
                                            Nullable{"counters", &R::counters}};
};

template <>
struct JhistRecord<history::TaskFinished> {
  using R = history::TaskFinished;
  static constexpr std::string_view name = "TaskFinished";
  static constexpr auto fields = std::tuple{
      Field{"taskid", &R::task},        Field{"taskType", &R::type},     Field{"finishTime", &R::finish_time},
      FixedText{"status", "SUCCEEDED"}, Field{"counters", &R::counters}, Field{"successfulAttemptId", &R::winner}};
};

template <>
struct JhistRecord<history::TaskStarted> {
  using R = history::TaskStarted;
  static constexpr std::string_view name = "TaskStarted";
  static constexpr auto fields =
      std::tuple{Field{"taskid", &R::task}, Field{"taskType", &R::type}, Field{"startTime", &R::start_time},
                 Field{"splitLocations", &R::split_locations}};
};

template <>
struct JhistRecord<history::TaskUpdated> {
  using R = history::TaskUpdated;
  static constexpr std::string_view name = "TaskUpdated";
  static constexpr auto fields = std::tuple{Field{"taskid", &R::task}, Field{"finishTime", &R::finish_time}};
};

// -- uses of the table -----------------------------------------------------------------------------------

template <class Record>
concept IsJhistRecord = requires {
  JhistRecord<Record>::fields;
};

inline constexpr std::string_view jhist_namespace = "org.apache.hadoop.mapreduce.jobhistory";

inline constexpr auto jhist_event_types = std::to_array<std::string_view>({"JOB_SUBMITTED",
                                                                           "JOB_INITED",
                                                                           "JOB_FINISHED",
                                                                           "JOB_PRIORITY_CHANGED",
                                                                           "JOB_STATUS_CHANGED",
                                                                           "JOB_QUEUE_CHANGED",
                                                                           "JOB_FAILED",
                                                                           "JOB_KILLED",
                                                                           "JOB_ERROR",
                                                                           "JOB_INFO_CHANGED",
                                                                           "TASK_STARTED",
                                                                           "TASK_FINISHED",
                                                                           "TASK_FAILED",
                                                                           "TASK_UPDATED",
                                                                           "NORMALIZED_RESOURCE",
                                                                           "MAP_ATTEMPT_STARTED",
                                                                           "MAP_ATTEMPT_FINISHED",
                                                                           "MAP_ATTEMPT_FAILED",
                                                                           "MAP_ATTEMPT_KILLED",
                                                                           "REDUCE_ATTEMPT_STARTED",
                                                                           "REDUCE_ATTEMPT_FINISHED",
                                                                           "REDUCE_ATTEMPT_FAILED",
                                                                           "REDUCE_ATTEMPT_KILLED",
                                                                           "SETUP_ATTEMPT_STARTED",
                                                                           "SETUP_ATTEMPT_FINISHED",
                                                                           "SETUP_ATTEMPT_FAILED",
                                                                           "SETUP_ATTEMPT_KILLED",
                                                                           "CLEANUP_ATTEMPT_STARTED",
                                                                           "CLEANUP_ATTEMPT_FINISHED",
                                                                           "CLEANUP_ATTEMPT_FAILED",
                                                                           "CLEANUP_ATTEMPT_KILLED",
                                                                           "AM_STARTED"});

/// Calls use(field) for each field of the record, in order.
template <class Record, class Use>
void for_each_field(const Use& use) {
  std::apply([&](const auto&... field) { (use(field), ...); }, JhistRecord<Record>::fields);
}

}  // namespace heddle::work
