// Granted containers and what runs in them. Invariant: an occupant has one container; a container is in the table from
// its grant until its end has been handled. Cost: logarithmic.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "model/assert.hpp"
#include "model/container.hpp"
#include "model/due_heap.hpp"
#include "model/time.hpp"

namespace heddle::policies {

/// `Occupant`: id of what runs in the container, such as an executor.
template <class Occupant>
struct Grant {
  GrantedContainer container;
  std::optional<Occupant> occupant;          // empty: nothing was started in the container
  std::optional<std::string> killed;         // reason, if the occupant was killed on request
  std::optional<std::string> start_failure;  // reason why the occupant did not start
  bool is_start_answered = true;             // false while StartContainer is unanswered
  /// Set if the allocator stopped the container; replaces the status from the node.
  std::optional<std::int32_t> exit_status;
};

template <class Occupant>
class GrantTable {
public:
  using Row = Grant<Occupant>;

  void add(const GrantedContainer& container) {
    Row row;
    row.container = container;
    rows_.insert_or_assign(container.container, std::move(row));
  }
  void set_occupant(ContainerId container, Occupant occupant) {
    by_occupant_[occupant] = container;
    rows_.at(container).occupant = std::move(occupant);
  }
  void remove(ContainerId container) {
    const auto row = rows_.find(container);
    if (row == rows_.end()) return;
    if (row->second.occupant) by_occupant_.erase(*row->second.occupant);
    starts_.remove(container);
    rows_.erase(row);
  }
  /// The occupant of this container must report its start before `due`.
  void await_start(ContainerId container, Instant due) { starts_.set(container, due); }
  /// The occupant has reported its start, or the start has failed.
  void stop_awaiting(ContainerId container) { starts_.remove(container); }
  [[nodiscard]] bool is_awaiting(ContainerId container) const { return starts_.contains(container); }
  /// Removes and returns one container whose occupant has not reported its start in time.
  [[nodiscard]] std::optional<ContainerId> take_slow_start(Instant now) { return starts_.take_due(now); }
  [[nodiscard]] Row* find(ContainerId container) {
    const auto row = rows_.find(container);
    return row == rows_.end() ? nullptr : &row->second;
  }
  [[nodiscard]] Row* find_occupant(const Occupant& occupant) {
    const auto row = by_occupant_.find(occupant);
    return row == by_occupant_.end() ? nullptr : find(row->second);
  }
  [[nodiscard]] const std::map<ContainerId, Row>& rows() const { return rows_; }

  void check_invariants() const {
    for (const auto& [occupant, container] : by_occupant_) {
      const auto row = rows_.find(container);
      HEDDLE_ASSERT(row != rows_.end() && row->second.occupant == occupant,
                    "the occupant of container " + to_string(container) + " has its own container");
    }
  }

private:
  std::map<ContainerId, Row> rows_;
  std::map<Occupant, ContainerId> by_occupant_;
  DueHeap<ContainerId> starts_;
};

}  // namespace heddle::policies
