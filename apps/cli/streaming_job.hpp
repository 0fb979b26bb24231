// Converts Hadoop Streaming options into a job graph of one or two stages (ST-12), as StreamJob of Hadoop 3.4.2 does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/job_graph.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// Option values, before any check; class names are as the user wrote them.
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
  std::map<std::string, std::string, std::less<>> configuration;  // keys have their names of Hadoop 3
  std::set<std::string, std::less<>> keys_of_site;                // of `configuration`: from site files, not options
};

struct StreamingJob {
  JobGraph graph;
  std::vector<std::string> notices;                           // one sentence per Hadoop key that heddle does not read
  std::vector<std::pair<std::string, std::string>> settings;  // heddle settings that Hadoop keys imply
};

/// Returns the job, or a usage error that names the option or value that heddle does not support. Files of -file and
/// -files must exist; input and output paths are not checked.
Result<StreamingJob> make_streaming_job(const StreamingRequest& request);

/// The configuration of the job, and its commands under the keys of Hadoop Streaming. `has_reduces`: it has a reduce
/// stage.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> streaming_properties(const StreamingRequest& request,
                                                                                    bool has_reduces);

/// True for the name of a class instead of a command.
[[nodiscard]] bool is_hadoop_class(std::string_view command);

/// Splits a command at blanks (ST-2). '…' and "…" keep blanks; there are no escapes. Example: `cut -d ' ' -f1` gives
/// four arguments: cut, -d, one blank, -f1. An unclosed quote is a usage error with its position.
[[nodiscard]] Result<std::vector<std::string>> split_streaming_command(std::string_view command);

/// Splits the paths of one -input at commas outside of braces: "a,b{1,2}" gives "a" and "b{1,2}".
[[nodiscard]] std::vector<std::string> split_input_paths(std::string_view paths);

}  // namespace heddle::apps
