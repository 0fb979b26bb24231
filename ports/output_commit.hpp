// How a job's output becomes visible, once. The Driver decides which attempts won; the commit moves exactly those.
//   .<out>.heddle-claim/_temporary/OWNER    before, and while it is removed: the claim is its rename to <out>
//   <out>/_temporary/OWNER                                                         whose output it is, until its end
//   <out>/_temporary/<application attempt>/_temporary/<task attempt>/part-NNNNN    while running
//   <out>/_temporary/COMMIT (of the job's first output)                            the decision: winners of all outputs
//   <out>/part-NNNNN …, <out>/_SUCCESS                                             afterwards, _temporary is gone
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "model/stage_work.hpp"

namespace heddle::ports {

/// Name of a task attempt's folder.
[[nodiscard]] inline std::string task_attempt_name(const StageKey& stage, std::int32_t index, std::int32_t attempt) {
  return "attempt-" + std::to_string(stage.stage.value) + "." + std::to_string(stage.attempt) + "-" +
         std::to_string(index) + "-" + std::to_string(attempt);
}

/// One output of a job and the attempts that won, by task.
struct OutputWinners {
  std::string path;
  bool lazy = false;                       // an attempt without a file has written nothing
  std::vector<std::string> task_attempts;  // names of their folders
};

/// What a later application attempt finds.
enum class CommitState : std::uint8_t { committed, not_committed };

/// The outputs are committed. `notice` says what else went wrong, and is empty if nothing did.
struct OutputCommitted {
  std::string notice;
};

class OutputCommit {
public:
  virtual ~OutputCommit() = default;
  /// Before any work: makes the folder `path`, one of the job's `outputs`, which claims it. Refused if it exists.
  [[nodiscard]] virtual Result<Done> set_up(const std::string& path, const std::vector<std::string>& outputs,
                                            std::int32_t application_attempt) = 0;
  /// Commits all outputs of a job. An error before the decision takes them away as abort does; after it, commit can be
  /// called again and follows the decision.
  [[nodiscard]] virtual Result<OutputCommitted> commit(const std::vector<OutputWinners>& outputs,
                                                       std::int32_t application_attempt) = 0;
  /// A second application attempt: finishes a decided commit, otherwise discards what older attempts left. Refused if
  /// an output belongs to another application.
  [[nodiscard]] virtual Result<CommitState> recover(const std::vector<std::string>& paths,
                                                    std::int32_t application_attempt) = 0;
  /// The job failed or was cancelled: takes `_temporary` away, and the folder if nothing else is in it. Leaves alone
  /// what does not belong to this attempt.
  [[nodiscard]] virtual Result<Done> abort(const std::vector<std::string>& paths, std::int32_t application_attempt) = 0;
};

}  // namespace heddle::ports
