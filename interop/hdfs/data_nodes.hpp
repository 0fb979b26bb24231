// What all files of one file system share about DataNodes: their addresses, idle connections, and recent faults.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "interop/hdfs/block.hpp"
#include "interop/hdfs/data_node_connection.hpp"

namespace heddle::interop::hdfs {

class DataNodes {
public:
  static constexpr std::size_t idle_max = 32;              // connections, over all DataNodes
  static constexpr std::chrono::seconds fault_memory{60};  // a DataNode with a fault is used last for so long

  /// `uses_host_names`: connect to names instead of IP addresses (dfs.client.use.datanode.hostname).
  DataNodes(const TransferLimits& limits, bool uses_host_names) : limits_{limits}, uses_host_names_{uses_host_names} {}

  [[nodiscard]] const TransferLimits& limits() const { return limits_; }
  /// "host:port" of block transfer.
  [[nodiscard]] std::string address(const DataNode& node) const;
  /// The DataNode with this address; the address may have its IP address or its name.
  [[nodiscard]] static const DataNode* find(const std::vector<DataNode>& nodes, const std::string& address);

  /// Addresses to try for a block: in order, those with a recent fault last.
  [[nodiscard]] std::vector<std::string> candidates(const LocatedBlock& block) const;
  void mark_bad(const std::string& address);
  void mark_good(const std::string& address);

  /// An idle connection, if there is one.
  [[nodiscard]] std::optional<DataNodeConnection> take_idle(const std::string& address);
  void keep(DataNodeConnection connection);

private:
  using Clock = std::chrono::steady_clock;
  struct Idle {
    DataNodeConnection connection;
    Clock::time_point since;
  };

  TransferLimits limits_;
  bool uses_host_names_;
  mutable std::mutex mutex_;
  std::vector<Idle> idle_;                        // oldest first
  std::map<std::string, Clock::time_point> bad_;  // until when
};

}  // namespace heddle::interop::hdfs
