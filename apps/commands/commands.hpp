// Runs the verbs: from parsed options to a session, its jobs, and an exit code.
#pragma once

#include "apps/cli/options.hpp"
#include "messages/client.hpp"

namespace heddle::apps {

/// Main function of the program, except for role processes.
[[nodiscard]] int run_command_line(int argc, char** argv);

/// `run`: a job file, or one command as tasks.
[[nodiscard]] int run_verb(const RunOptions& options);
/// `mapreduce`: options and exit codes of Hadoop Streaming.
[[nodiscard]] int map_reduce_verb(const MapReduceOptions& options);
/// Exit code of a job that has ended: 0, 1, 5 if the file system of an input or output was unreachable, or 7.
[[nodiscard]] int exit_code_of(const JobFinished& end);

}  // namespace heddle::apps
