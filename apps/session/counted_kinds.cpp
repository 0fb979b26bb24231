#include "apps/session/counted_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "apps/session/topology_hosts.hpp"
#include "config/table/container_resources.hpp"
#include "config/text/did_you_mean.hpp"
#include "model/resources.hpp"

namespace heddle::apps {
namespace {

constexpr std::string_view kinds_key = "heddle.resource_manager.resource_kinds";

void warn_of(const config::Settings& settings, const std::vector<ResourceAmount>& named, std::string_view what,
             std::string_view of, std::vector<std::string>& warnings) {
  const auto kinds = config::counted_kinds(settings);
  for (const auto& [name, amount] : named) {
    if (amount == 0 || std::find(kinds.begin(), kinds.end(), name) != kinds.end()) continue;
    const auto meant = config::suggestion(name, std::vector<std::string_view>{kinds.begin(), kinds.end()});
    warnings.push_back(
        fmt::format("no node counts \"{0}\": {2} without it, whatever heddle.{3}.container_resource.{0}.amount says{1}",
                    name, meant, what, of));
  }
}

}  // namespace

std::vector<std::string> name_counted_kinds(SessionOptions& options) {
  if (options.master.kind != config::MasterKind::local_cluster) return {};
  if (!options.settings.is_set(kinds_key)) {
    std::set<std::string> kinds;
    for (const auto& host : cluster_hosts(options))
      for (const auto& [name, amount] : host.resource.others) kinds.insert(name);
    const auto set =
        options.settings.set(kinds_key, fmt::format("{}", fmt::join(kinds, ",")), config::Origin::derived, "the nodes");
    HEDDLE_ASSERT(set.has_value(), "a list of names is a text");
  }
  const auto named = config::container_resources(options.settings);
  const bool holds_driver = options.is_cluster_deploy;
  std::vector<std::string> warnings;
  warn_of(options.settings, named.executor, "executors are started", "executor", warnings);
  warn_of(options.settings, holds_driver ? named.driver : named.master, "the master container is started",
          holds_driver ? "driver" : "master", warnings);
  return warnings;
}

}  // namespace heddle::apps
