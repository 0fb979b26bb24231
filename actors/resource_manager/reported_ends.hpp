// Container ends that nodes have reported and the scheduler has not seen yet. The containers are still in all tables.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "messages/resource_manager.hpp"

namespace heddle::actors {

class ReportedEnds {
public:
  void add(CompletedContainer end, NodeId node, const ApplicationId& application) {
    ends_.push_back(std::move(end));
    owners_.push_back({node, application});
  }
  /// Removes and returns all ends, in the order of the reports.
  [[nodiscard]] std::vector<CompletedContainer> take() {
    owners_.clear();
    return std::exchange(ends_, {});
  }
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] bool has(ContainerId container) const {
    return std::any_of(ends_.begin(), ends_.end(),
                       [&](const CompletedContainer& each) { return each.container == container; });
  }
  [[nodiscard]] bool has_of(NodeId node) const {
    return std::any_of(owners_.begin(), owners_.end(), [&](const Owner& each) { return each.node == node; });
  }
  [[nodiscard]] bool has_of(const ApplicationId& application) const {
    return std::any_of(owners_.begin(), owners_.end(),
                       [&](const Owner& each) { return each.application == application; });
  }

private:
  struct Owner {
    NodeId node;
    ApplicationId application;
  };
  std::vector<CompletedContainer> ends_;
  std::vector<Owner> owners_;  // owner of the end at the same index of ends_
};

}  // namespace heddle::actors
