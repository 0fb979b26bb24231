// Commits a job's output through the file port; each step can be repeated, after a crash at any point.
#pragma once

#include <string>
#include <vector>

#include "ports/file_store.hpp"
#include "ports/output_commit.hpp"

namespace heddle::work {

class FileOutputCommit : public ports::OutputCommit {
public:
  /// `files` outlives this object. `keeps_success`: _SUCCESS, which marks the commit while it goes on, stays when all is done.
  explicit FileOutputCommit(ports::FileStore& files, bool keeps_success = true) : files_{files}, keeps_success_{keeps_success} {}

  [[nodiscard]] Result<Done> set_up(const std::string& path, std::int32_t application_attempt) override;
  [[nodiscard]] Result<Done> commit(const std::vector<ports::OutputWinners>& outputs, std::int32_t application_attempt) override;
  [[nodiscard]] Result<ports::CommitState> recover(const std::vector<std::string>& paths, std::int32_t application_attempt) override;
  [[nodiscard]] Result<Done> abort(const std::vector<std::string>& paths) override;

private:
  ports::FileStore& files_;
  bool keeps_success_;
};

}  // namespace heddle::work
