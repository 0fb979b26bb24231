// The text of COMMIT: which files a decided commit moves where.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace heddle::work {

struct CommitFile {
  std::string from;
  std::string to;
};

struct CommitRecord {
  std::int32_t application_attempt = 0;
  std::vector<std::string> outputs;  // in the job's order; the first holds the record
  std::vector<CommitFile> files;
};

/// True if the file is a child of the folder of the output.
[[nodiscard]] bool is_child_of_output(const std::string& file, const std::string& output);
[[nodiscard]] std::string commit_record_text(const CommitRecord& record);
/// `path`: of the record, for the message. `outputs`: of the job, in its order. Refuses a record that is incomplete,
/// that names other outputs, or that moves other files.
[[nodiscard]] Result<CommitRecord> read_commit_record(const std::string& path, std::string_view text,
                                                      const std::vector<std::string>& outputs);

}  // namespace heddle::work
