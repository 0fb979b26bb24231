// Which NodeManagers a role is connected to, by address, and what waits for a connection. No CAF: the role opens the
// connections and keeps the handles.
//
//   none --wait_for--> opening --open--> open          opening, open --drop--> none
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/assert.hpp"

namespace heddle::runtime {

/// `Waiting`: what the role does once the connection is open, such as the start of a container.
template <class Waiting>
class NodeConnections {
public:
  [[nodiscard]] bool is_open(const std::string& address) const {
    const auto row = rows_.find(address);
    return row != rows_.end() && row->second.is_open;
  }
  /// Adds a value that waits for a connection that is not open. True if it is the first: the role opens the connection.
  [[nodiscard]] bool wait_for(const std::string& address, Waiting waiting) {
    Row& row = rows_[address];
    HEDDLE_ASSERT(!row.is_open, "nothing waits for an open connection");
    row.waiting.push_back(std::move(waiting));
    return row.waiting.size() == 1;
  }
  /// The connection is open. Returns what waited for it, in the order of addition.
  [[nodiscard]] std::vector<Waiting> open(const std::string& address) {
    Row& row = rows_[address];
    row.is_open = true;
    return std::exchange(row.waiting, {});
  }
  /// The node is unreachable, or its connection broke. Returns what waited for it, in the order of addition.
  std::vector<Waiting> drop(const std::string& address) {
    const auto row = rows_.find(address);
    if (row == rows_.end()) return {};
    std::vector<Waiting> waiting = std::move(row->second.waiting);
    rows_.erase(row);
    return waiting;
  }

private:
  struct Row {
    bool is_open = false;
    std::vector<Waiting> waiting;
  };
  std::map<std::string, Row> rows_;
};

}  // namespace heddle::runtime
