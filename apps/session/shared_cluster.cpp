#include "apps/session/shared_cluster.hpp"

#include <fmt/format.h>

#include "apps/queues/scheduler_choice.hpp"
#include "apps/session/descriptor_room.hpp"
#include "config/files/settings_text.hpp"
#include "work/files/process_owner.hpp"

namespace heddle::apps {

Result<std::shared_ptr<SharedCluster>> SharedCluster::start(const config::Settings& settings,
                                                            const std::vector<config::TopologyHost>& hosts,
                                                            config::Framework framework,
                                                            const IsCancelled& is_cancelled) {
  const bool is_classic = framework == config::Framework::classic;
  // Checks the queue file here, where the error reaches the user.
  if (!is_classic)
    if (const auto scheduler = make_resource_scheduler(settings, Instant{}); !scheduler) return scheduler.error();
  if (auto room = check_descriptor_room(hosts.size()); !room) return room.error();
  auto made = std::make_shared<SharedCluster>();
  made->cluster_start_ = wall_clock_ms();
  auto folder = WorkingFolder::make(settings);
  if (!folder) return folder.error();
  made->folder_ = std::move(*folder);
  made->watch_ = LeftoverWatch::start(made->folder_->path(), role_patience);
  auto state = make_state_folder(settings, fmt::format("cluster_{}", made->cluster_start_));
  if (!state) return state.error();
  LocalClusterOptions options;
  options.transport_key = made->transport_key_ = new_cluster_key(made->cluster_start_);
  options.directory = made->folder_->path();
  options.log_directory = made->log_directory_ = *state;
  options.hosts = hosts;
  options.processes =
      is_classic ? classic_processes(made->cluster_start_, settings, work::write_owner(work::this_process_owner()))
                 : yarn_processes(made->cluster_start_, hosts.size());
  options.settings = config::write_settings(settings);
  auto started = LocalCluster::start(options, is_cancelled);
  if (!started) return started.error();
  made->processes_ = std::move(*started);
  return made;
}

}  // namespace heddle::apps
