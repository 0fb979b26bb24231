// Keeps the files open that one client writes: renews its lease at the NameNode, and the pipelines of writers that have
// no data for a while. Its thread runs while a file is open.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "interop/hdfs/name_node.hpp"

namespace heddle::interop::hdfs {

/// A file whose pipeline needs heartbeats.
class OpenPipeline {
public:
  virtual ~OpenPipeline() = default;
  /// Called on the thread of the renewer. Must not wait.
  virtual void send_heartbeat() = 0;
};

class LeaseRenewer {
public:
  struct Periods {
    std::int64_t lease_ms = 30'000;  // the NameNode lets others take a lease over after 60 s
    std::int64_t pipelines_ms = 5'000;
  };

  LeaseRenewer(std::shared_ptr<NameNode> name_node, std::string client_name, Periods periods);
  ~LeaseRenewer();
  LeaseRenewer(const LeaseRenewer&) = delete;
  LeaseRenewer& operator=(const LeaseRenewer&) = delete;

  /// Throws std::system_error if the thread cannot start; the file is not added then.
  void add(OpenPipeline& file);
  /// After the return the renewer does not use the file any more.
  void remove(OpenPipeline& file);

private:
  void run();

  std::shared_ptr<NameNode> name_node_;
  std::string client_name_;
  Periods periods_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<OpenPipeline*> files_;
  bool is_closed_ = false;
  std::thread thread_;
};

}  // namespace heddle::interop::hdfs
