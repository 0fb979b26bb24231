#include "interop/hadoop/hadoop_site.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "config/hadoop/hadoop_references.hpp"
#include "config/hadoop/hadoop_xml.hpp"
#include "config/text/environment.hpp"
#include "config/text/text_file.hpp"

namespace heddle::interop {
namespace {

constexpr std::array<std::string_view, 4> site_files{"core-site.xml", "hdfs-site.xml", "mapred-site.xml",
                                                     "yarn-site.xml"};
/// Of these names, and names that begin so: keys that functions of this file and of interop/hdfs read for HDFS.
constexpr std::array<std::string_view, 13> hdfs_keys{"fs.defaultFS",
                                                     "fs.default.name",
                                                     "fs.permissions.umask-mode",
                                                     "dfs.replication",
                                                     "dfs.blocksize",
                                                     "dfs.checksum.type",
                                                     "dfs.bytes-per-checksum",
                                                     "dfs.client.use.datanode.hostname",
                                                     "dfs.client.socket-timeout",
                                                     "dfs.data.transfer.protection",
                                                     "dfs.encrypt.data.transfer",
                                                     "hadoop.security.authentication",
                                                     "hadoop.rpc.protection"};
constexpr std::array<std::string_view, 2> hdfs_families{"dfs.ha.namenodes.", "dfs.namenode.rpc-address."};
constexpr std::int32_t name_node_port = 8020;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    if (const auto word = trimmed(text.substr(0, comma)); !word.empty()) words.emplace_back(word);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return words;
}

bool has_port(std::string_view address) {
  const auto colon = address.rfind(':');
  return colon != std::string_view::npos && (address.find(':') == colon || address[colon - 1] == ']');
}

/// A wildcard address is the address of a service on every interface: as a client, this host.
std::string client_address(std::string_view address, std::int32_t port) {
  auto text = has_port(address) ? std::string{address} : fmt::format("{}:{}", address, port);
  constexpr std::string_view wildcard = "0.0.0.0:";
  if (text.starts_with(wildcard)) text = "127.0.0.1:" + text.substr(wildcard.size());
  return text;
}

struct ServiceKeys {
  std::string_view address;
  std::int32_t port;
};

ServiceKeys keys_of(ResourceManagerService service) {
  if (service == ResourceManagerService::client) return {"yarn.resourcemanager.address", 8032};
  return {"yarn.resourcemanager.scheduler.address", 8030};
}

/// Address of the ResourceManager with this suffix (".rm1", or empty).
std::optional<std::string> resource_manager_address(const HadoopSite& site, const ServiceKeys& keys,
                                                    const std::string& suffix) {
  if (const auto address = site.find(std::string{keys.address} + suffix)) return client_address(*address, keys.port);
  if (const auto host = site.find("yarn.resourcemanager.hostname" + suffix)) return client_address(*host, keys.port);
  return std::nullopt;
}

/// The master connects to the scheduler from another host, where the loopback address of a default or of a wildcard is
/// wrong: then the scheduler is where the ResourceManager answers clients.
std::string seen_from_containers(const HadoopSite& site, const std::string& scheduler, const std::string& suffix) {
  constexpr std::string_view loopback = "127.0.0.1:";
  const auto client = resource_manager_address(site, keys_of(ResourceManagerService::client), suffix);
  if (!scheduler.starts_with(loopback) || !client) return scheduler;
  return client->substr(0, client->rfind(':') + 1) + scheduler.substr(loopback.size());
}

}  // namespace

std::optional<std::string> HadoopSite::find(std::string_view key) const {
  const auto row = values_.find(key);
  if (row == values_.end()) return std::nullopt;
  const auto value = trimmed(row->second);
  return value.empty() ? std::nullopt : std::optional{std::string{value}};
}

std::string HadoopSite::text(std::string_view key, std::string_view otherwise) const {
  return find(key).value_or(std::string{otherwise});
}

Result<std::int64_t> HadoopSite::number(std::string_view key, std::int64_t otherwise) const {
  const auto value = find(key);
  if (!value) return otherwise;
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (problem != std::errc{} || end != value->data() + value->size())
    return Error{Errc::usage,
                 fmt::format("{}: {}={} is no number; correct it in the site files", folder_, key, *value)};
  return number;
}

bool HadoopSite::truth(std::string_view key, bool otherwise) const {
  const auto value = find(key);
  return value == "true" || (value != "false" && otherwise);
}

HadoopSite::Properties HadoopSite::of_hdfs() const {
  const auto is_read = [](std::string_view key) {
    return std::any_of(hdfs_families.begin(), hdfs_families.end(),
                       [key](std::string_view family) { return key.starts_with(family); }) ||
           std::find(hdfs_keys.begin(), hdfs_keys.end(), key) != hdfs_keys.end();
  };
  Properties found;
  for (const auto& [key, value] : values_)
    if (auto text = find(key); text && is_read(key)) found.emplace(key, std::move(*text));
  return found;
}

