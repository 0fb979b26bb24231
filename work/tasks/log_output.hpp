// Log file with the standard output of a task attempt: created at the first byte, limited in size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "work/files/file_handle.hpp"
#include "work/tasks/task_io.hpp"

namespace heddle::work {

/// Where the log files of attempts lie.
enum class LogPlace : std::uint8_t {
  /// In a folder for each stage: <folder>/<stage>.<stage attempt>/<index>.<attempt>.stdout, private to the user.
  stage_folders,
  /// In the log folder of a container of Hadoop: <folder>/task-<stage>.<stage attempt>-<index>.<attempt>.stdout. The
  /// NodeManager shows and collects only the files directly in it, and reads them as a member of their group.
  container_folder
};

/// Drops output above the limit, and writes a line about it.
class LogOutput final : public TaskOutput {
public:
  LogOutput(std::string path, std::int64_t bytes_max, LogPlace place = LogPlace::stage_folders)
      : path_{std::move(path)}, left_{bytes_max}, place_{place} {}
  Result<Done> add_text(std::string_view text) override;
  Result<Done> add_line(std::string_view line) override;
  Result<Done> add_pair(std::string_view key, std::string_view value) override;
  Result<Done> add_record(const Record& record, const TaskInput& from) override;
  Result<Done> finish() override { return Done{}; }

private:
  Result<Done> open();
  void make_folders() const;

  std::string path_;
  std::int64_t left_;  // negative: limit reached
  LogPlace place_;
  FileHandle file_;
};

}  // namespace heddle::work
