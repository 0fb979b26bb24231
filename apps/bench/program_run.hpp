// Runs a program to its end and times it: peers, bare programs, and heddle itself where its start counts.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/result.hpp"

namespace heddle::apps {

struct ProgramRun {
  double seconds = 0;  // from the start of the process to its end
  std::string output;  // of its stdout
};

/// stdin is /dev/null, stderr is ours. An exit code other than 0 is an Error.
[[nodiscard]] Result<ProgramRun> run_program(const std::vector<std::string>& arguments,
                                             const std::vector<std::pair<std::string, std::string>>& environment = {});

/// Runs a bare program, which prints lines `name value unit`; the values by name.
[[nodiscard]] Result<std::map<std::string, double>> run_bare(const std::string& program,
                                                             std::vector<std::string> arguments);

}  // namespace heddle::apps
