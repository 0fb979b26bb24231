// The submissions of the unfinished jobs of a JobTracker, for the JobTracker that follows a lost one. A JobTracker
// calls this on its background thread only.
#pragma once

#include "model/job_package.hpp"
#include "model/result.hpp"

namespace heddle::ports {

class JobStore {
public:
  virtual ~JobStore() = default;
  /// Returns when the submission is on the disk.
  [[nodiscard]] virtual Result<Done> save(const JobSubmission& submission) = 0;
  /// Succeeds if the store has no submission of this job.
  [[nodiscard]] virtual Result<Done> remove(JobId job) = 0;
};

}  // namespace heddle::ports
