// Commits a job's output through the file port; each step can be repeated, after a crash at any point.
#pragma once

#include <string>
#include <vector>

#include "ports/file_store.hpp"
#include "ports/output_commit.hpp"

namespace heddle::work {

struct OutputCommitSettings {
  bool keeps_success = true;  // _SUCCESS, which marks the commit while it goes on, stays when all is done
  bool syncs = true;          // what a commit names is on the disk before it is decided
};

class FileOutputCommit : public ports::OutputCommit {
public:
  /// `files` outlives this object.
  explicit FileOutputCommit(ports::FileStore& files, OutputCommitSettings settings = {})
      : files_{files}, settings_{settings} {}

  [[nodiscard]] Result<Done> set_up(const std::string& path, std::int32_t application_attempt) override;
  [[nodiscard]] Result<Done> commit(const std::vector<ports::OutputWinners>& outputs,
                                    std::int32_t application_attempt) override;
  [[nodiscard]] Result<ports::CommitState> recover(const std::vector<std::string>& paths,
                                                   std::int32_t application_attempt) override;
  [[nodiscard]] Result<Done> abort(const std::vector<std::string>& paths) override;

private:
  ports::FileStore& files_;
  OutputCommitSettings settings_;
};

}  // namespace heddle::work
