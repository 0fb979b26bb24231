#include "apps/session/session_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>

#include "apps/roles/role_settings.hpp"
#include "apps/session/counted_kinds.hpp"
#include "apps/session/framework_choice.hpp"
#include "config/files/settings_sources.hpp"
#include "config/table/device_requests.hpp"
#include "config/table/setting_rows.hpp"
#include "config/table/settings_rules.hpp"
#include "config/text/environment.hpp"

namespace heddle::apps {
namespace {

Result<config::LoadedSettings> settings_of(const SessionRequest& request, const config::MasterUrl& master,
                                           const config::TopologyFile& topology) {
  config::SettingsRequest sources;
  sources.assignments = request.assignments;
  sources.job_entries = topology.settings;
  sources.job_entries.insert(sources.job_entries.end(), request.entries.begin(), request.entries.end());
  sources.master = master;
  auto folder = current_folder();
  if (!folder) return folder.error();
  sources.working_folder = std::move(*folder);
  sources.environment = config::read_environment();
  auto loaded = config::load_settings(sources);
  if (!loaded) return loaded;
  for (const auto& [key, value] : request.fallback_settings)
    if (auto set = loaded->settings.set(key, value, config::Origin::derived, "this command"); !set) return set.error();
  return loaded;
}

/// Returns the named master URL; a topology without master URL means a cluster of its hosts.
config::MasterUrl master_of(const SessionRequest& request, const config::TopologyFile& topology,
                            config::Framework framework) {
  if (request.master) return *request.master;
  if (topology.hosts.empty() && framework != config::Framework::driver) return default_cluster();
  config::MasterUrl master;
  if (topology.hosts.empty()) {
    master.slots = processors();
    return master;
  }
  master.kind = config::MasterKind::local_cluster;
  master.nodes = static_cast<std::int32_t>(topology.hosts.size());
  master.cores = static_cast<std::int32_t>(topology.hosts.front().resource.cores);
  master.memory_mib = topology.hosts.front().resource.memory_mib;
  master.is_of_topology = true;
  return master;
}

/// Reads the settings, and sets master and framework: that of an option, else of the command line, else of the
/// topology, else of other settings. The settings can select the framework, which selects the default master, which
/// sets defaults of settings: then they are read again.
Result<config::LoadedSettings> load(const SessionRequest& request, SessionOptions& options) {
  const auto& of_topology = options.topology.framework;
  options.framework = request.framework.value_or(of_topology.value_or(config::Framework::driver));
  options.master = master_of(request, options.topology, options.framework);
  auto loaded = settings_of(request, options.master, options.topology);
  if (!loaded || !request.is_map_reduce) return loaded;
  options.framework = config::choose_framework(request.framework, of_topology, loaded->settings);
  const auto master = master_of(request, options.topology, options.framework);
  if (master == options.master) return loaded;
  options.master = master;
  return settings_of(request, options.master, options.topology);
}

/// The Driver has one limit of failed attempts for all tasks: that of reduces or maps, if the user names one. It goes
/// before the one attempt of local[N], not before local[N,F].
Result<Done> adopt_attempts(config::Settings& settings, const config::MasterUrl& master) {
  constexpr const char* of_tasks = "heddle.task.max_failures";
  const auto known = settings.effective(of_tasks);
  const bool is_of_master = known.place == "--master" && !master.has_tries;
  for (const auto* key : {"heddle.map.max_attempts", "heddle.reduce.max_attempts"}) {
    const auto named = settings.effective(key);
    if (!settings.is_set(key) || (!is_of_master && named.origin >= known.origin)) continue;
    if (auto set = settings.set(of_tasks, named.text, named.origin, named.place); !set) return set;
  }
  return config::validate(settings);
}

/// Makes a path absolute, because role processes can have other working folders.
void make_absolute(config::Settings& settings, const std::string& key) {
  const auto path = settings.effective(key).text;
  if (path.empty()) return;
  const auto set = settings.set(key, std::filesystem::absolute(path).string(), config::Origin::command_line, "");
  HEDDLE_ASSERT(set.has_value(), "an absolute path is as good as the one that was set");
}

/// Checks the pool file here, where the error reaches the user.
Result<Done> check_pools(PreparedSession& prepared) {
  auto& settings = prepared.options.settings;
  if (settings.task_scheduler().mode != "FAIR") return Done{};
  make_absolute(settings, "heddle.scheduler.pool_file");
  const auto path = settings.task_scheduler().pool_file;
  if (path.empty()) return Done{};
  auto file = read_pool_file(path);
  if (!file) return file.error();
  prepared.warnings.insert(prepared.warnings.end(), file->warnings.begin(), file->warnings.end());
  return Done{};
}

/// One warning with the keys of the Hadoop folder that other commands than this one read.
void name_job_keys(const config::TopologyFile& topology, std::vector<std::string>& warnings) {
  std::set<std::string> keys;
  for (const auto& entry : topology.job_keys)
    if (config::find_setting(entry.key) == nullptr) keys.insert(entry.key);
  if (!keys.empty())
    warnings.push_back(
        fmt::format("{}: only heddle mapreduce reads {}", topology.hadoop_folder, fmt::join(keys, ", ")));
}

}  // namespace

std::int32_t processors() { return static_cast<std::int32_t>(std::max(1U, std::thread::hardware_concurrency())); }

Result<std::string> current_folder() {
  std::error_code fault;
  auto folder = std::filesystem::current_path(fault);
  if (fault)
    return Error{Errc::not_found,
                 "cannot find the current folder: " + fault.message() + "; change to a folder that exists"};
  return folder.string();
}

Result<PreparedSession> prepare_session(const SessionRequest& request) {
  PreparedSession prepared;
  auto& options = prepared.options;
  if (!request.topology.empty()) {
    auto topology = config::read_topology_file(request.topology);
    if (!topology) return topology.error();
    options.topology = std::move(*topology);
    prepared.warnings = options.topology.warnings;
    if (!request.is_map_reduce) name_job_keys(options.topology, prepared.warnings);
  }
  options.name = request.name;
  options.is_cluster_deploy = request.is_cluster_deploy;
  auto loaded = load(request, options);
  if (!loaded) return loaded.error();
  if (options.master.kind == config::MasterKind::yarn && !request.topology.empty())
    return Error{Errc::usage,
                 fmt::format("--topology describes a local cluster: use --master {}, or no --master; omit --topology "
                             "with --master yarn",
                             config::to_string(config::usable_masters(options.framework, true)))};
  if (auto fits = check_framework(options, loaded->settings); !fits) return fits.error();
  if (options.framework == config::Framework::driver) {
    if (auto adopted = adopt_attempts(loaded->settings, options.master); !adopted) return adopted.error();
  } else if (auto set = loaded->settings.set("heddle.map_reduce.framework",  // for the settings files of its jobs
                                             std::string{config::to_string(options.framework)},
                                             config::Origin::command_line, "--framework");
             !set) {
    return set.error();
  }
  if (options.is_cluster_deploy && options.master.kind == config::MasterKind::local)
    return Error{Errc::usage, "--deploy-mode cluster needs a cluster: --master local-cluster[n,c,m], not local"};
  options.settings = std::move(loaded->settings);
  prepared.warnings.insert(prepared.warnings.end(), loaded->warnings.begin(), loaded->warnings.end());
  const bool has_cluster = options.master.kind == config::MasterKind::local_cluster;
  if (const auto unread = config::unread_hadoop_folder(config::read_environment());
      has_cluster && options.topology.hadoop_folder.empty() && !unread.empty())
    prepared.warnings.push_back(unread);
  if (const auto name = options.settings.application().name; !name.empty()) options.name = name;
  for (const auto* path : {"heddle.resource_manager.queue_file", "heddle.task_log.dir", "heddle.event_log.dir"})
    make_absolute(options.settings, path);
  for (const auto& device : config::device_requests(options.settings))
    make_absolute(options.settings, "heddle.executor.resource." + device.name + ".discovery_script");
  const auto unknown_kinds = name_counted_kinds(options);
  prepared.warnings.insert(prepared.warnings.end(), unknown_kinds.begin(), unknown_kinds.end());
  if (auto checked = check_pools(prepared); !checked) return checked.error();
  return prepared;
}

}  // namespace heddle::apps
