#include "actors/node_manager/container_table.hpp"

#include <algorithm>

#include "model/assert.hpp"

namespace heddle::actors {
namespace {

/// Per kind; more refused ids than StartContainers can be on their way at the same time.
constexpr std::size_t refusals_max = 65'536;

template <class Id>
void remember(const Id& id, std::set<Id>& known, std::deque<Id>& order) {
  if (!known.insert(id).second) return;
  order.push_back(id);
  if (order.size() <= refusals_max) return;
  known.erase(order.front());
  order.pop_front();
}

}  // namespace

Container& ContainerTable::add(const Container& container) {
  by_process_[container.process] = container.id;
  return containers_.insert_or_assign(container.id, container).first->second;
}

void ContainerTable::remove(ContainerId id) {
  const auto row = containers_.find(id);
  if (row == containers_.end()) return;
  by_process_.erase(row->second.process);
  containers_.erase(row);
}

Container* ContainerTable::find(ContainerId id) {
  const auto row = containers_.find(id);
  return row == containers_.end() ? nullptr : &row->second;
}

Container* ContainerTable::find_process(std::int64_t process) {
  const auto row = by_process_.find(process);
  return row == by_process_.end() ? nullptr : find(row->second);
}

bool ContainerTable::holds_any_of(const ApplicationId& application) const {
  return std::any_of(containers_.begin(), containers_.end(),
                     [&](const auto& row) { return row.second.attempt.application == application; });
}

std::vector<ContainerId> ContainerTable::ids() const {
  std::vector<ContainerId> ids;
  for (const auto& [id, container] : containers_) ids.push_back(id);
  return ids;
}

void ContainerTable::forget_refused() {
  refused_.clear();
  refused_order_.clear();
}

void ContainerTable::refuse(ContainerId id) { remember(id, refused_, refused_order_); }

void ContainerTable::refuse(const ApplicationId& application) {
  remember(application, refused_applications_, refused_applications_order_);
}

void ContainerTable::check_invariants() const {
  for (const auto& [id, container] : containers_) {
    const auto row = by_process_.find(container.process);
    HEDDLE_ASSERT(row != by_process_.end() && row->second == id, "process " + std::to_string(container.process) +
                                                                     " of container " + to_string(id) +
                                                                     " is listed for another container, or not at all");
  }
  HEDDLE_ASSERT(by_process_.size() == containers_.size(), "a process is listed without its container");
}

}  // namespace heddle::actors
