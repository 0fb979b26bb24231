// Records of a cluster's applications, with their asks and containers, by row, id and number. Cost: constant per
// look-up by the current attempt; adding or removing an application is logarithmic in their number.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "model/ids.hpp"
#include "model/time.hpp"
#include "policies/cluster/memory_and_cores.hpp"
#include "policies/cluster/node_table.hpp"
#include "policies/cluster/pending_requests.hpp"
#include "policies/cluster/resource_events.hpp"
#include "policies/cluster/row_index.hpp"
#include "policies/tables/gap_list.hpp"
#include "policies/tables/name_table.hpp"

namespace heddle::policies {

/// A container that was allocated and not fetched by its application yet. The entries that it decreased return if it
/// ends before. Short, since nodes get many containers before the applications fetch them.
struct UnfetchedContainer {
  RowIndex container = no_row;
  std::uint32_t first_used = 0;  // in the application's list
  std::uint32_t end_used = 0;
  NodeId node;
};

struct UnfetchedContainers {
  std::vector<UnfetchedContainer> list;  // in the order of allocation
  std::vector<AskEntry> used;            // entries that these decreased; cleared when all are fetched
};

/// The fields that each grant and each end of a container use are first.
struct alignas(64) LedgerApplication {
  std::optional<AttemptId> attempt;
  MemoryAndCores usage;
  RowIndex queue = no_row;
  std::int32_t user = -1;
  std::int32_t priority = 0;
  bool is_present = false;
  bool is_master_running = false;  // the first container of a managed application is allocated
  GapList live;                    // containers, without reservations
  UnfetchedContainers unfetched;
  std::int64_t next_number = 1;
  PendingRequests asks;
  MemoryAndCores reserved;
  std::optional<MemoryAndCores> master;
  OthersId master_others = no_others;
  std::vector<ResourceNameId> excluded;  // sorted
  std::vector<RowIndex> reservations;
  ApplicationId id;
  Instant start;
  std::int64_t arrival = 0;
  MemoryAndCores unbacked_usage;  // part of the usage that is in no container

  /// Prefetch: its demand will be read.
  void fetch_ahead_demand() const {
    fetch_ahead(&usage);
    fetch_ahead(&asks.pending());
  }
  /// Prefetch: containers of the application will end.
  void fetch_ahead_usage() const {
    fetch_ahead(&attempt);
    fetch_ahead(&live);
  }
};

class ApplicationTable {
public:
  /// Adds a record with its id, start and arrival.
  RowIndex add(Instant now, const ApplicationId& id);
  void remove(RowIndex row);
  [[nodiscard]] RowIndex find(const ApplicationId& id) const;
  /// The row, if the id is the application's current attempt; otherwise no_row.
  [[nodiscard]] RowIndex find_attempt(const AttemptId& id) const;
  [[nodiscard]] LedgerApplication& at(RowIndex row) { return applications_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] const LedgerApplication& at(RowIndex row) const { return applications_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] const std::map<ApplicationId, RowIndex>& in_order() const { return slots_; }
  /// Number of applications that were ever added.
  [[nodiscard]] std::int64_t arrivals() const { return next_arrival_; }
  /// Prefetch: the application will be looked up.
  void fetch_ahead_number(const ApplicationId& id) const {
    if (const RowIndex row = by_number_.find(id.number); row != no_row) fetch_ahead(&at(row));
  }

private:
  LargeTable<LedgerApplication> applications_;
  std::vector<RowIndex> free_;
  std::map<ApplicationId, RowIndex> slots_;
  SlotTable by_number_;  // if two ids have one number, the later one
  std::int64_t next_arrival_ = 0;
};

/// True if the application excludes this node.
[[nodiscard]] bool is_excluded(const LedgerApplication& application, const LedgerNode& node);

}  // namespace heddle::policies
