// Applications of a running Hadoop cluster, for the verbs that show and end them.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "apps/session/session.hpp"
#include "interop/yarn/yarn_cluster.hpp"
#include "model/time.hpp"
#include "ports/application_report.hpp"

namespace heddle::apps {

/// An application with its attempts and, while it runs, its containers.
struct ApplicationDetails {
  ApplicationReport application;
  std::vector<ApplicationAttemptReport> attempts;
  std::vector<ContainerReport> containers;
};

class YarnApplications {
public:
  /// Precondition: `cluster` outlives this object. `is_cancelled` and `on_notice`: see interop::YarnCluster.
  YarnApplications(interop::YarnCluster& cluster, IsCancelled is_cancelled, OnNotice on_notice,
                   const WatchCancellation& watch_cancellation);

  /// Those of type HEDDLE, or of all types, that have not ended, or all, ordered by id.
  [[nodiscard]] Result<std::vector<ApplicationReport>> list(bool with_all_types, bool with_ended);
  /// The application with this id, such as "application_1700000000000_0007". Errc::usage for a text that is no id,
  /// Errc::not_found for an unknown id; both name the nearest id that the ResourceManager knows.
  [[nodiscard]] Result<ApplicationReport> find(const std::string& text);
  [[nodiscard]] Result<ApplicationDetails> details(const ApplicationReport& application);
  /// Kills the application and returns its report when it has ended. Errc::refused if it ended by itself.
  [[nodiscard]] Result<ApplicationReport> cancel(const ApplicationReport& application, const std::string& reason);
  /// Returns the last report when the application has ended; calls `on_report` with each one before it.
  [[nodiscard]] Result<ApplicationReport> wait(const ApplicationId& application, Duration interval,
                                               const std::function<void(const ApplicationReport&)>& on_report);
  /// Waits, with a limit, until the NodeManagers have collected the logs of an ended application. Succeeds also after
  /// the limit.
  [[nodiscard]] Result<Done> wait_for_logs(const ApplicationReport& application, Duration patience);

private:
  [[nodiscard]] Result<Done> pause(Duration span);
  [[nodiscard]] Error unknown(const ApplicationId& application);
  [[nodiscard]] Error no_id(const std::string& text);

  interop::YarnCluster& cluster_;
  IsCancelled is_cancelled_;
  OnNotice on_notice_;
  std::mutex mutex_;
  std::condition_variable cancelled_;
  std::shared_ptr<void> watch_;  // ends before the members that it uses
};

}  // namespace heddle::apps
