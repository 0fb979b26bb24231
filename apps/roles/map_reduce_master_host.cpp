#include "apps/roles/map_reduce_master_host.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "apps/roles/file_systems_of.hpp"

namespace heddle::apps {

MapReduceMasterHost::MapReduceMasterHost(RoleRuntime& world, const LaunchSpec& spec, work::OutputCommitSettings commit)
    : files_(file_systems_of(world.settings())), commit_{files_, std::move(commit)} {
  actors::MapReduceMasterPorts ports;
  ports.commit = &commit_;
  ports.background = &background_;
  ports.history = &history_;
  // The role publishes itself when it starts, because it gives the address to its children. The ApplicationMaster,
  // which registers the address, starts after that.
  const auto published = std::make_shared<std::promise<std::string>>();
  ports.publish = [published, &world](const MapReduceMasterActor& role) {
    auto address = world.publish(role);
    published->set_value(address);
    return address;
  };
  master_ = make_map_reduce_master({world.system(), world.tools()}, spec, world.settings(), {}, ports);
  address_ = published->get_future().get();
}

}  // namespace heddle::apps
