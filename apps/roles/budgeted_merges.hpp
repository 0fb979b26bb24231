// The rules of MapReduce for copied map outputs in memory (ports/merge_rules.hpp), decided by a MergeBudget (SH-6).
#pragma once

#include <cstdint>

#include "ports/merge_rules.hpp"

namespace heddle::apps {

/// `memory`: bytes of the container or slot of a reduce; a job can lower it.
[[nodiscard]] ports::MakeMergeRules budgeted_merges(std::int64_t memory);

}  // namespace heddle::apps
