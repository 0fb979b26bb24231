#include "tests/actors/resource_manager/cluster_world.hpp"

#include "policies/cluster/scheduler/resource_scheduler.hpp"
#include "tests/actors/resource_manager/resource_manager_replay.hpp"

namespace heddle::actors {

ClusterWorld::ClusterWorld(std::int32_t nodes_expected)
    : rules{std::make_shared<const policies::ResourceScheduler>(policies::FifoScheduler{{{1, 0}, {8192, 4}, 1}})} {
  config::ResourceManagerSettings settings;
  settings.node_timeout = 10s;
  settings.allocation_timeout = 20s;
  ResourceManagerStart start{1000, "build", nodes_expected, rules};
  start.make_token = [] { return known_token; };
  cluster = adopt(spawn_resource_manager(system(), settings, tools(), start));
  settle();
}

ClusterWorld::~ClusterWorld() {
  tests::ResourceManagerReplay replay{*rules};
  for (const auto& line : events().lines) replay.take(line);
  for (const auto& difference : replay.differences()) BOOST_ERROR(difference);
}

}  // namespace heddle::actors
