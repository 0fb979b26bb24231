// A Hadoop Streaming job as a graph of one or two stages (ST-12). After Hadoop 3.4.2's StreamJob, as recorded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/job_graph.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// The options by their meaning; class names as written.
struct StreamingRequest {
  std::vector<std::string> inputs;
  std::string output;
  std::string mapper;
  std::string combiner;
  std::string reducer;
  std::optional<std::int32_t> reduce_tasks;
  std::vector<std::string> files;
  std::vector<std::pair<std::string, std::string>> command_environment;
  std::string input_format;
  std::string output_format;
  std::string partitioner;
  std::string input_reader;
  std::string io;
  bool lazy_output = false;
  std::map<std::string, std::string, std::less<>> configuration;  // by present names of Hadoop's
};

struct StreamingJob {
  JobGraph graph;
  std::vector<std::string> notices;                           // a sentence for each key of Hadoop's that nothing reads
  std::vector<std::pair<std::string, std::string>> settings;  // of heddle's, that keys of Hadoop's stand for
};

/// The job, or what heddle refuses by name. Shipped files must exist; inputs and output are not looked at.
Result<StreamingJob> make_streaming_job(const StreamingRequest& request);

/// Words of a command: split at blanks, '…' and "…" keep them, no escapes (ST-2). A usage error with its place for a
/// quote that is not closed.
[[nodiscard]] Result<std::vector<std::string>> split_streaming_command(std::string_view command);

/// Paths of one -input: split at commas outside of braces.
[[nodiscard]] std::vector<std::string> split_input_paths(std::string_view paths);

/// The present name of a key of Hadoop 1's.
[[nodiscard]] std::string present_hadoop_name(std::string_view key);

}  // namespace heddle::apps
