// Runs a program and measures its time: peers, bare programs, and heddle itself if its start is measured.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/result.hpp"

namespace heddle::apps {

struct ProgramRun {
  double seconds = 0;  // from the start of the process to its end
  std::string output;  // its stdout
};

/// Runs a program with /dev/null as stdin; it inherits stderr. An exit code other than 0 is an Error.
[[nodiscard]] Result<ProgramRun> run_program(const std::vector<std::string>& arguments,
                                             const std::vector<std::pair<std::string, std::string>>& environment = {});

/// Runs a bare program, which prints lines `name value unit`; returns the values by name.
[[nodiscard]] Result<std::map<std::string, double>> run_bare(const std::string& program,
                                                             std::vector<std::string> arguments);

}  // namespace heddle::apps
