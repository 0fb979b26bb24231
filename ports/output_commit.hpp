// Commit of a job's output: it becomes visible once. The Driver chooses the winning task attempts; the commit moves
// exactly their files.
//   .<out>.heddle-claim/_temporary/OWNER    before the claim (a rename to <out>) and while an output is removed
//   <out>/_temporary/OWNER                                                         owner file, until the end
//   <out>/_temporary/<application attempt>/_temporary/<task attempt>/part-NNNNN    while tasks run
//   <out>/_temporary/COMMIT (of the job's first output)                            the decision: winners of all outputs
//   <out>/part-NNNNN …, <out>/_SUCCESS                                             afterwards; _temporary is removed
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/attempt_work.hpp"
#include "model/result.hpp"
#include "model/stage_work.hpp"

namespace heddle::ports {

/// Folder name of a task attempt: "attempt-STAGE.STAGE_ATTEMPT-PARTITION-TASK_ATTEMPT".
[[nodiscard]] inline std::string task_attempt_name(const StageKey& stage, std::int32_t index, std::int32_t attempt) {
  return "attempt-" + std::to_string(stage.stage.value) + "." + std::to_string(stage.attempt) + "-" +
         std::to_string(index) + "-" + std::to_string(attempt);
}

/// State in which a later application attempt finds an output.
enum class CommitState : std::uint8_t { committed, not_committed };

/// Result of a commit. `notice`: a problem that did not stop it, for the user; empty if there was none.
struct OutputCommitted {
  std::string notice;
};

/// What a later application attempt found. `kept`: the folders that stay of those that it named.
struct OutputRecovered {
  CommitState state = CommitState::not_committed;
  std::vector<std::string> kept;
};

class OutputCommit {
public:
  virtual ~OutputCommit() = default;
  /// Creates the output folder `path` before any task runs. `outputs`: all output folders of the job. Errc::refused if
  /// the folder exists.
  [[nodiscard]] virtual Result<Done> set_up(const std::string& path, const std::vector<std::string>& outputs,
                                            std::int32_t application_attempt) = 0;
  /// Commits all outputs of a job. An error before the decision removes them, as abort does. After an error behind the
  /// decision, another call continues the same commit.
  [[nodiscard]] virtual Result<OutputCommitted> commit(const std::vector<OutputWinners>& outputs,
                                                       std::int32_t application_attempt) = 0;
  /// For a later application attempt: completes a commit that was decided, otherwise removes what earlier attempts
  /// wrote. Errc::refused if an output belongs to another application.
  [[nodiscard]] virtual Result<CommitState> recover(const std::vector<std::string>& paths,
                                                    std::int32_t application_attempt) = 0;
  /// As recover(), but keeps what these task attempts of earlier application attempts wrote: it belongs to this
  /// application attempt now. They have finished, and no process writes there any more.
  [[nodiscard]] virtual Result<OutputRecovered> recover_tasks(const std::vector<std::string>& paths,
                                                              std::int32_t application_attempt,
                                                              const std::vector<std::string>& task_attempts) = 0;
  /// For a failed or cancelled job: removes `_temporary`, and the output folder if it is empty then. Keeps files of
  /// other application attempts.
  [[nodiscard]] virtual Result<Done> abort(const std::vector<std::string>& paths, std::int32_t application_attempt) = 0;
  /// Removes what one task attempt wrote to the output `path`. Does nothing if the output is gone or belongs to others.
  [[nodiscard]] virtual Result<Done> abort_attempt(const std::string& path, std::int32_t application_attempt,
                                                   const std::string& task_attempt) = 0;
};

/// Creates all output folders of a job. An error removes those that were created; its text names what remains.
[[nodiscard]] Result<Done> set_up_outputs(OutputCommit& commit, const std::vector<std::string>& paths,
                                          std::int32_t application_attempt);

}  // namespace heddle::ports
