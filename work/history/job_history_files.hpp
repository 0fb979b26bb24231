// Implements ports/job_history.hpp with local files.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ports/job_history.hpp"
#include "work/files/file_handle.hpp"

namespace heddle::work {

/// Name of the history file of a job, without a folder.
[[nodiscard]] std::string job_history_name(const ports::JobHistoryFile& file);

class JobHistoryFiles final : public ports::JobHistory {
public:
  [[nodiscard]] Result<std::string> begin(const ports::JobHistoryFile& file) override;
  [[nodiscard]] Result<ports::JobHistoryContent> resume(const ports::JobHistoryFile& file) override;
  [[nodiscard]] Result<Done> append(const ApplicationId& job, const std::vector<history::Event>& events) override;
  [[nodiscard]] Result<Done> sync(const ApplicationId& job) override;
  [[nodiscard]] Result<Done> close(const ApplicationId& job) override;
  [[nodiscard]] Result<ports::JobHistoryContent> read(const std::string& path) const override;

private:
  struct OpenFile {
    FileHandle file;
    ports::JobHistoryFormat format = ports::JobHistoryFormat::avro_json;
    std::string unwritten{};
  };
  /// Writes what is not yet written. An error ends the history of the job.
  [[nodiscard]] Result<Done> write(const ApplicationId& job);
  [[nodiscard]] Error end_history(const ApplicationId& job, const Error& why);

  std::map<ApplicationId, OpenFile> open_;
};

}  // namespace heddle::work
