// Why an application has no container under the capacity rules, and what would change that.
// Cost: the depth of the tree and the application's pending priorities.
#pragma once

#include "policies/cluster/capacity/capacity_admission.hpp"

namespace heddle::policies {

[[nodiscard]] ResourceExplanation explain(const CapacityBooks& books, const CapacityAdmission& admission,
                                          ApplicationId application);

}  // namespace heddle::policies
