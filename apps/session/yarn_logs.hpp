// Logs of the containers of an application on YARN: of its NodeManagers while it runs, afterwards those that they have
// collected in the file system of the cluster.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/session/session.hpp"
#include "apps/session/yarn_applications.hpp"
#include "interop/logs/http_get.hpp"
#include "interop/logs/log_visitor.hpp"
#include "ports/file_system.hpp"

namespace heddle::apps {

/// Path of the folder with the collected logs of an application. `root`: of all collected logs. Errc::not_found if
/// there is none, Errc::refused if they are in indexed files.
[[nodiscard]] Result<std::string> find_collected_logs(const ports::FileSystem& files, const std::string& root,
                                                      const ApplicationReport& application);

class YarnLogs {
public:
  /// Precondition: `cluster`, `applications` and `files` outlive this object; `files` has the default file system of
  /// the cluster. `root`: path of all collected logs.
  YarnLogs(interop::YarnCluster& cluster, YarnApplications& applications, const ports::FileSystem& files,
           std::string root, IsCancelled is_cancelled, OnNotice on_notice)
      : cluster_{cluster},
        applications_{applications},
        files_{files},
        root_{std::move(root)},
        is_cancelled_{std::move(is_cancelled)},
        on_notice_{std::move(on_notice)} {}

  /// Visits the log files of one container, or of all if `container` is empty. Errc::not_found if there are none.
  [[nodiscard]] Result<Done> visit(const ApplicationReport& application, const std::string& container,
                                   interop::LogVisitor& visitor);

private:
  [[nodiscard]] Result<Done> visit_running(const ApplicationReport& application, const std::string& container,
                                           interop::LogVisitor& visitor);
  [[nodiscard]] Result<Done> visit_on_any_node(const ApplicationReport& application, const std::string& container,
                                               interop::LogVisitor& visitor);
  [[nodiscard]] Result<Done> visit_collected(const ApplicationReport& application, const std::string& container,
                                             interop::LogVisitor& visitor);
  [[nodiscard]] interop::HttpRules rules() const;

  interop::YarnCluster& cluster_;
  YarnApplications& applications_;
  const ports::FileSystem& files_;
  std::string root_;
  IsCancelled is_cancelled_;
  OnNotice on_notice_;
};

}  // namespace heddle::apps