Result<HadoopSite> read_hadoop_site(const std::string& folder, const HadoopSite::Properties& overrides) {
  if (folder.empty())
    return Error{Errc::usage, "HADOOP_CONF_DIR is not set; set it to the folder with core-site.xml and yarn-site.xml"};
  std::vector<config::SettingEntry> entries;
  bool has_file = false;
  for (const auto file : site_files) {
    const auto path = (std::filesystem::path{folder} / file).string();
    const auto content = config::read_text_file(path);
    if (!content && content.error().code == Errc::not_found) continue;
    if (!content) return content.error();
    auto more = config::parse_hadoop_xml(path, *content);
    if (!more) return more.error();
    has_file = true;
    entries.insert(entries.end(), std::make_move_iterator(more->begin()), std::make_move_iterator(more->end()));
  }
  if (!has_file)
    return Error{Errc::not_found, fmt::format("{} has none of {}; set HADOOP_CONF_DIR to the folder of the cluster's "
                                              "configuration",
                                              folder, fmt::join(site_files, ", "))};
  for (const auto& [key, value] : overrides) entries.push_back({key, value, "the command line"});
  if (const auto expanded = config::expand_entries(entries); !expanded) return expanded.error();
  HadoopSite::Properties values;
  for (auto& entry : entries) values.insert_or_assign(std::move(entry.key), std::move(entry.value));
  return HadoopSite{folder, std::move(values)};
}

Result<Done> check_security(const HadoopSite& site) {
  const auto authentication = site.text("hadoop.security.authentication", "simple");
  if (authentication != "simple")
    return Error{Errc::refused, fmt::format("{}: hadoop.security.authentication={} is not supported; heddle runs on "
                                            "clusters with simple authentication",
                                            site.folder(), authentication)};
  const auto protections = list_of(site.text("hadoop.rpc.protection", "authentication"));
  for (const auto& protection : protections)
    if (protection == "authentication" || protection == "integrity") return Done{};
  return Error{Errc::refused, fmt::format("{}: hadoop.rpc.protection={} is not supported; heddle speaks authentication "
                                          "and integrity",
                                          site.folder(), fmt::join(protections, ","))};
}

Result<std::vector<std::string>> resource_manager_addresses(const HadoopSite& site, ResourceManagerService service) {
  const auto keys = keys_of(service);
  const auto settled = [&](const std::string& address, const std::string& suffix) {
    return service == ResourceManagerService::scheduler ? seen_from_containers(site, address, suffix) : address;
  };
  if (!site.truth("yarn.resourcemanager.ha.enabled", false)) {
    const auto address = resource_manager_address(site, keys, {});
    return std::vector{settled(address.value_or(fmt::format("127.0.0.1:{}", keys.port)), {})};
  }
  std::vector<std::string> addresses;
  for (const auto& id : list_of(site.text("yarn.resourcemanager.ha.rm-ids", ""))) {
    const auto address = resource_manager_address(site, keys, "." + id);
    if (!address)
      return Error{Errc::usage,
                   fmt::format("{}: {}.{} and yarn.resourcemanager.hostname.{} are not set; set one of them",
                               site.folder(), keys.address, id, id)};
    addresses.push_back(settled(*address, "." + id));
  }
  if (addresses.empty())
    return Error{Errc::usage, fmt::format("{}: yarn.resourcemanager.ha.enabled is true, but "
                                          "yarn.resourcemanager.ha.rm-ids is not set",
                                          site.folder())};
  return addresses;
}

std::string default_file_system(const HadoopSite& site) {
  auto uri = site.text("fs.defaultFS", site.text("fs.default.name", "file:///"));
  while (uri.ends_with('/') && !uri.ends_with("//")) uri.pop_back();
  return uri;
}

Result<std::vector<std::string>> name_node_addresses(const HadoopSite& site, std::string_view authority) {
  const std::string name{authority};
  if (name.empty()) return Error{Errc::usage, "an hdfs:// address without a NameNode; write hdfs://HOST:PORT/PATH"};
  const auto ids = list_of(site.text("dfs.ha.namenodes." + name, ""));
  if (ids.empty()) {
    const auto address = site.find("dfs.namenode.rpc-address." + name);
    return std::vector{client_address(address.value_or(name), name_node_port)};
  }
  std::vector<std::string> addresses;
  for (const auto& id : ids) {
    const auto key = fmt::format("dfs.namenode.rpc-address.{}.{}", name, id);
    const auto address = site.find(key);
    if (!address) return Error{Errc::usage, fmt::format("{}: {} is not set", site.folder(), key)};
    addresses.push_back(client_address(*address, name_node_port));
  }
  return addresses;
}

std::string hadoop_user() {
  if (auto user = config::environment_variable("HADOOP_USER_NAME"); user && !user->empty()) return *user;
  constexpr std::size_t bytes_max = 16 << 10;
  std::string buffer(bytes_max, '\0');
  passwd entry{};
  passwd* found = nullptr;
  const auto id = ::geteuid();
  const bool is_known = ::getpwuid_r(id, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr;
  return is_known ? std::string{found->pw_name} : std::to_string(id);
}

}  // namespace heddle::interop
