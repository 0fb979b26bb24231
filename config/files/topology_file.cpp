#include "config/files/topology_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>

#include "config/files/toml_reader.hpp"
#include "config/hadoop/hadoop_folder.hpp"
#include "config/hadoop/rack_table.hpp"
#include "config/table/setting_rows.hpp"
#include "config/table/settings.hpp"
#include "config/text/did_you_mean.hpp"
#include "config/text/text_file.hpp"
#include "model/resource_text.hpp"

namespace heddle::config {
namespace {

constexpr std::array<std::string_view, 8> root_keys{"rack",     "host",        "replica",    "application",
                                                    "settings", "hadoop_conf", "rack_table", "framework"};
constexpr std::array<std::string_view, 8> rack_keys{"name",  "hosts",     "cores",     "memory",
                                                    "speed", "resources", "map_slots", "reduce_slots"};
constexpr std::array<std::string_view, 9> host_keys{"name",      "rack",      "cores",        "memory", "speed",
                                                    "resources", "map_slots", "reduce_slots", "lost_at"};
constexpr std::array<std::string_view, 3> frameworks{"driver", "classic", "yarn"};  // in the order of Framework
constexpr std::array<std::string_view, 2> replica_keys{"input", "hosts"};
constexpr std::array<std::string_view, 8> application_keys{"name", "user", "queue",    "submit_at",
                                                           "job",  "jobs", "settings", "priority"};
/// Settings whose values are paths. A relative path starts at the folder of the topology file, like paths of its jobs.
constexpr std::array<std::string_view, 2> path_keys{"heddle.resource_manager.queue_file", "heddle.scheduler.pool_file"};

std::string rooted(const std::string& rack) {
  if (!rack.empty() && rack.front() == '/') return rack;
  std::string path{"/"};
  path += rack;
  return path;
}

/// Host names become names of folders and files: letters, digits, hyphens, underscores and dots.
bool is_host_name(std::string_view name) {
  constexpr std::size_t longest = 200;  // file systems allow 255; logs add a suffix
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  return name.size() <= longest && name.front() != '.' && name.front() != '-' && name != "resource_manager.ready" &&
         std::all_of(name.begin(), name.end(), is_plain);
}

/// Reads one topology file. A host can be declared by a rack and by a table of its own.
class TopologyReader {
public:
  TopologyReader(const std::string& name, std::string_view content) : reader_{name, content} {}

  Result<TopologyFile> read() {
    const auto& root = reader_.root();
    reader_.check_keys(root, root_keys);
    read_framework(root);
    for (const auto* rack : reader_.tables(root, "rack")) read_rack(*rack);
    for (const auto* host : reader_.tables(root, "host")) read_host(*host);
    if (file_.hosts.empty()) reader_.fail(root, "a topology needs at least one host, in a [[rack]] or as a [[host]]");
    for (const auto* replica : reader_.tables(root, "replica")) read_replica(*replica);
    for (const auto* application : reader_.tables(root, "application")) read_application(*application);
    if (const auto* settings = reader_.table(root, "settings"))
      file_.settings = read_setting_entries(reader_, *settings);
    file_.hadoop_folder = reader_.text(root, "hadoop_conf");
    file_.rack_table = reader_.text(root, "rack_table");
    if (reader_.error()) return *reader_.error();
    return std::move(file_);
  }

private:
  void read_framework(const toml::table& root) {
    if (root.get("framework") == nullptr) return;
    file_.framework = static_cast<Framework>(reader_.choice(root, "framework", 0, frameworks));
  }

  void read_slots(const toml::table& table, std::string_view key, std::optional<std::int32_t>& slots) {
    constexpr std::int64_t slots_max = 4'096;
    const auto* node = table.get(key);
    if (node == nullptr) return;
    // Without a framework in the file, mapred-site.xml or the command line can choose classic.
    if (file_.framework == Framework::yarn)
      return reader_.fail(*node, fmt::format("{} needs framework = \"classic\"; with framework yarn, set "
                                             "heddle.{}.memory in [settings]",
                                             key, key.substr(0, key.find('_'))));
    if (file_.framework == Framework::driver)
      return reader_.fail(*node,
                          fmt::format("{} needs framework = \"classic\"; with framework driver, set cores", key));
    slots = static_cast<std::int32_t>(reader_.integer(table, key, 0, 0, slots_max));
  }

