// Fair shares that are computed when they are read, and again only where something changed.
// A group is one parent's children; a tree hands each group's shares down to the next. Equal to compute_fair_shares
// from scratch. Cost: a change is constant; a read is one group per level above whose input or total changed since it
// was last read.
#pragma once

#include <optional>

#include "policies/cluster/fair/fair_share.hpp"

namespace heddle::policies {

/// The children of one parent.
class FairShareGroup {
public:
  explicit FairShareGroup(ShareKind kind = ShareKind::instantaneous) : kind_{kind} {}

  void resize(std::size_t children);
  [[nodiscard]] std::size_t size() const { return inputs_.size(); }
  void set(std::size_t child, const ShareInput& input);
  /// What each child gets of `total`.
  [[nodiscard]] const std::vector<std::int64_t>& shares(std::int64_t total);

private:
  ShareKind kind_;
  std::vector<ShareInput> inputs_;
  std::vector<std::int64_t> shares_;
  std::optional<std::int64_t> total_;  // of `shares_`; empty: an input changed since
};

/// One resource type of a whole tree of queues, numbered in the order in which they are added; the first is the root.
class FairShareTree {
public:
  explicit FairShareTree(ShareKind kind) : kind_{kind} {}

  std::int32_t add(std::int32_t parent, const ShareInput& input);
  void set(std::int32_t queue, const ShareInput& input);
  void set_total(std::int64_t total) { total_ = total; }
  [[nodiscard]] std::int64_t share(std::int32_t queue);

private:
  struct Node {
    std::int32_t parent = -1;
    std::size_t at = 0;  // among the parent's children
    FairShareGroup children;
  };
  ShareKind kind_;
  std::vector<Node> nodes_;
  std::int64_t total_ = 0;
};

}  // namespace heddle::policies
