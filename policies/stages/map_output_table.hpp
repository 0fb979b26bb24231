// Where the output of each map task lies, per shuffle, and the epoch that tells readers that something was lost.
// Removing by executor or host touches only outputs that were registered there. Sizes are optional and kept as Spark's
// codes. Source: Spark's MapOutputTrackerMaster (spec MOT-1 to MOT-5).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "policies/tasks/types/preferred_location.hpp"

namespace heddle::policies {

/// Who wrote a map output and where it lies. `executor` names the writer even where a service of the host serves the
/// file.
struct MapStatusLocation {
  ExecutorId executor;
  HostId host;
  constexpr MapStatusLocation() = default;
  constexpr MapStatusLocation(ExecutorId writer, HostId on_host) : executor{writer}, host{on_host} {}
  [[nodiscard]] constexpr bool is_none() const { return executor.is_none(); }
  auto operator<=>(const MapStatusLocation&) const = default;
};

/// 8-bit code of a size, base 1.1, rounded up; 0 only for 0 (MOT-5).
[[nodiscard]] std::uint8_t encode_output_size(std::int64_t bytes);
/// The size that a code stands for.
[[nodiscard]] std::int64_t decode_output_size(std::uint8_t code);

/// The map outputs of all shuffles. Cost: registering and unregistering constant, removing in proportion to what lay
/// there.
class MapOutputTable {
public:
  /// A shuffle of `maps` map tasks and `reduces` reduce tasks. Does nothing for a shuffle that is known.
  void add_shuffle(ShuffleId shuffle, std::int32_t maps, std::int32_t reduces);
  /// Forgets a shuffle with all its outputs.
  void remove_shuffle(ShuffleId shuffle);
  /// Puts an output at a place, in place of an earlier one. `sizes`: bytes per reduce, or empty for unknown.
  void add_output(ShuffleId shuffle, std::int32_t map, MapStatusLocation place,
                  std::span<const std::int64_t> sizes = {});
  /// Takes an output away if it is still at `place`. The epoch rises in any case.
  void remove_output(ShuffleId shuffle, std::int32_t map, MapStatusLocation place);
  /// A copy of the output stands at `to` now. True if the output was still known at `from`, or had been taken away
  /// there and has no other place since (MOT-3): then it is known at `to`, with its sizes as far as they are known. The
  /// epoch stays.
  bool move_output(ShuffleId shuffle, std::int32_t map, MapStatusLocation from, MapStatusLocation to);
  /// Takes all outputs of one shuffle away for good; the epoch rises.
  void remove_outputs_of_shuffle(ShuffleId shuffle);
  /// Takes all outputs of an executor, or of a host, away; the epoch rises.
  void remove_outputs_on_executor(ExecutorId executor);
  void remove_outputs_on_host(HostId host);
  void raise_epoch() { ++epoch_; }

  [[nodiscard]] std::int64_t epoch() const { return epoch_; }
  [[nodiscard]] bool has_shuffle(ShuffleId shuffle) const { return shuffles_.contains(shuffle); }
  [[nodiscard]] std::int32_t maps(ShuffleId shuffle) const;
  [[nodiscard]] std::int32_t reduces(ShuffleId shuffle) const;
  /// How many maps have an output.
  [[nodiscard]] std::int32_t available(ShuffleId shuffle) const;
  [[nodiscard]] bool is_complete(ShuffleId shuffle) const { return available(shuffle) == maps(shuffle); }
  /// The place of one output; none if it is missing.
  [[nodiscard]] MapStatusLocation place(ShuffleId shuffle, std::int32_t map) const;
  /// The maps without an output, ascending, as ranges.
  [[nodiscard]] std::vector<IndexRange> missing(ShuffleId shuffle) const;
  /// Shuffles in ascending order.
  [[nodiscard]] std::vector<ShuffleId> shuffles() const;
  /// `by_host`: what a host holds is summed over its writers.
  /// Hosts whose single writers hold at least `fraction` of what `reduce` reads, each once, in order of the writers'
  /// first map (MOT-4). `by_host`: a host counts with what all its writers hold.
  [[nodiscard]] std::vector<HostId> largest_hosts(ShuffleId shuffle, std::int32_t reduce, double fraction,
                                                  bool by_host = false) const;

  /// The bytes that each reduce task reads, as far as their codes tell. Empty: an output or its sizes are missing, or
  /// the shuffle has so many (above 4 million codes) that counting would hold up what waits. Cost: maps times reduces.
  [[nodiscard]] std::vector<std::int64_t> bytes_per_reduce(ShuffleId shuffle) const;

  void check_invariants() const;

private:
  using PlaceIndex = std::uint32_t;
  static constexpr PlaceIndex no_place = UINT32_MAX;

  /// What lies at one place of one shuffle. `maps` may hold maps that have moved since.
  struct PlaceMaps {
    std::vector<std::int32_t> maps;
    std::int32_t count = 0;
  };
  struct Shuffle {
    std::int32_t reduces = 0;
    std::int32_t available = 0;
    std::vector<PlaceIndex> place_of_map;
    std::map<PlaceIndex, PlaceMaps> maps_at;
    std::map<std::int32_t, PlaceIndex> taken_away;  // maps without an output, and where the last one was
    std::vector<std::vector<std::uint8_t>> sizes;   // empty, or codes per map
  };

  PlaceIndex intern(MapStatusLocation place);
  static void put_at(Shuffle& shuffle, std::int32_t map, PlaceIndex where);
  void clear_slot(Shuffle& shuffle, std::int32_t map);
  void remove_at(PlaceIndex place);

  std::int64_t epoch_ = 0;
  std::map<ShuffleId, Shuffle> shuffles_;
  std::vector<MapStatusLocation> places_;
  std::map<MapStatusLocation, PlaceIndex> index_of_place_;
  std::map<HostId, std::vector<PlaceIndex>> places_on_host_;
};

}  // namespace heddle::policies
