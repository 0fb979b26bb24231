#include "interop/hdfs/lease_renewer.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace heddle::interop::hdfs {

LeaseRenewer::LeaseRenewer(std::shared_ptr<NameNode> name_node, std::string client_name, Periods periods)
    : name_node_{std::move(name_node)}, client_name_{std::move(client_name)}, periods_{periods} {}

LeaseRenewer::~LeaseRenewer() {
  {
    const std::lock_guard lock{mutex_};
    is_closed_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LeaseRenewer::add(OpenPipeline& file) {
  {
    const std::lock_guard lock{mutex_};
    // The start of a thread may throw: the constructor of the file fails then, and nothing removes the file.
    if (!thread_.joinable()) thread_ = std::thread{[this] { run(); }};
    files_.insert(&file);
  }
  changed_.notify_all();
}

void LeaseRenewer::remove(OpenPipeline& file) {
  const std::lock_guard lock{mutex_};
  files_.erase(&file);
}

void LeaseRenewer::run() {
  using Clock = std::chrono::steady_clock;
  std::unique_lock lock{mutex_};
  while (!is_closed_) {
    changed_.wait(lock, [this] { return is_closed_ || !files_.empty(); });
    auto lease_due = Clock::now() + std::chrono::milliseconds{periods_.lease_ms};
    while (!is_closed_ && !files_.empty()) {
      const auto due = std::min(lease_due, Clock::now() + std::chrono::milliseconds{periods_.pipelines_ms});
      changed_.wait_until(lock, due, [this] { return is_closed_; });
      if (is_closed_) return;
      for (auto* file : files_) file->send_heartbeat();
      if (files_.empty() || Clock::now() < lease_due) continue;
      // A NameNode that does not answer gets the request again in the next round; the lease lasts for 20 minutes.
      name_node_->renew_lease(client_name_);
      lease_due = Clock::now() + std::chrono::milliseconds{periods_.lease_ms};
    }
  }
}

}  // namespace heddle::interop::hdfs
