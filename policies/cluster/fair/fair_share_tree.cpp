// A group is stale if an input changed, or if its parent's share changed, which is its total.
#include "policies/cluster/fair/fair_share_tree.hpp"

namespace heddle::policies {

void FairShareGroup::resize(std::size_t children) {
  if (inputs_.size() == children) return;
  inputs_.resize(children);
  total_.reset();
}

void FairShareGroup::set(std::size_t child, const ShareInput& input) {
  if (inputs_[child] == input) return;
  inputs_[child] = input;
  total_.reset();
}

const std::vector<std::int64_t>& FairShareGroup::shares(std::int64_t total, FairShareSearch& search) {
  if (total_ != total) search.compute(inputs_, total, kind_, shares_);
  total_ = total;
  return shares_;
}

}  // namespace heddle::policies
