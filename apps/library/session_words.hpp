// What a Session takes out of its program's words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/result.hpp"

namespace heddle::apps {

struct SessionWords {
  std::string master;                    // empty: not named
  std::string topology;                  // path; empty: not named
  std::string deploy_mode;               // client or cluster; empty: not named
  std::vector<std::string> assignments;  // of --set, in order
  std::vector<std::string> others;       // the program's own, in order
};

/// `--master M` and `--master=M` alike; after `--` every word is the program's. A usage error for an option without its
/// value.
[[nodiscard]] Result<SessionWords> parse_session_words(std::span<const std::string> words);

}  // namespace heddle::apps
