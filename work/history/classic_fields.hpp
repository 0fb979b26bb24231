// Lines of a history file of Hadoop 1.2: one table of keys, which writer and reader follow.
#pragma once

#include <string_view>
#include <tuple>

#include "ports/job_history_events.hpp"

namespace heddle::work {

/// A member.
template <class Record, class Value>
struct Key {
  std::string_view name;
  Value Record::*member;
};
template <class Record, class Value>
Key(std::string_view, Value Record::*) -> Key<Record, Value>;

/// The task of an attempt, which the name of the attempt contains.
template <class Record>
struct TaskKey {
  std::string_view name;
  history::AttemptName Record::*member;
};
template <class Record>
TaskKey(std::string_view, history::AttemptName Record::*) -> TaskKey<Record>;

/// Always this value; not read.
struct FixedKey {
  std::string_view name;
  std::string_view value;
};

/// `word`: first word of the line; "Attempt" is MapAttempt or ReduceAttempt. `marker`: a line with this word is this
/// record if it has the key `marker` and is none of the records before it in ClassicRecords.
template <class Record>
struct ClassicLine;

template <>
struct ClassicLine<history::JobSubmitted> {
  using R = history::JobSubmitted;
  static constexpr std::string_view word = "Job";
  static constexpr std::string_view marker = "JOBNAME";
  static constexpr auto keys = std::tuple{Key{"JOBID", &R::job},
                                          Key{"JOBNAME", &R::name},
                                          Key{"USER", &R::user},
                                          Key{"SUBMIT_TIME", &R::submit_time},
                                          Key{"JOBCONF", &R::settings_path},
                                          FixedKey{"VIEW_JOB", "*"},
                                          FixedKey{"MODIFY_JOB", "*"},
                                          Key{"JOB_QUEUE", &R::queue},
                                          FixedKey{"WORKFLOW_ID", ""},
                                          FixedKey{"WORKFLOW_NAME", ""},
                                          FixedKey{"WORKFLOW_NODE_NAME", ""},
                                          FixedKey{"WORKFLOW_ADJACENCIES", ""},
                                          FixedKey{"WORKFLOW_TAGS", ""}};
};

template <>
struct ClassicLine<history::JobPriorityChanged> {
  using R = history::JobPriorityChanged;
  static constexpr std::string_view word = "Job";
  static constexpr std::string_view marker = "JOB_PRIORITY";
  static constexpr auto keys = std::tuple{Key{"JOBID", &R::job}, Key{"JOB_PRIORITY", &R::priority}};
};

template <>
struct ClassicLine<history::JobInited> {
  using R = history::JobInited;
  static constexpr std::string_view word = "Job";
  static constexpr std::string_view marker = "TOTAL_MAPS";
  static constexpr auto keys =
      std::tuple{Key{"JOBID", &R::job}, Key{"LAUNCH_TIME", &R::launch_time}, Key{"TOTAL_MAPS", &R::maps},
                 Key{"TOTAL_REDUCES", &R::reduces}, FixedKey{"JOB_STATUS", "PREP"}};
};

template <>
struct ClassicLine<history::JobTimesChanged> {
  using R = history::JobTimesChanged;
  static constexpr std::string_view word = "Job";
  static constexpr std::string_view marker = "LAUNCH_TIME";
  static constexpr auto keys =
      std::tuple{Key{"JOBID", &R::job}, Key{"SUBMIT_TIME", &R::submit_time}, Key{"LAUNCH_TIME", &R::launch_time}};
};

template <>
struct ClassicLine<history::JobSucceeded> {
  using R = history::JobSucceeded;
  static constexpr std::string_view word = "Job";
  static constexpr std::string_view marker = "COUNTERS";
  static constexpr auto keys = std::tuple{Key{"JOBID", &R::job},
                                          Key{"FINISH_TIME", &R::finish_time},
                                          FixedKey{"JOB_STATUS", "SUCCESS"},
                                          Key{"FINISHED_MAPS", &R::finished_maps},
                                          Key{"FINISHED_REDUCES", &R::finished_reduces},
                                          Key{"FAILED_MAPS", &R::failed_maps},
                                          Key{"FAILED_REDUCES", &R::failed_reduces},
                                          Key{"MAP_COUNTERS", &R::map_counters},
                                          Key{"REDUCE_COUNTERS", &R::reduce_counters},
                                          Key{"COUNTERS", &R::total_counters}};
};

template <>
struct ClassicLine<history::JobUnsuccessful> {
  using R = history::JobUnsuccessful;
  static constexpr std::string_view word = "Job";
  static constexpr std::string_view marker = "FINISH_TIME";
  static constexpr auto keys = std::tuple{Key{"JOBID", &R::job},
                                          Key{"FINISH_TIME", &R::finish_time},
                                          Key{"JOB_STATUS", &R::end},
                                          Key{"FINISHED_MAPS", &R::finished_maps},
                                          Key{"FINISHED_REDUCES", &R::finished_reduces},
                                          Key{"FAIL_REASON", &R::diagnostics}};
};

template <>
struct ClassicLine<history::JobStatusChanged> {
  using R = history::JobStatusChanged;
  static constexpr std::string_view word = "Job";
  static constexpr std::string_view marker = "JOB_STATUS";
  static constexpr auto keys = std::tuple{Key{"JOBID", &R::job}, Key{"JOB_STATUS", &R::status}};
};

template <>
struct ClassicLine<history::TaskStarted> {
  using R = history::TaskStarted;
  static constexpr std::string_view word = "Task";
  static constexpr std::string_view marker = "START_TIME";
  static constexpr auto keys = std::tuple{Key{"TASKID", &R::task}, Key{"TASK_TYPE", &R::type},
                                          Key{"START_TIME", &R::start_time}, Key{"SPLITS", &R::split_locations}};
};

template <>
struct ClassicLine<history::TaskFinished> {
  using R = history::TaskFinished;
  static constexpr std::string_view word = "Task";
  static constexpr std::string_view marker = "COUNTERS";
  static constexpr auto keys =
      std::tuple{Key{"TASKID", &R::task}, Key{"TASK_TYPE", &R::type}, FixedKey{"TASK_STATUS", "SUCCESS"},
                 Key{"FINISH_TIME", &R::finish_time}, Key{"COUNTERS", &R::counters}};
};

template <>
struct ClassicLine<history::TaskFailed> {
  using R = history::TaskFailed;
  static constexpr std::string_view word = "Task";
  static constexpr std::string_view marker = "TASK_STATUS";
  static constexpr auto keys = std::tuple{Key{"TASKID", &R::task},     Key{"TASK_TYPE", &R::type},
                                          Key{"TASK_STATUS", &R::end}, Key{"FINISH_TIME", &R::finish_time},
                                          Key{"ERROR", &R::error},     Key{"TASK_ATTEMPT_ID", &R::last_attempt}};
};

template <>
struct ClassicLine<history::TaskUpdated> {
  using R = history::TaskUpdated;
  static constexpr std::string_view word = "Task";
  static constexpr std::string_view marker = "FINISH_TIME";
  static constexpr auto keys = std::tuple{Key{"TASKID", &R::task}, Key{"FINISH_TIME", &R::finish_time}};
};

template <>
struct ClassicLine<history::AttemptStarted> {
  using R = history::AttemptStarted;
  static constexpr std::string_view word = "Attempt";
  static constexpr std::string_view marker = "START_TIME";
  static constexpr auto keys = std::tuple{Key{"TASK_TYPE", &R::type},          TaskKey{"TASKID", &R::attempt},
                                          Key{"TASK_ATTEMPT_ID", &R::attempt}, Key{"START_TIME", &R::start_time},
                                          Key{"TRACKER_NAME", &R::tracker},    Key{"HTTP_PORT", &R::http_port},
                                          Key{"LOCALITY", &R::locality},       Key{"AVATAAR", &R::avataar}};
};

template <>
struct ClassicLine<history::ReduceAttemptFinished> {
  using R = history::ReduceAttemptFinished;
  static constexpr std::string_view word = "Attempt";
  static constexpr std::string_view marker = "SHUFFLE_FINISHED";
  static constexpr auto keys = std::tuple{Key{"TASK_TYPE", &R::type},
                                          TaskKey{"TASKID", &R::attempt},
                                          Key{"TASK_ATTEMPT_ID", &R::attempt},
                                          FixedKey{"TASK_STATUS", "SUCCESS"},
                                          Key{"SHUFFLE_FINISHED", &R::shuffle_finish_time},
                                          Key{"SORT_FINISHED", &R::sort_finish_time},
                                          Key{"FINISH_TIME", &R::finish_time},
                                          Key{"HOSTNAME", &R::host},
                                          Key{"STATE_STRING", &R::state},
                                          Key{"COUNTERS", &R::counters}};
};

/// A map, or a setup or cleanup attempt: the line has the same keys.
template <class Record>
struct ClassicAttemptEnd {
  static constexpr std::string_view word = "Attempt";
  static constexpr std::string_view marker = "COUNTERS";
  static constexpr auto keys = std::tuple{Key{"TASK_TYPE", &Record::type},          TaskKey{"TASKID", &Record::attempt},
                                          Key{"TASK_ATTEMPT_ID", &Record::attempt}, FixedKey{"TASK_STATUS", "SUCCESS"},
                                          Key{"FINISH_TIME", &Record::finish_time}, Key{"HOSTNAME", &Record::host},
                                          Key{"STATE_STRING", &Record::state},      Key{"COUNTERS", &Record::counters}};
};
template <>
struct ClassicLine<history::MapAttemptFinished> : ClassicAttemptEnd<history::MapAttemptFinished> {};
template <>
struct ClassicLine<history::OtherAttemptFinished> : ClassicAttemptEnd<history::OtherAttemptFinished> {};

template <>
struct ClassicLine<history::AttemptUnsuccessful> {
  using R = history::AttemptUnsuccessful;
  static constexpr std::string_view word = "Attempt";
  static constexpr std::string_view marker = "TASK_STATUS";
  static constexpr auto keys =
      std::tuple{Key{"TASK_TYPE", &R::type},  TaskKey{"TASKID", &R::attempt},      Key{"TASK_ATTEMPT_ID", &R::attempt},
                 Key{"TASK_STATUS", &R::end}, Key{"FINISH_TIME", &R::finish_time}, Key{"HOSTNAME", &R::host},
                 Key{"ERROR", &R::error}};
};

/// In the order in which the reader tries them.
using ClassicRecords =
    std::tuple<history::JobSubmitted, history::JobPriorityChanged, history::JobInited, history::JobTimesChanged,
               history::JobSucceeded, history::JobUnsuccessful, history::JobStatusChanged, history::TaskStarted,
               history::TaskFinished, history::TaskFailed, history::TaskUpdated, history::AttemptStarted,
               history::ReduceAttemptFinished, history::MapAttemptFinished, history::OtherAttemptFinished,
               history::AttemptUnsuccessful>;

template <class Record>
concept IsClassicRecord = requires {
  ClassicLine<Record>::keys;
};

/// Calls use(key) for each key of the record, in order.
template <class Record, class Use>
void for_each_key(const Use& use) {
  std::apply([&](const auto&... key) { (use(key), ...); }, ClassicLine<Record>::keys);
}

}  // namespace heddle::work
