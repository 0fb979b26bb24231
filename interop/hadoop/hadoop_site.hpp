// Client configuration of a Hadoop cluster: core-site.xml, hdfs-site.xml, mapred-site.xml and yarn-site.xml of
// HADOOP_CONF_DIR.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interop/hadoop/rpc_client.hpp"
#include "model/result.hpp"

namespace heddle::interop {

class HadoopSite {
public:
  using Properties = std::map<std::string, std::string, std::less<>>;

  /// Properties with precedence over those of files.
  HadoopSite(std::string folder, Properties properties) : folder_{std::move(folder)}, values_{std::move(properties)} {}

  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// The value without surrounding blanks; empty if it is not set or empty.
  [[nodiscard]] std::optional<std::string> find(std::string_view key) const;
  [[nodiscard]] std::string text(std::string_view key, std::string_view otherwise) const;
  /// Errc::usage if the value is no number.
  [[nodiscard]] Result<std::int64_t> number(std::string_view key, std::int64_t otherwise) const;
  /// As Hadoop: true, false, otherwise the default.
  [[nodiscard]] bool truth(std::string_view key, bool otherwise) const;

  /// The properties that a client of HDFS reads: addresses of NameNodes, new files, connections, security.
  [[nodiscard]] Properties of_hdfs() const;

private:
  std::string folder_;
  Properties values_;
};

/// Reads the folder. `overrides` are properties of the command line; references in all values are replaced. Errors name
/// the folder (not_found: no site file in it) or file and line.
[[nodiscard]] Result<HadoopSite> read_hadoop_site(const std::string& folder, const HadoopSite::Properties& overrides);

/// Refuses clusters that ask for Kerberos (hadoop.security.authentication) or encrypted RPC (hadoop.rpc.protection).
[[nodiscard]] Result<Done> check_security(const HadoopSite& site);

/// "host:port" of each ResourceManager: of the client service (8032) or the scheduler service (8030). Without any
/// address that of this host, as in Hadoop.
enum class ResourceManagerService : std::uint8_t { client, scheduler };
[[nodiscard]] Result<std::vector<std::string>> resource_manager_addresses(const HadoopSite& site,
                                                                          ResourceManagerService service);
/// fs.defaultFS, "hdfs://nameservice" or "file:///"; without trailing slash.
[[nodiscard]] std::string default_file_system(const HadoopSite& site);
/// "host:port" of each NameNode of "hdfs://AUTHORITY": a nameservice of the site, a host, or "host:port".
[[nodiscard]] Result<std::vector<std::string>> name_node_addresses(const HadoopSite& site, std::string_view authority);
/// HADOOP_USER_NAME, otherwise the name of the effective user.
[[nodiscard]] std::string hadoop_user();

}  // namespace heddle::interop
