// DataNodes in memory, each with a port of its own, that follow the block transfer protocol or break it on request.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "interop/hadoop/proto/hdfs.pb.h"

namespace heddle::tests {

/// Replicas of all DataNodes of a test, so that a pipeline needs no connections between them.
class FakeReplicas {
public:
  void put(const std::string& uuid, std::uint64_t block, std::string bytes);
  [[nodiscard]] std::string get(const std::string& uuid, std::uint64_t block) const;
  [[nodiscard]] bool has(const std::string& uuid, std::uint64_t block) const;

private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::uint64_t>, std::string> replicas_;
};

enum class DataNodeFault : std::uint8_t {
  none,
  closes,         // each connection at once
  is_silent,      // takes requests and answers nothing
  refuses,        // answers ERROR
  token_expired,  // answers ERROR_ACCESS_TOKEN
  garbage,        // answers with bytes that are no message
  drops,          // closes after two packets, read or written
  stalls,         // is silent after two packets
  omits_kind,     // answers without the kind of checksums, and sends none
  corrupts,       // one byte of each packet behind the first
  misnumbers,     // sends packet 7 instead of packet 1
  oversizes,      // announces a packet of 1 GiB
  ends_early,     // the last packet comes after two packets
  acks_nothing,   // of a written block
  acks_errors,    // ERROR instead of SUCCESS
  acks_ahead,     // packets that it did not get
  bad_link,       // refuses a pipeline because of its last DataNode
};

class FakeDataNode {
public:
  FakeDataNode(std::string uuid, FakeReplicas& replicas);
  ~FakeDataNode();
  FakeDataNode(const FakeDataNode&) = delete;
  FakeDataNode& operator=(const FakeDataNode&) = delete;

  [[nodiscard]] interop::proto::DatanodeInfo info() const;
  [[nodiscard]] std::string address() const;
  /// The next `times` operations have this fault.
  void set_fault(DataNodeFault fault, int times = 1'000'000);

  [[nodiscard]] int connections() const { return connections_; }
  [[nodiscard]] int operations() const { return operations_; }
  [[nodiscard]] int checksums_confirmed() const { return checksums_confirmed_; }
  [[nodiscard]] int heartbeats() const { return heartbeats_; }
  [[nodiscard]] int synced_blocks() const { return synced_blocks_; }
  /// Packets of written blocks with a wrong checksum, number, or offset.
  [[nodiscard]] int wrong_packets() const { return wrong_packets_; }

private:
  struct Connection {
    int socket = -1;
    std::thread thread;
  };
  class Conversation;

  void accept_all();
  [[nodiscard]] DataNodeFault next_fault();

  std::string uuid_;
  FakeReplicas& replicas_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::list<Connection> open_;
  bool is_closed_ = false;
  DataNodeFault fault_ = DataNodeFault::none;
  int faults_left_ = 0;
  std::atomic<int> connections_{0};
  std::atomic<int> operations_{0};
  std::atomic<int> checksums_confirmed_{0};
  std::atomic<int> heartbeats_{0};
  std::atomic<int> synced_blocks_{0};
  std::atomic<int> wrong_packets_{0};
  std::thread thread_;
};

}  // namespace heddle::tests