  void read_resources(const toml::table& table, TopologyHost& host) {
    host.resource.cores = reader_.integer(table, "cores", host.resource.cores, 1, 65'536);
    host.resource.memory_mib = reader_.size(table, "memory", host.resource.memory_mib, SettingUnit::mib);
    if (host.resource.memory_mib < 1) reader_.fail(table, "memory must be at least 1 MiB");
    host.has_own_memory = host.has_own_memory || table.get("memory") != nullptr;
    host.has_own_cores = host.has_own_cores || table.get("cores") != nullptr;
    host.speed = reader_.real(table, "speed", host.speed, 0.001, 1'000.0);
    read_slots(table, "map_slots", host.map_slots);
    read_slots(table, "reduce_slots", host.reduce_slots);
    if (const auto* kinds = reader_.table(table, "resources")) {
      host.resource.others = {};
      host.has_own_others = true;
      read_others(*kinds, host.resource.others);
    }
  }

  /// { "yarn.io/gpu" = 2, license = "1k" }
  void read_others(const toml::table& table, ResourceAmounts& others) {
    for (const auto& [key, value] : table) {
      const std::string name{key.str()};
      if (is_memory_name(name) || is_cores_name(name))
        reader_.fail(value, fmt::format("{} cannot be in resources; use the key {}", name,
                                        is_memory_name(name) ? "memory" : "cores"));
      else if (!is_resource_name(name))
        reader_.fail(value, fmt::format("\"{}\" is not a resource name; example: \"yarn.io/gpu\"", name));
      const auto* text = value.as_string();
      const auto* number = value.as_integer();
      const auto amount = read_resource_amount(text != nullptr     ? text->get()
                                               : number != nullptr ? std::to_string(number->get())
                                                                   : "");
      if (amount) others.set(name, *amount);
      else if (text != nullptr || number != nullptr)
        reader_.fail(value, fmt::format("{}: {}", name, amount.error().text));
      else reader_.fail(value, fmt::format("{} must be an amount, such as 2 or \"2k\"", name));
    }
  }

  void add_host(const toml::table& table, TopologyHost host) {
    if (host.name.empty()) reader_.fail(table, "a host needs a name");
    else if (!is_host_name(host.name))
      reader_.fail(table, fmt::format("\"{}\" is not a host name; allowed: letters, digits, - _ and ., such as node-1",
                                      host.name));
    if (!index_of_host_.emplace(host.name, file_.hosts.size()).second) {
      reader_.fail(table, fmt::format("host \"{}\" is declared twice", host.name));
      return;
    }
    file_.hosts.push_back(std::move(host));
  }

  void read_rack(const toml::table& table) {
    reader_.check_keys(table, rack_keys);
    TopologyHost host;
    host.rack = reader_.text(table, "name");
    if (host.rack.empty()) reader_.fail(table, "a rack needs a name");
    host.rack = rooted(host.rack);
    host.resource = Resource{1024, 1};
    read_resources(table, host);
    for (const auto& name : reader_.texts(table, "hosts")) {
      host.name = name;
      add_host(table, host);
    }
  }

  /// Changes a host that a rack has declared; adds any other host.
  void read_host(const toml::table& table) {
    reader_.check_keys(table, host_keys);
    const auto name = reader_.text(table, "name");
    const auto known = index_of_host_.find(name);
    TopologyHost host = known != index_of_host_.end() ? file_.hosts[known->second]
                                                      : TopologyHost{name, std::string{default_rack}, {1024, 1}};
    host.rack = reader_.text(table, "rack", host.rack);
    host.rack = rooted(host.rack);
    read_resources(table, host);
    if (table.get("lost_at") != nullptr) host.lost_at = reader_.duration(table, "lost_at", Duration{0});
    if (known != index_of_host_.end() && !own_table_[name]) {
      own_table_[name] = true;
      file_.hosts[known->second] = std::move(host);
      return;
    }
    own_table_[name] = true;
    add_host(table, std::move(host));
  }

  std::vector<std::string> known_hosts(const toml::node& node) {
    auto hosts = reader_.texts_of(node, "hosts");
    std::vector<std::string_view> names;
    for (const auto& host : file_.hosts) names.push_back(host.name);
    for (const auto& host : hosts)
      if (!index_of_host_.contains(host))
        reader_.fail(node, fmt::format("no host is named \"{}\"{}", host, suggestion(host, names)));
    return hosts;
  }

  void read_replica(const toml::table& table) {
    reader_.check_keys(table, replica_keys);
    TopologyReplica replica;
    replica.input = reader_.text(table, "input");
    if (replica.input.empty()) reader_.fail(table, "a replica needs an input");
    const auto* hosts = table.get("hosts");
    if (hosts == nullptr) {
      reader_.fail(table, "a replica needs hosts: [\"a\", \"b\"], or one array per block");
      return;
    }
    const auto* array = hosts->as_array();
    if (array != nullptr && !array->empty() && array->front().is_array()) {
      for (const auto& block : *array) replica.hosts.push_back(known_hosts(block));
    } else {
      replica.hosts.push_back(known_hosts(*hosts));
    }
    file_.replicas.push_back(std::move(replica));
  }

  void read_application(const toml::table& table) {
    reader_.check_keys(table, application_keys);
    TopologyApplication application;
    application.name = reader_.text(table, "name");
    application.user = reader_.text(table, "user");
    application.queue = reader_.text(table, "queue", "default");
    if (file_.framework == Framework::classic && application.queue != "default")
      reader_.fail(*table.get("queue"), "framework classic has the queue default only; omit the queue");
    application.submit_at = reader_.duration(table, "submit_at", Duration{0});
    if (table.get("jobs") != nullptr) application.jobs = reader_.texts(table, "jobs");
    if (table.get("job") != nullptr) application.jobs.push_back(reader_.text(table, "job"));
    if (application.jobs.empty())
      reader_.fail(table, "an application needs a job file under the key job, or several under jobs");
    else if (application.name.empty())
      application.name = std::filesystem::path{application.jobs.front()}.stem().string();
    read_priority(table, application.settings);
    if (const auto* settings = reader_.table(table, "settings")) {
      const auto entries = read_setting_entries(reader_, *settings);
      application.settings.insert(application.settings.end(), entries.begin(), entries.end());
    }
    file_.applications.push_back(std::move(application));
  }

  /// "high" in the queue of a JobTracker, a number in a queue of the ResourceManager.
  void read_priority(const toml::table& table, std::vector<SettingEntry>& settings) {
    const auto* node = table.get("priority");
    if (node == nullptr) return;
    const auto* number = node->as_integer();
    const bool is_classic = file_.framework == Framework::classic;
    if (is_classic != node->is_string() || (!is_classic && number == nullptr))
      return reader_.fail(*node, is_classic ? "priority must be a text with framework classic, such as \"high\""
                                            : "priority must be a number; texts are for framework classic");
    const auto value = is_classic ? reader_.text(table, "priority") : std::to_string(number->get());
    const auto* row = find_setting(is_classic ? "heddle.map_reduce.priority" : "heddle.application.priority");
    if (const auto known = normalized_value(*row, value); !known) return reader_.fail(*node, known.error().text);
    settings.push_back({std::string{row->key}, value, reader_.place(*node)});
  }

  TomlReader reader_;
  TopologyFile file_;
  std::map<std::string, std::size_t, std::less<>> index_of_host_;
  std::map<std::string, bool, std::less<>> own_table_;  // hosts that have a [[host]] table
};

}  // namespace

Result<TopologyFile> parse_topology_file(const std::string& name, std::string_view content) {
  return TopologyReader{name, content}.read();
}

namespace {

void place_in_racks(TopologyFile& file, const RackTable& table) {
  file.warnings.insert(file.warnings.end(), table.warnings.begin(), table.warnings.end());
  for (auto& host : file.hosts)
    if (const auto rack = table.rack_of.find(host.name); rack != table.rack_of.end() && host.rack == default_rack)
      host.rack = rooted(rack->second);
}

/// Applies the node size of yarn-site.xml to hosts without a size in the topology file.
Result<Done> size_hosts(TopologyFile& file, const std::vector<SettingEntry>& settings) {
  Settings of_folder;
  for (const auto& entry : settings)
    if (const auto set = of_folder.set(entry.key, entry.value, Origin::job_file, entry.place); !set)
      return Error{set.error().code, fmt::format("{}: {}", entry.place, set.error().text)};
  const auto node = of_folder.node_manager();
  for (auto& host : file.hosts) {
    if (!host.has_own_memory && of_folder.is_set("heddle.node_manager.memory"))
      host.resource.memory_mib = node.memory_mib;
    if (!host.has_own_cores && of_folder.is_set("heddle.node_manager.cores")) host.resource.cores = node.cores;
  }
  return Done{};
}

Result<Done> add_hadoop_folder(TopologyFile& file) {
  auto folder = read_hadoop_folder(file.hadoop_folder);
  if (!folder) return folder.error();
  if (auto sized = size_hosts(file, folder->settings); !sized) return sized;
  file.warnings.insert(file.warnings.end(), folder->warnings.begin(), folder->warnings.end());
  folder->racks.warnings.clear();
  place_in_racks(file, folder->racks);
  file.settings.insert(file.settings.begin(), folder->settings.begin(), folder->settings.end());
  file.job_keys = std::move(folder->job_keys);
  return Done{};
}

}  // namespace

Result<TopologyFile> read_topology_file(const std::string& path) {
  const auto content = read_text_file(path);
  if (!content) return content.error();
  auto file = parse_topology_file(path, *content);
  if (!file) return file;
  const auto folder = std::filesystem::path{path}.parent_path();
  const auto place = [&folder](std::string& named) {
    if (!named.empty() && std::filesystem::path{named}.is_relative()) named = (folder / named).string();
  };
  const auto place_settings = [&place](std::vector<SettingEntry>& entries) {
    for (auto& entry : entries) {
      const auto* row = find_setting(entry.key);
      if (row != nullptr && std::find(path_keys.begin(), path_keys.end(), row->key) != path_keys.end())
        place(entry.value);
    }
  };
  place_settings(file->settings);
  place(file->hadoop_folder);
  place(file->rack_table);
  if (!file->rack_table.empty()) {
    const auto table = read_text_file(file->rack_table);
    if (!table) return table.error();
    place_in_racks(*file, parse_rack_table(file->rack_table, *table));
  }
  if (!file->hadoop_folder.empty())
    if (auto added = add_hadoop_folder(*file); !added) return added.error();
  for (auto& application : file->applications) {
    for (auto& job : application.jobs) place(job);
    place_settings(application.settings);
  }
  return file;
}

}  // namespace heddle::config
