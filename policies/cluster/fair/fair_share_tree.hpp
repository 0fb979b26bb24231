// Fair shares of one parent's children, computed when they are read and only if an input or the total changed. Same
// results as compute_fair_shares. Cost: a change is constant; a read after a change is compute_fair_shares.
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
  /// The share of each child in `total`.
  [[nodiscard]] const std::vector<std::int64_t>& shares(std::int64_t total, FairShareSearch& search);

private:
  ShareKind kind_;
  std::vector<ShareInput> inputs_;
  std::vector<std::int64_t> shares_;
  std::optional<std::int64_t> total_;  // total of `shares_`; none: an input changed since
};

}  // namespace heddle::policies
