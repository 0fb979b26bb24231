#include "apps/session/framework_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/session/cluster_processes.hpp"
#include "apps/session/resource_validation.hpp"
#include "apps/session/topology_hosts.hpp"
#include "policies/job_tracker/job_work.hpp"

namespace heddle::apps {
namespace {

Result<Done> check_slots(const JobGraph& graph, const SessionOptions& options) {
  TrackerSlots all;
  for (const auto& host : cluster_hosts(options)) {
    const auto slots = slots_of(host, options.settings);
    all.maps += slots.maps;
    all.reduces += slots.reduces;
  }
  const bool has_reduces = std::any_of(graph.stages.begin(), graph.stages.end(),
                                       [](const auto& stage) { return stage.shuffle.has_value(); });
  if (all.maps > 0 && (all.reduces > 0 || !has_reduces)) return Done{};
  const auto* kind = all.maps > 0 ? "reduce" : "map";
  return Error{Errc::refused, fmt::format("job '{}' has {}s, but no TaskTracker has a {} slot; set {}_slots of a host",
                                          graph.name, kind, kind, kind)};
}

/// Frameworks other than the Driver run one map stage, and one reduce stage after it.
Result<Done> check_shape(const JobGraph& graph, const SessionOptions& options) {
  const auto work =
      policies::JobWork::make(JobId{}, ApplicationId{}, {graph, {}}, config::to_string(options.framework));
  return work ? Result<Done>{Done{}} : Result<Done>{work.error()};
}

}  // namespace

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
  const auto forms = config::to_string(config::usable_masters(options.framework, !options.topology.hosts.empty()));
  if (options.master.kind == config::MasterKind::yarn)
    return Error{Errc::usage, fmt::format("--framework {} does not run on Hadoop: use --master {}, or --framework "
                                          "driver with --master yarn",
                                          config::to_string(options.framework), forms)};
  if (options.master.kind != config::MasterKind::local_cluster)
    return Error{Errc::usage, fmt::format("--framework {} needs a local cluster: use --master {}, or no --master",
                                          config::to_string(options.framework), forms)};
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

Result<Done> check_job(const JobGraph& graph, const SessionOptions& options) {
  if (options.framework == config::Framework::driver) return Done{};
  if (auto fits = check_shape(graph, options); !fits) return fits;
  switch (options.framework) {
    case config::Framework::driver: break;
    case config::Framework::classic: return check_slots(graph, options);
    case config::Framework::yarn: return check_task_containers(graph, options);
  }
  return Done{};
}

}  // namespace heddle::apps
