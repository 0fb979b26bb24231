#include "interop/hdfs/data_nodes.hpp"

#include <algorithm>
#include <utility>

namespace heddle::interop::hdfs {
namespace {

std::string with_port(const std::string& host, std::uint32_t port) { return host + ':' + std::to_string(port); }

}  // namespace

std::string DataNodes::address(const DataNode& node) const {
  return with_port(uses_host_names_ ? node.host_name : node.ip_address, node.transfer_port);
}

const DataNode* DataNodes::find(const std::vector<DataNode>& nodes, const std::string& address) {
  for (const auto& node : nodes)
    if (with_port(node.ip_address, node.transfer_port) == address ||
        with_port(node.host_name, node.transfer_port) == address)
      return &node;
  return nullptr;
}

std::vector<std::string> DataNodes::candidates(const LocatedBlock& block) const {
  std::vector<std::string> addresses;
  addresses.reserve(block.locations.size());
  for (const auto& node : block.locations) addresses.push_back(address(node));
  const std::lock_guard lock{mutex_};
  if (bad_.empty()) return addresses;
  const auto now = Clock::now();
  std::stable_partition(addresses.begin(), addresses.end(), [&](const std::string& one) {
    const auto at = bad_.find(one);
    return at == bad_.end() || at->second <= now;
  });
  return addresses;
}

void DataNodes::mark_bad(const std::string& address) {
  const std::lock_guard lock{mutex_};
  bad_[address] = Clock::now() + fault_memory;
}

void DataNodes::mark_good(const std::string& address) {
  const std::lock_guard lock{mutex_};
  if (!bad_.empty()) bad_.erase(address);
}

std::optional<DataNodeConnection> DataNodes::take_idle(const std::string& address) {
  std::vector<Idle> closed;  // outside of the lock
  const std::lock_guard lock{mutex_};
  const auto limit = Clock::now() - std::chrono::milliseconds{limits_.idle_ms};
  const auto fresh = std::find_if(idle_.begin(), idle_.end(), [&](const Idle& idle) { return idle.since > limit; });
  std::move(idle_.begin(), fresh, std::back_inserter(closed));
  idle_.erase(idle_.begin(), fresh);
  for (auto idle = idle_.begin(); idle != idle_.end();) {
    if (idle->connection.address() != address) {
      ++idle;
      continue;
    }
    auto connection = std::move(idle->connection);
    idle = idle_.erase(idle);
    if (connection.is_quiet()) return connection;
  }
  return std::nullopt;
}

void DataNodes::keep(DataNodeConnection connection) {
  std::optional<Idle> closed;
  const std::lock_guard lock{mutex_};
  if (idle_.size() >= idle_max) {
    closed.emplace(std::move(idle_.front()));
    idle_.erase(idle_.begin());
  }
  idle_.push_back({std::move(connection), Clock::now()});
}

}  // namespace heddle::interop::hdfs
