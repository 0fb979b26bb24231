#include "apps/roles/file_systems_of.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "config/text/environment.hpp"
#include "interop/hdfs/hdfs_file_system.hpp"
#include "ports/standard_error.hpp"

namespace heddle::apps {
namespace {

/// Reads the format of heddle.hdfs.site.
interop::HadoopSite::Properties properties_of(std::string_view text) {
  interop::HadoopSite::Properties properties;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto equals = line.find('=');
    if (equals != std::string_view::npos)
      properties.insert_or_assign(std::string{line.substr(0, equals)}, std::string{line.substr(equals + 1)});
  }
  return properties;
}

/// Properties of heddle.hdfs.site or of the site files, and those that the settings replace.
Result<interop::HadoopSite> hadoop_site(const config::HdfsClientSettings& settings) {
  auto properties = properties_of(settings.site);
  if (settings.replication > 0) properties["dfs.replication"] = std::to_string(settings.replication);
  if (settings.block_bytes > 0) properties["dfs.blocksize"] = std::to_string(settings.block_bytes);
  if (!settings.umask.empty()) properties["fs.permissions.umask-mode"] = settings.umask;
  if (!settings.site.empty()) return interop::HadoopSite{"the client's HADOOP_CONF_DIR", std::move(properties)};
  const auto folder = config::read_environment().hadoop_conf_folder;
  if (folder.empty()) return interop::HadoopSite{"", std::move(properties)};
  return interop::read_hadoop_site(folder, properties);
}

ports::PathDefaults path_defaults(const config::HdfsClientSettings& settings, PathRules rules) {
  auto made = work::local_path_defaults();
  if (rules == PathRules::local) return made;
  const auto site = hadoop_site(settings);
  if (!site) return made;  // the session has read the same files and reported their faults
  const auto root = interop::default_file_system(*site);
  if (root.starts_with("file:")) return made;
  made.file_system = root;
  made.home_directory = "/user/" + interop::hadoop_user();
  return made;
}

}  // namespace

std::string hdfs_site_text(const interop::HadoopSite& site) {
  auto properties = site.of_hdfs();
  properties["fs.defaultFS"] = interop::default_file_system(site);  // also if it is not set: the text is never empty
  std::string text;
  for (auto& [key, value] : properties) {
    std::replace(value.begin(), value.end(), '\n', ' ');  // between the elements of a list
    text += key + "=" + value + "\n";
  }
  return text;
}

work::FileSystems file_systems_of(const config::Settings& settings, PathRules rules,
                                  const std::function<bool()>& is_cancelled, const FileNotices::Listener& on_notice) {
  // The thread starts with the first path in HDFS.
  const auto thread = std::make_shared<std::unique_ptr<interop::RpcThread>>();
  const auto hdfs = settings.hdfs_client();
  const auto make_hdfs = [thread, hdfs, is_cancelled,
                          on_notice](const std::string& authority) -> Result<std::unique_ptr<ports::FileSystem>> {
    const auto site = hadoop_site(hdfs);
    if (!site) return site.error();
    auto read = interop::hdfs::read_hdfs_settings(*site, authority);
    if (!read) return read.error();
    read->name_node.safe_mode_timeout_ms = hdfs.safe_mode_timeout.count() / 1000;
    read->name_node.on_notice = [on_notice](const std::string& text) {
      ports::write_error_line(text);
      if (on_notice) on_notice(text);
    };
    read->name_node.is_cancelled = is_cancelled;
    if (!*thread) *thread = std::make_unique<interop::RpcThread>();
    return std::unique_ptr<ports::FileSystem>{
        std::make_unique<interop::hdfs::HdfsFileSystem>(**thread, std::move(read).value())};
  };
  return work::FileSystems{path_defaults(hdfs, rules), {{"hdfs", make_hdfs}}};
}

}  // namespace heddle::apps
