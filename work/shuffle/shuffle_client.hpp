// Fetches map outputs: from local files if they are on this node, otherwise over TLS from the node's shuffle server.
// Requests to several servers run in parallel, with many maps each; bytes in flight are limited. A lost or silent
// server, a refused request or a missing file gives a FetchFailure with the map and its location. A lack of descriptors
// or disk space on this node is not a FetchFailure of the map.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "model/ids.hpp"
#include "ports/shuffle_fetch.hpp"

namespace heddle::work {

class ShuffleConnections;

struct ShuffleClientSettings {
  ApplicationId application;
  std::string token;            // 32 hexadecimal digits
  bool use_local_files = true;  // false: fetch over TCP also from this node
  NodeId node;                  // this node and its epoch: only its files are read directly
  Epoch node_epoch;
  std::int64_t first_shuffle = 0;               // equal to the value of this Driver's writers
  std::int64_t bytes_in_flight_max = 48 << 20;  // per fetch; a larger segment is fetched alone
  std::int32_t servers_at_once = 5;
  std::int32_t maps_per_request = 64;
  std::optional<std::uint64_t> order_seed;  // servers are asked in a random order; without: by location
  std::int64_t connect_timeout_ms = 10'000;
  std::int64_t read_timeout_ms = 60'000;  // without received bytes
  // of a broken connection or handshake until the next segment; none if a server refuses or is silent
  std::int32_t retries = 3;
  std::int64_t retry_wait_ms = 1'000;
  std::string scratch_directory;  // folder for segments longer than bytes_in_flight_max; empty: keep them in memory
};

/// Shared by all task slots of an executor; keeps idle connections for the next fetch.
class ShuffleClient final : public ports::ShuffleFetch {
public:
  explicit ShuffleClient(ShuffleClientSettings settings);
  ~ShuffleClient() override;
  ShuffleClient(const ShuffleClient&) = delete;
  ShuffleClient& operator=(const ShuffleClient&) = delete;

  bool fetch(const ports::FetchRequest& request, const std::function<bool(ports::FetchedSegment)>& on_segment,
             ports::FetchFailure& failure) override;

private:
  ShuffleClientSettings settings_;
  std::unique_ptr<ShuffleConnections> connections_;
};

}  // namespace heddle::work
