#include "apps/session/framework_choice.hpp"

#include <fmt/format.h>

namespace heddle::apps {

config::MasterUrl default_cluster() {
  config::MasterUrl master;
  master.kind = config::MasterKind::local_cluster;
  master.slots = 0;
  master.tries = 0;
  master.nodes = 2;
  master.cores = 1;
  master.memory_mib = 1024;
  return master;
}

Result<Done> check_framework(const SessionOptions& options, const config::Settings& settings) {
  if (options.framework == config::Framework::driver) return Done{};
  if (options.master.kind != config::MasterKind::local_cluster)
    return Error{Errc::usage,
                 fmt::format("--framework {} needs a local cluster: use --master local-cluster[n,c,m], or no --master",
                             config::to_string(options.framework))};
  if (options.is_cluster_deploy)
    return Error{Errc::usage, fmt::format("--framework {} has no Driver: omit --deploy-mode cluster",
                                          config::to_string(options.framework))};
  if (options.framework == config::Framework::yarn) return Done{};
  const auto queue = settings.effective("heddle.application.queue");
  // A settings file can name a queue for other frameworks: only the command line is an error.
  if (queue.origin == config::Origin::command_line && queue.text != "default")
    return Error{
        Errc::usage,
        fmt::format("queue \"{}\": --framework classic has the queue default only; omit the queue", queue.text)};
  return Done{};
}

}  // namespace heddle::apps
