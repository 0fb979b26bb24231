// History files of MapReduce jobs, in the formats of Hadoop. A role calls this on its background thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/result.hpp"
#include "ports/job_history_events.hpp"

namespace heddle::ports {

/// avro_json, avro_binary: job_<start>_<number>.jhist of Hadoop 3. classic: a file of Hadoop 1.2, named after its job,
/// submit time, user and job name.
enum class JobHistoryFormat : std::uint8_t { avro_json, avro_binary, classic };

struct JobHistoryFile {
  ApplicationId job;
  JobHistoryFormat format = JobHistoryFormat::avro_json;
  std::string folder;
  std::string user;
  std::string job_name;
  std::int64_t submit_time = 0;                                 // milliseconds since 1970
  std::vector<std::pair<std::string, std::string>> settings{};  // content of job_<start>_<number>_conf.xml
};

struct JobHistoryContent {
  std::vector<history::Event> events;
  JobHistoryFormat format = JobHistoryFormat::avro_json;
  std::size_t whole_bytes = 0;  // end of the last whole event; a torn event behind it is not counted as a fault
  std::string fault;            // where and why reading ended before the end; empty if it did not
};

class JobHistory {
public:
  virtual ~JobHistory() = default;
  /// Creates the file, or empties it, and writes the settings file. Returns the path of the settings file.
  [[nodiscard]] virtual Result<std::string> begin(const JobHistoryFile& file) = 0;
  /// For a later application attempt: reads the file of the earlier attempts, removes what follows the last whole
  /// event, and continues behind it. Without such a file this is begin(). An earlier attempt that still runs does not
  /// write to this file any more.
  [[nodiscard]] virtual Result<JobHistoryContent> resume(const JobHistoryFile& file) = 0;
  /// Adds events. They are handed to the kernel in one write as soon as one of them ends a task or the job. After an
  /// error the history of the job has ended: later calls for this job do nothing.
  [[nodiscard]] virtual Result<Done> append(const ApplicationId& job, const std::vector<history::Event>& events) = 0;
  /// Returns when all events of the job are on the disk.
  [[nodiscard]] virtual Result<Done> sync(const ApplicationId& job) = 0;
  [[nodiscard]] virtual Result<Done> close(const ApplicationId& job) = 0;
  /// Reads a file in any of the formats.
  [[nodiscard]] virtual Result<JobHistoryContent> read(const std::string& path) const = 0;
};

}  // namespace heddle::ports
