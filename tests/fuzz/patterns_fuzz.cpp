// Glob patterns (first line) with a name (the rest); arguments of streaming commands; lists of input paths.
#include "apps/cli/streaming_job.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "work/files/glob.hpp"
#include "work/records/input_listing.hpp"

HEDDLE_FUZZ_TARGET(patterns) {
  using namespace heddle;
  const auto pattern = input.substr(0, input.find('\n'));
  const auto name = input.substr(std::min(pattern.size() + 1, input.size()));
  static_cast<void>(work::matches_glob(pattern.substr(0, 1000), name.substr(0, 1000)));
  if (const auto expanded = work::expand_braces(pattern); expanded && !work::is_glob(pattern))
    HEDDLE_ASSERT(expanded->size() == 1 && expanded->front() == pattern, pattern);
  for (const auto& path : work::split_input_paths(input)) HEDDLE_ASSERT(!path.empty(), input);
  if (const auto words = apps::split_streaming_command(input))
    for (const auto& word : *words) HEDDLE_ASSERT(word.size() <= input.size(), input);
}
