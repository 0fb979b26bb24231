// Setup of tests with lost outputs: hosts named by letters, and a job of two stages whose maps have run.
#pragma once

#include <utility>
#include <vector>

#include "tests/policies/stages/stage_script.hpp"

namespace heddle::policies {

inline constexpr std::int32_t a = 0;  // hosts, and the executors on them
inline constexpr std::int32_t b = 1;
inline constexpr std::int32_t c = 2;
inline constexpr std::int32_t d = 3;
inline constexpr std::int32_t missing = -1;

using Names = std::vector<std::pair<std::int64_t, std::int32_t>>;
using Ints = std::vector<std::int32_t>;
using Ids = std::vector<std::int64_t>;

/// Two maps on a and b, then a result stage over `reduces` partitions.
inline StageScript two_stages(std::int32_t reduces = 2, StageSchedulerSettings settings = {}) {
  StageScript script{settings};
  const DatasetId source = script.dataset(2);
  script.submit(script.dataset(reduces, {source}), reduces);
  script.all_ok(0, {a, b});
  return script;
}

}  // namespace heddle::policies
