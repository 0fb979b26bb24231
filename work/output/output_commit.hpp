// Commits a job's output through the file port; each step can be repeated, after a crash at any point.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ports/file_system.hpp"
#include "ports/output_commit.hpp"
#include "work/files/process_owner.hpp"

namespace heddle::work {

/// Whether an application has ended; none: its cluster does not know it. False also if the cluster does not answer.
using HasEnded = std::function<std::optional<bool>(const ApplicationId&)>;

struct OutputCommitSettings {
  bool keeps_success = true;  // false: _SUCCESS is removed at the end of the commit
  bool syncs = true;          // files and their folders are written to the disk before the commit is decided
  ProcessOwner owner = this_process_owner();  // a process that lives as long as the application
  std::string journal;      // folder with finished commits, for later application attempts; empty: there are none
  HasEnded has_ended = {};  // asked about owners that do not run here; empty: only dead ones of this host count
};

class FileOutputCommit : public ports::OutputCommit {
public:
  /// `files` outlives this object.
  explicit FileOutputCommit(ports::FileSystem& files, OutputCommitSettings settings = {})
      : files_{files}, settings_{std::move(settings)} {}

  /// Before a job: removes the output of a dead run of this user, or of one whose application has ended, or finishes it
  /// if its commit was decided. Refuses if one of `paths` still exists, or if its owner is unknown. Claim folders are
  /// removed by the same rule, if settings.has_ended is set.
  [[nodiscard]] Result<Done> clear(const std::vector<std::string>& paths);
  [[nodiscard]] Result<Done> set_up(const std::string& path, const std::vector<std::string>& outputs,
                                    std::int32_t application_attempt) override;
  [[nodiscard]] Result<ports::OutputCommitted> commit(const std::vector<OutputWinners>& outputs,
                                                      std::int32_t application_attempt) override;
  [[nodiscard]] Result<ports::CommitState> recover(const std::vector<std::string>& paths,
                                                   std::int32_t application_attempt) override;
  [[nodiscard]] Result<ports::OutputRecovered> recover_tasks(const std::vector<std::string>& paths,
                                                             std::int32_t application_attempt,
                                                             const std::vector<std::string>& task_attempts) override;
  [[nodiscard]] Result<Done> abort(const std::vector<std::string>& paths, std::int32_t application_attempt) override;
  [[nodiscard]] Result<Done> abort_attempt(const std::string& path, std::int32_t application_attempt,
                                           const std::string& task_attempt) override;

private:
  [[nodiscard]] Result<Done> clear_one(const std::string& path, const std::vector<std::string>& paths);
  [[nodiscard]] Result<Done> clear_claim(const std::string& path);
  [[nodiscard]] Result<Done> clear_dead(const std::string& path, const std::vector<std::string>& paths,
                                        const ProcessOwner& owner);
  [[nodiscard]] Result<Done> claim(const std::string& path, const ProcessOwner& owner);
  void remove_empty_claim(const std::string& folder);
  [[nodiscard]] Result<Done> empty_claim(const std::string& path, const std::string& folder, const ProcessOwner& owner);
  [[nodiscard]] Result<Done> publish(const std::string& path, const std::string& folder, const ProcessOwner& owner);
  [[nodiscard]] Result<bool> adopt(const std::string& path, const std::vector<std::string>& outputs,
                                   std::int32_t application_attempt);
  [[nodiscard]] Result<Done> start_anew(const std::string& path, const std::vector<std::string>& outputs,
                                        std::int32_t application_attempt, bool is_ours, bool keeps_tasks);
  [[nodiscard]] Result<std::vector<std::string>> keep_tasks(const std::string& path, std::int32_t application_attempt,
                                                            const std::vector<std::string>& task_attempts);
  [[nodiscard]] bool has_ended(const ProcessOwner& owner) const;
  [[nodiscard]] Result<bool> is_ours(const std::string& path, std::int32_t application_attempt) const;

  ports::FileSystem& files_;
  OutputCommitSettings settings_;
};

}  // namespace heddle::work
