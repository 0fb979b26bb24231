// The place of each map output, per shuffle, and an epoch that rises when outputs are lost. The loss of an executor or
// host visits only the outputs registered there. Sizes are optional, kept as Spark's 8-bit codes.
// Source: Spark's MapOutputTrackerMaster (spec MOT-1 to MOT-5).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "model/preferred_location.hpp"

namespace heddle::policies {

/// The executor that wrote a map output, and the host with the file. `executor` is the writer even if a shuffle service
/// serves the file.
struct MapStatusLocation {
  ExecutorId executor;
  HostId host;
  constexpr MapStatusLocation() = default;
  constexpr MapStatusLocation(ExecutorId writer, HostId on_host) : executor{writer}, host{on_host} {}
  [[nodiscard]] constexpr bool is_none() const { return executor.is_none(); }
  auto operator<=>(const MapStatusLocation&) const = default;
};

/// 8-bit code of a size in bytes, base 1.1, rounded up; 0 only for 0 (MOT-5).
[[nodiscard]] std::uint8_t encode_output_size(std::int64_t bytes);
/// The size in bytes of a code.
[[nodiscard]] std::int64_t decode_output_size(std::uint8_t code);

/// The map outputs of all shuffles. Cost: adding and removing one is logarithmic in the places, a loss is linear in the
/// outputs there.
class MapOutputTable {
public:
  /// Adds a shuffle of `maps` map tasks and `reduces` reduce tasks. Ignored if it exists.
  void add_shuffle(ShuffleId shuffle, std::int32_t maps, std::int32_t reduces);
  /// Removes a shuffle with all its outputs.
  void remove_shuffle(ShuffleId shuffle);
  /// Registers an output, in place of an earlier one. `sizes`: bytes per reduce task; empty: unknown.
  void add_output(ShuffleId shuffle, std::int32_t map, MapStatusLocation place,
                  std::span<const std::int64_t> sizes = {});
  /// Removes an output if it is still at `place`. Raises the epoch in any case.
  void remove_output(ShuffleId shuffle, std::int32_t map, MapStatusLocation place);
  /// Registers an output at `to`, with its sizes as far as they are known. Returns false, and does nothing, unless the
  /// output is at `from`, or was removed there and not registered elsewhere since (MOT-3). Keeps the epoch.
  bool move_output(ShuffleId shuffle, std::int32_t map, MapStatusLocation from, MapStatusLocation to);
  /// Removes all outputs of a shuffle; move_output cannot bring them back. Raises the epoch.
  void remove_outputs_of_shuffle(ShuffleId shuffle);
  /// Removes all outputs of an executor, or of a host. Raises the epoch.
  void remove_outputs_on_executor(ExecutorId executor);
  void remove_outputs_on_host(HostId host);
  void raise_epoch() { ++epoch_; }

  [[nodiscard]] std::int64_t epoch() const { return epoch_; }
  [[nodiscard]] bool has_shuffle(ShuffleId shuffle) const { return shuffles_.contains(shuffle); }
  [[nodiscard]] std::int32_t maps(ShuffleId shuffle) const;
  [[nodiscard]] std::int32_t reduces(ShuffleId shuffle) const;
  /// Number of maps with an output.
  [[nodiscard]] std::int32_t available(ShuffleId shuffle) const;
  [[nodiscard]] bool is_complete(ShuffleId shuffle) const { return available(shuffle) == maps(shuffle); }
  /// Location of one output; none if it is missing.
  [[nodiscard]] MapStatusLocation place(ShuffleId shuffle, std::int32_t map) const;
  /// Maps without an output, ascending, as ranges.
  [[nodiscard]] std::vector<IndexRange> missing(ShuffleId shuffle) const;
  /// Shuffles in ascending order.
  [[nodiscard]] std::vector<ShuffleId> shuffles() const;
  /// Hosts on which one executor wrote at least `fraction` of what `reduce` reads, each once, in order of the
  /// executors' first map (MOT-4). `by_host`: the executors of a host are summed.
  [[nodiscard]] std::vector<HostId> largest_hosts(ShuffleId shuffle, std::int32_t reduce, double fraction,
                                                  bool by_host = false) const;

  /// Bytes that each reduce task reads, decoded from the codes. Empty if an output or its sizes are missing, or if the
  /// shuffle has more than 4 million codes, which take too long to count. Cost: maps times reduces.
  [[nodiscard]] std::vector<std::int64_t> bytes_per_reduce(ShuffleId shuffle) const;

  void check_invariants() const;

private:
  using PlaceIndex = std::uint32_t;
  static constexpr PlaceIndex no_place = UINT32_MAX;

  /// Outputs of one shuffle at one place. `maps` may name outputs that have moved since.
  struct PlaceMaps {
    std::vector<std::int32_t> maps;
    std::int32_t count = 0;
  };
  struct Shuffle {
    std::int32_t reduces = 0;
    std::int32_t available = 0;
    std::vector<PlaceIndex> place_of_map;
    std::map<PlaceIndex, PlaceMaps> maps_at;
    std::map<std::int32_t, PlaceIndex> removed_from;  // maps without an output: the place of the last one
    std::vector<std::vector<std::uint8_t>> sizes;     // empty, or codes per map
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
