// Log file with the standard output of a task attempt: created at the first byte, limited in size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "work/files/file_handle.hpp"
#include "work/tasks/task_ends.hpp"

namespace heddle::work {

/// Drops output above the limit, and writes a line that says so.
class LogOutput final : public TaskOutput {
public:
  LogOutput(std::string path, std::int64_t bytes_max) : path_{std::move(path)}, left_{bytes_max} {}
  Result<Done> add_text(std::string_view text) override;
  Result<Done> add_line(std::string_view line) override;
  Result<Done> add_pair(std::string_view key, std::string_view value) override;
  Result<Done> add_record(const Record& record, const TaskInput& from) override;
  Result<Done> finish() override { return Done{}; }

private:
  Result<Done> open();

  std::string path_;
  std::int64_t left_;  // negative: limit reached
  FileHandle file_;
};

}  // namespace heddle::work
