// Why the Driver lost an executor.
#pragma once

#include <cstdint>

#include "model/container_end.hpp"

namespace heddle {

/// The kinds up to `decommissioned` are those of Spark (ExecutorLossReason).
enum class LossKind : std::uint8_t {
  exited,        // its container ended
  process_lost,  // the Driver lost its connection, or got no heartbeat in time
  killed,        // on a request of the Driver or of the ApplicationMaster, or by the ResourceManager
  pending,       // the reason is not known yet; its tasks stay as they are until it is
  decommissioned,
  node_lost,    // with the map outputs that the node served
  start_failed  // its process did not start, or did not register in time
};

/// Running tasks of the executor count as failed only if the application caused the loss.
struct LossReason {
  LossKind kind = LossKind::process_lost;
  bool by_application = true;
};

/// The loss of an executor whose container ended.
struct ExecutorLoss {
  LossReason reason = {};
  ContainerEnd end = {};
};

}  // namespace heddle
