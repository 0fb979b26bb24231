// Implements ports/job_store.hpp with one file for each job: FOLDER/job-7.submission.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ports/job_store.hpp"

namespace heddle::apps {

class JobSubmissions final : public ports::JobStore {
public:
  /// The folder must belong to this user alone, because a submission holds the environment of commands.
  explicit JobSubmissions(std::string folder) : folder_{std::move(folder)} {}
  /// Creates the folder.
  [[nodiscard]] Result<Done> open() const;
  /// Ids of the stored jobs, ascending. Ignores other files.
  [[nodiscard]] Result<std::vector<JobId>> list() const;
  /// Errc::corrupt: the submission cannot be used.
  [[nodiscard]] Result<JobSubmission> load(JobId job) const;

  [[nodiscard]] Result<Done> save(const JobSubmission& submission) override;
  [[nodiscard]] Result<Done> remove(JobId job) override;

private:
  [[nodiscard]] std::string path_of(JobId job) const;
  std::string folder_;
};

}  // namespace heddle::apps
