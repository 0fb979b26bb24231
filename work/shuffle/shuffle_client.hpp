// Fetches map outputs: from files where the place is the own node, otherwise over TCP from the node's shuffle server.
// Servers are asked in parallel, for many maps at a time; bytes in flight are bounded. A lost or silent server, a
// refused request or a missing file is a FetchFailure that names the map and its place; want of descriptors or disk
// here is none of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/ids.hpp"
#include "ports/shuffle_fetch.hpp"

namespace heddle::work {

class ShuffleConnections;

struct ShuffleClientSettings {
  ApplicationId application;
  std::string token;            // 32 hexadecimal digits
  bool use_local_files = true;  // false: over the network, also from the own node
  NodeId node;                  // the own one, and its epoch: only its files are read in place
  Epoch node_epoch;
  std::int64_t first_shuffle = 0;               // as the writers of the same Driver
  std::int64_t bytes_in_flight_max = 48 << 20;  // of one fetch; a single larger segment is fetched alone
  std::int32_t servers_at_once = 5;
  std::int32_t maps_per_request = 64;
  std::int64_t connect_timeout_ms = 10'000;
  std::int64_t read_timeout_ms = 60'000;  // without a byte
  std::int32_t retries = 3;  // of a connection that broke; a server that refuses or is silent is not asked again
  std::int64_t retry_wait_ms = 1'000;
  std::string scratch_directory;  // segments longer than bytes_in_flight_max go here; empty: into memory
};

/// One client serves all slots of an executor; idle connections are kept for the next fetch.
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
