// Outputs of the jobs of a JobTracker, by path: the outputs of a recovered job are emptied, so no other job may have
// them. Used on the background thread only. Cost of an addition: logarithmic in the outputs; of a removal: all outputs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/ids.hpp"

namespace heddle::actors {

class OutputClaims {
public:
  /// Adds the outputs of the job that no other job has. Returns the first that another one has, with that job.
  [[nodiscard]] std::optional<std::pair<std::string, JobId>> add(JobId job, const std::vector<std::string>& outputs);
  void remove(JobId job);

private:
  std::map<std::string, JobId> job_of_path_;
};

}  // namespace heddle::actors
