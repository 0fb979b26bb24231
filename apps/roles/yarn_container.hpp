// Containers of Hadoop's NodeManagers: the launch spec of their process, and the links of a master to YARN.
#pragma once

#include <memory>

#include "apps/roles/role_runtime.hpp"
#include "interop/hadoop/rpc_thread.hpp"
#include "model/launch_spec.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// The launch spec of this process, from the environment and the token file that its NodeManager made.
[[nodiscard]] Result<LaunchSpec> read_container_spec();

/// True if the ResourceManager of this master is that of Hadoop.
[[nodiscard]] bool is_on_yarn(const LaunchSpec& spec);

/// The links of a master to Hadoop's ResourceManager and NodeManagers; the connector of `world` answers with them.
class YarnMasterLinks {
public:
  /// Must outlive the roles of `world`. Fails without the credentials of the application attempt.
  [[nodiscard]] static Result<std::unique_ptr<YarnMasterLinks>> make(RoleRuntime& world, const LaunchSpec& spec);

private:
  YarnMasterLinks() = default;
  interop::RpcThread thread_;
};

}  // namespace heddle::apps
