// A job package as the work of a MapReduce job of framework classic or yarn: maps of one stage, and the reduces of at
// most one other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/attempt_work.hpp"
#include "model/job_package.hpp"
#include "model/result.hpp"
#include "policies/job_tracker/classic_job_description.hpp"
#include "policies/stages/job_plan.hpp"

namespace heddle::policies {

class JobWork {
public:
  /// A usage error if the graph is more than a map stage and a reduce stage. `framework`: its name, for the error.
  [[nodiscard]] static Result<JobWork> make(JobId job, const ApplicationId& application, JobPackage package,
                                            std::string_view framework = "classic");

  [[nodiscard]] const std::string& name() const { return plan_.graph().name; }
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& properties() const {
    return plan_.graph().properties;
  }
  /// Index of the user's stage that the maps or the reduces run, and its name.
  [[nodiscard]] std::int32_t stage(bool reduces) const { return reduces ? reduce_stage_ : map_stage_; }
  [[nodiscard]] std::string stage_name(bool reduces) const { return plan_.name_of(stage(reduces)); }
  [[nodiscard]] bool has_reduces() const { return reduce_stage_ >= 0; }
  [[nodiscard]] std::int32_t tasks(bool reduces) const {
    return reduces && !has_reduces() ? 0 : plan_.partitions(stage(reduces));
  }
  /// A map or a reduce, not a setup or cleanup.
  [[nodiscard]] bool is_task(const TaskAttemptId& attempt) const { return attempt.task < tasks(attempt.is_reduce); }
  /// Of the maps, then of the reduces.
  [[nodiscard]] const std::vector<StageProgram>& programs() const { return programs_; }
  [[nodiscard]] const StageProgram& program(bool reduces) const { return programs_[reduces ? 1 : 0]; }
  /// Written by the maps; none: a map-only job.
  [[nodiscard]] ShuffleId shuffle() const { return has_reduces() ? ShuffleId{0} : ShuffleId{}; }
  /// For the JobQueueScheduler.
  [[nodiscard]] ClassicJobDescription describe(JobId job, const JobRules& rules) const;
  /// Memory that the job names for the container of a map; 0: none.
  [[nodiscard]] std::int64_t map_memory_mib() const { return plan_.stage(map_stage_).memory_mib; }
  /// The same of a reduce.
  [[nodiscard]] std::int64_t reduce_memory_mib() const {
    return has_reduces() ? plan_.stage(reduce_stage_).memory_mib : 0;
  }
  [[nodiscard]] bool has_hosts(std::int32_t map) const;
  /// The split of the map is a part of a file that each host can read: it has no location.
  [[nodiscard]] bool is_on_each_host(std::int32_t map) const;
  /// Hosts of the split of each map; none: it has no location.
  [[nodiscard]] std::vector<std::vector<std::string>> hosts() const;

  /// Null: the map reads no file.
  [[nodiscard]] const TaskSplit* split(std::int32_t map) const { return plan_.split(plan_.root_of(map_stage_), map); }
  /// The one partition of an attempt of a map or a reduce.
  [[nodiscard]] TaskRange range_of(const TaskAttemptId& attempt) const;
  /// The outputs of the job without winners.
  [[nodiscard]] std::vector<OutputWinners> outputs() const;

private:
  JobPlan plan_;
  std::int32_t map_stage_ = 0;
  std::int32_t reduce_stage_ = -1;  // -1: none
  std::vector<StageProgram> programs_;
};

}  // namespace heddle::policies
