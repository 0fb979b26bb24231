// Why an application gets no container under the fair rules, and what would change that. Repeats the checks of an
// offer. Cost: the application's pending priorities, and all nodes if another resource type is missing.
#pragma once

#include <optional>

#include "policies/cluster/fair/fair_books.hpp"

namespace heddle::policies {

/// `next_update`: next computation of demands.
[[nodiscard]] ResourceExplanation explain(const FairBooks& books, ApplicationId application,
                                          std::optional<Instant> next_update);

}  // namespace heddle::policies
