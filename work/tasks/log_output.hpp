// What an attempt says, kept in a file of its own: made at the first byte, and bounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "work/files/file_handle.hpp"
#include "work/tasks/task_ends.hpp"

namespace heddle::work {

/// What is beyond the bound is dropped, and a line at the end says so.
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
  std::int64_t left_;  // below 0: cut off
  FileHandle file_;
};

}  // namespace heddle::work
