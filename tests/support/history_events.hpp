// Events of the history of a MapReduce job, with texts that a format must escape.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ports/job_history_events.hpp"

namespace heddle::history {

inline constexpr ApplicationId sample_job{1'700'000'000'123, 7};
inline constexpr TaskName sample_map{sample_job, false, 3};
inline constexpr TaskName sample_reduce{sample_job, true, 0};
inline constexpr AttemptName sample_map_attempt{sample_map, 1};
inline constexpr AttemptName sample_reduce_attempt{sample_reduce, 1000};
inline constexpr std::int64_t sample_time = 1'700'000'001'000;
inline const std::string awkward_text = "a \"quoted\" = {[(\\)]}. line\nnext\tend\x01 \xc3\xa9.";

inline Counters sample_counters(std::string name = "COUNTERS") {
  return {std::move(name),
          {{"org.apache.hadoop.mapreduce.TaskCounter",
            "Map-Reduce Framework",
            {{"MAP_INPUT_RECORDS", "Map input records", 12}, {"SPILLED_RECORDS", "Spilled Records", -1}}},
           {"my{group}", awkward_text, {{"(n)", "[n]", std::int64_t{1} << 40}}},
           {"empty", "", {}}}};
}

/// At least one of each kind, in an order that a job can have.
inline std::vector<Event> sample_events() {
  const ContainerName container{{sample_job, 2}, ContainerId{(std::int64_t{17} << 40) | 5}};
  std::vector<Event> events;
  events.emplace_back(MasterStarted{{sample_job, 2}, sample_time, container, "host-1", 4444, 8042});
  events.emplace_back(JobSubmitted{sample_job, awkward_text, "me", sample_time, "/runs/job_conf.xml", "root.default"});
  events.emplace_back(JobQueueChanged{sample_job, "root.other"});
  events.emplace_back(JobPriorityChanged{sample_job, "VERY_HIGH"});
  events.emplace_back(JobInited{sample_job, sample_time + 1, 40, 2});
  events.emplace_back(JobTimesChanged{sample_job, sample_time, sample_time + 1});
  events.emplace_back(JobStatusChanged{sample_job, "RUNNING"});
  events.emplace_back(TaskStarted{sample_map, AttemptType::map, sample_time + 2, "host-1,host-2"});
  events.emplace_back(AttemptStarted{sample_map_attempt, AttemptType::map, sample_time + 3, "host-1:4444", 8042, 13562,
                                     container, "NODE_LOCAL", "VIRGIN"});
  events.emplace_back(OtherAttemptFinished{sample_map_attempt, AttemptType::job_setup, sample_time + 4, "/r1", "host-1",
                                           "setup", sample_counters()});
  events.emplace_back(MapAttemptFinished{sample_map_attempt, AttemptType::map, sample_time + 4, sample_time + 5,
                                         "host-1", 4444, "/r1", awkward_text, sample_counters()});
  events.emplace_back(
      TaskFinished{sample_map, AttemptType::map, sample_time + 6, sample_counters(), sample_map_attempt});
  events.emplace_back(TaskUpdated{sample_map, sample_time + 7});
  events.emplace_back(ReduceAttemptFinished{sample_reduce_attempt, AttemptType::reduce, sample_time + 8,
                                            sample_time + 9, sample_time + 10, "host-2", -1, "", "reduce > reduce",
                                            sample_counters()});
  events.emplace_back(AttemptUnsuccessful{sample_reduce_attempt, AttemptType::reduce, sample_time + 11, "host-2", 4444,
                                          "/r2", BadEnd::killed, awkward_text, sample_counters()});
  events.emplace_back(TaskFailed{sample_reduce, AttemptType::reduce, sample_time + 12, awkward_text,
                                 sample_reduce_attempt, BadEnd::failed, sample_counters()});
  events.emplace_back(TaskFailed{sample_reduce, AttemptType::reduce, sample_time + 12, "", {}, BadEnd::killed, {}});
  events.emplace_back(JobUnsuccessful{sample_job, sample_time + 13, 39, 1, BadEnd::error, awkward_text, 1, 1, 2, 3});
  events.emplace_back(JobSucceeded{sample_job, sample_time + 14, 40, 2, 1, 0, sample_counters("TOTAL_COUNTERS"),
                                   sample_counters("MAP_COUNTERS"), sample_counters("REDUCE_COUNTERS"), 3, 4});
  return events;
}

}  // namespace heddle::history
