// Why an application has no container under the fair rules, and what would change that: the tests of an offer, asked
// one by one. Cost: the application's pending priorities, and all nodes where a kind beside memory and cores is
// missing.
#pragma once

#include <optional>

#include "policies/cluster/fair/fair_books.hpp"

namespace heddle::policies {

/// `next_update`: when demands are computed again.
[[nodiscard]] ResourceExplanation explain(const FairBooks& books, ApplicationId application,
                                          std::optional<Instant> next_update);

}  // namespace heddle::policies
