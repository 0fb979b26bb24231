// The options of a Session on the command line of its program.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/result.hpp"

namespace heddle::apps {

struct SessionWords {
  std::string master;                    // empty: not given
  std::string topology;                  // path; empty: not given
  std::string deploy_mode;               // client or cluster; empty: not given
  std::vector<std::string> assignments;  // KEY=VALUE of --set, in order
  std::vector<std::string> others;       // arguments of the program itself, in order
};

/// Accepts `--master M` and `--master=M`. `--` and all arguments after it go to `others`. An option without its value
/// is a usage error.
[[nodiscard]] Result<SessionWords> parse_session_words(std::span<const std::string> words);

}  // namespace heddle::apps
