// The file systems of a process: those that its settings describe.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "config/table/settings.hpp"
#include "interop/hadoop/hadoop_site.hpp"
#include "work/files/file_systems.hpp"

namespace heddle::apps {

/// Where paths without scheme are.
enum class PathRules : std::uint8_t {
  local,
  hadoop  // on fs.defaultFS of HADOOP_CONF_DIR; relative paths start at /user/NAME
};

/// Value of heddle.hdfs.site: HDFS as this configuration describes it.
[[nodiscard]] std::string hdfs_site_text(const interop::HadoopSite& site);

/// What file systems wait for, for a listener that may end before them. Any thread.
class FileNotices {
public:
  using Listener = std::function<void(const std::string& text)>;
  /// Waits for a call of the former listener. It must not call this object.
  void set_listener(Listener listener) {
    const std::lock_guard lock{mutex_};
    listener_ = std::move(listener);
  }
  void report(const std::string& text) {
    const std::lock_guard lock{mutex_};
    if (listener_) listener_(text);
  }

private:
  std::mutex mutex_;
  Listener listener_;
};

/// Both functions are called on any thread. `is_cancelled`: true ends a wait for a NameNode in safe mode, or for the
/// lock of an output. `on_notice`: gets what is waited for, beside stderr.
[[nodiscard]] work::FileSystems file_systems_of(const config::Settings& settings, PathRules rules = PathRules::local,
                                                const std::function<bool()>& is_cancelled = {},
                                                const FileNotices::Listener& on_notice = {});

}  // namespace heddle::apps
