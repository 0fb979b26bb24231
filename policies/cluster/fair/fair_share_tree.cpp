// A group is stale when an input changed, and when its parent's share did: the total says so, nothing is handed down
// ahead of a read.
#include "policies/cluster/fair/fair_share_tree.hpp"

#include "model/assert.hpp"

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

const std::vector<std::int64_t>& FairShareGroup::shares(std::int64_t total) {
  if (total_ != total) compute_fair_shares(inputs_, total, kind_, shares_);
  total_ = total;
  return shares_;
}

std::int32_t FairShareTree::add(std::int32_t parent, const ShareInput& input) {
  HEDDLE_ASSERT((parent < 0) == nodes_.empty(), "the first queue is the root, and no other is");
  Node node{parent, 0, FairShareGroup{kind_}};
  if (parent >= 0) {
    FairShareGroup& siblings = nodes_[static_cast<std::size_t>(parent)].children;
    node.at = siblings.size();
    siblings.resize(node.at + 1);
    siblings.set(node.at, input);
  }
  nodes_.push_back(std::move(node));
  return static_cast<std::int32_t>(nodes_.size() - 1);
}

void FairShareTree::set(std::int32_t queue, const ShareInput& input) {
  const Node& node = nodes_[static_cast<std::size_t>(queue)];
  if (node.parent >= 0) nodes_[static_cast<std::size_t>(node.parent)].children.set(node.at, input);
}

std::int64_t FairShareTree::share(std::int32_t queue) {
  const Node& node = nodes_[static_cast<std::size_t>(queue)];
  if (node.parent < 0) return total_;
  const std::int64_t total = share(node.parent);
  return nodes_[static_cast<std::size_t>(node.parent)].children.shares(total)[node.at];
}

}  // namespace heddle::policies
