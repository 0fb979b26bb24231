// Fetches map outputs: from files where the place is this machine, otherwise over TCP from the node's shuffle server.
// Servers are asked in parallel, for many maps at a time; bytes in flight are bounded. A lost or silent server, a refused
// request or a missing file is a FetchFailure that names the map and its place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/ids.hpp"
#include "ports/shuffle_fetch.hpp"

namespace heddle::work {

struct ShuffleClientSettings {
  ApplicationId application;
  std::string token;                            // 32 hexadecimal digits
  bool use_local_files = true;                  // false: over the network, also from this machine
  std::int64_t bytes_in_flight_max = 48 << 20;  // of one fetch; a single larger segment is fetched alone
  std::int32_t servers_at_once = 5;
  std::int32_t maps_per_request = 64;
  std::int64_t connect_timeout_ms = 10'000;
  std::int64_t read_timeout_ms = 60'000;  // without a byte
};

/// One client serves all slots of an executor; idle connections are kept for the next fetch.
class ShuffleClient final : public ports::ShuffleFetch {
public:
  explicit ShuffleClient(ShuffleClientSettings settings);
  ~ShuffleClient() override;
  ShuffleClient(const ShuffleClient&) = delete;
  ShuffleClient& operator=(const ShuffleClient&) = delete;

  bool fetch(const ports::ShuffleLocations& locations, std::int32_t partition, const std::function<bool(ports::FetchedSegment)>& on_segment,
             ports::FetchFailure& failure) override;

private:
  class Connections;
  ShuffleClientSettings settings_;
  std::unique_ptr<Connections> connections_;
};

}  // namespace heddle::work
