// What the verbs do: from parsed words to a session, its jobs, and an exit code.
#pragma once

#include "apps/cli/options.hpp"

namespace heddle::apps {

/// The whole program but its role processes.
[[nodiscard]] int run_command_line(int argc, char** argv);

/// `run`: a job file, or one command as tasks.
[[nodiscard]] int run_verb(const RunOptions& options);
/// `mapreduce`: Hadoop Streaming's words, Hadoop Streaming's exit codes.
[[nodiscard]] int map_reduce_verb(const MapReduceOptions& options);

}  // namespace heddle::apps
