// Copies one partition of all map outputs of a shuffle for a reduce task, also while maps still run.
//
//   table of locations -> fetch what is wanted and not there -> complete? -> copied
//          ^                        | an output is lost             | no
//          |                        v                               v
//          '---- rules: leave the host alone for a while <--- wait for another table, or for a host
//
// Without rules, an output that is lost ends the copying, unless a later table has another location of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/result.hpp"
#include "ports/copy_rules.hpp"
#include "ports/shuffle_fetch.hpp"
#include "work/tasks/location_tables.hpp"

namespace heddle::work {

/// Why a segment was not accepted.
struct SegmentFault {
  Error error;
  bool is_damaged = false;  // the output has to be copied again; otherwise the task fails
};

struct CopyEnd {
  enum class Kind : std::uint8_t { copied, killed, lost, failed };
  Kind kind = Kind::copied;
  ports::FetchFailure failure{};  // lost: the output and its location; map -1: no table has come
  Error error{};                  // failed
};

class MapOutputCopier {
public:
  using Add = std::function<std::optional<SegmentFault>(ports::FetchedSegment)>;

  struct Request {
    ShuffleId shuffle;
    std::int32_t partition = 0;
    int stop = -1;                      // descriptor that ends a fetch when it is readable
    ports::CopyRules* rules = nullptr;  // null: see above
  };
  /// All arguments must outlive the object. `is_killed`: ends copy(); the thread that sets it wakes `tables` too.
  MapOutputCopier(const Request& request, ports::ShuffleFetch& fetch, LocationTables& tables,
                  const std::atomic<bool>& is_killed, Add add)
      : request_{request}, fetch_{fetch}, tables_{tables}, is_killed_{is_killed}, add_{std::move(add)} {}

  /// Returns when all outputs were added, or cannot be.
  [[nodiscard]] CopyEnd copy();

private:
  using Table = LocationTables::Table;
  using Deadline = LocationTables::Deadline;

  [[nodiscard]] bool has_come(std::size_t map) const { return map < has_come_.size() && has_come_[map]; }
  [[nodiscard]] bool is_complete(const ports::ShuffleLocations& table) const;
  /// The table without what has come and without hosts that are left alone. Forgets the hosts whose wait has ended.
  [[nodiscard]] ports::ShuffleLocations wanted(const ports::ShuffleLocations& table);
  [[nodiscard]] bool fetch_wanted(const ports::ShuffleLocations& table, ports::FetchFailure& failure);
  void on_segment(const ports::ShuffleLocations& table, ports::FetchedSegment segment);
  /// Applies the rules to an output that is lost; returns the end of the task.
  [[nodiscard]] std::optional<CopyEnd> judge(const ports::ShuffleLocations& table, const ports::FetchFailure& failure);
  /// The newest table, if the lost output has another location there, or is expected again; otherwise null.
  [[nodiscard]] Table find_again(const ports::FetchFailure& failure);
  [[nodiscard]] std::optional<Deadline> next_retry() const;

  Request request_;
  ports::ShuffleFetch& fetch_;
  LocationTables& tables_;
  const std::atomic<bool>& is_killed_;
  Add add_;
  std::vector<bool> has_come_;  // by map
  std::optional<SegmentFault> fault_;
  std::int32_t fault_map_ = -1;
  std::map<MapOutputLocation, Deadline> left_alone_;  // until then
};

}  // namespace heddle::work
