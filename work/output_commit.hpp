// Commits a job's output through the file port; each step can be repeated, after a crash at any point.
#pragma once

#include <string>
#include <vector>

#include "ports/file_store.hpp"
#include "ports/output_commit.hpp"

namespace heddle::work {

class FileOutputCommit : public ports::OutputCommit {
public:
  /// `files` outlives this object.
  explicit FileOutputCommit(ports::FileStore& files) : files_{files} {}

  [[nodiscard]] Result<Done> set_up(const std::string& path, std::int32_t application_attempt) override;
  [[nodiscard]] Result<Done> commit(const std::vector<ports::OutputWinners>& outputs, std::int32_t application_attempt) override;
  [[nodiscard]] Result<ports::CommitState> recover(const std::vector<std::string>& paths, std::int32_t application_attempt) override;
  [[nodiscard]] Result<Done> abort(const std::vector<std::string>& paths) override;

private:
  ports::FileStore& files_;
};

}  // namespace heddle::work
