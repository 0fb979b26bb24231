#include "actors/yarn_allocator/grant_table.hpp"

#include "model/assert.hpp"

namespace heddle::actors {

void GrantTable::add(const GrantedContainer& container) {
  Grant grant;
  grant.container = container;
  grants_.insert_or_assign(container.container, std::move(grant));
}

void GrantTable::set_executor(ContainerId container, ExecutorId executor) {
  grants_.at(container).executor = executor;
  by_executor_[executor] = container;
}

void GrantTable::remove(ContainerId container) {
  const auto row = grants_.find(container);
  if (row == grants_.end()) return;
  by_executor_.erase(row->second.executor);
  starts_.remove(container);
  grants_.erase(row);
}

Grant* GrantTable::find(ContainerId container) {
  const auto row = grants_.find(container);
  return row == grants_.end() ? nullptr : &row->second;
}

Grant* GrantTable::find_executor(ExecutorId executor) {
  const auto row = by_executor_.find(executor);
  return row == by_executor_.end() ? nullptr : find(row->second);
}

std::vector<policies::LaunchExecutor> GrantTable::drop_connection(const std::string& address) {
  const auto row = connections_.find(address);
  if (row == connections_.end()) return {};
  std::vector<policies::LaunchExecutor> waiting = std::move(row->second.waiting);
  connections_.erase(row);
  return waiting;
}

bool GrantTable::is_connected(const std::string& address) const {
  const auto row = connections_.find(address);
  return row != connections_.end() && row->second.is_connected;
}

void GrantTable::check_invariants() const {
  for (const auto& [executor, container] : by_executor_) {
    const auto row = grants_.find(container);
    HEDDLE_ASSERT(row != grants_.end() && row->second.executor == executor,
                  "executor " + to_string(executor) + " has its own container");
  }
}

}  // namespace heddle::actors
