// The fair shares of one parent's children, computed when they are read, and again only where an input or the total
// changed. Equal to compute_fair_shares from scratch. Cost: a change is constant; a read after one is that of
// compute_fair_shares.
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

}  // namespace heddle::policies
