// A cluster of Hadoop from the side of a client: its configuration, a new application, its nodes.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interop/hadoop/hadoop_site.hpp"
#include "interop/hadoop/rpc_client.hpp"
#include "interop/hadoop/rpc_thread.hpp"
#include "messages/client.hpp"
#include "model/ids.hpp"
#include "model/resources.hpp"
#include "model/result.hpp"
#include "ports/application_report.hpp"

namespace heddle::interop {

/// Answers of the ResourceManager to a client that is about to submit.
struct NewYarnApplication {
  ApplicationId application;
  Resource maximum;                          // of a container
  std::vector<Resource> nodes;               // running ones
  std::map<std::string, std::string> racks;  // by host
};

/// Returns true after the user has cancelled.
using IsCancelled = std::function<bool()>;
/// Called with news for the user, on the thread that waits.
using OnNotice = std::function<void(const Notice&)>;

/// How a call waits for an answer of the ResourceManager.
struct AnswerWait {
  std::chrono::milliseconds notice_after{5'000};  // then the user reads for whom it waits
  std::chrono::milliseconds look_interval{50};    // for a cancellation
};

class YarnCluster {
public:
  /// Reads the configuration folder of the environment. Fails without one, and for clusters with Kerberos or encrypted
  /// RPC. `connect_wait_ms`: time that a silent ResourceManager is waited for; none: that of yarn-site.xml.
  [[nodiscard]] static Result<std::unique_ptr<YarnCluster>> configure(std::optional<std::int64_t> connect_wait_ms,
                                                                      const AnswerWait& wait = {});

  /// Asks the ResourceManager for a new application and for the nodes. Waits for a silent one; calls on_notice once,
  /// and is_cancelled often (AnswerWait).
  [[nodiscard]] Result<NewYarnApplication> new_application(const IsCancelled& is_cancelled, const OnNotice& on_notice);

  // -- applications; these calls wait as the one above does ---------------------------------------------------------

  /// Applications of these types, or of every type if there is none, ordered by id.
  [[nodiscard]] Result<std::vector<ApplicationReport>> applications(const std::vector<std::string>& types,
                                                                    bool with_ended, const IsCancelled& is_cancelled,
                                                                    const OnNotice& on_notice);
  /// Errc::not_found if the ResourceManager does not know the application.
  [[nodiscard]] Result<ApplicationReport> application(const ApplicationId& application, const IsCancelled& is_cancelled,
                                                      const OnNotice& on_notice);
  [[nodiscard]] Result<std::vector<ApplicationAttemptReport>> attempts(const ApplicationId& application,
                                                                       const IsCancelled& is_cancelled,
                                                                       const OnNotice& on_notice);
  /// Live containers of a running attempt.
  [[nodiscard]] Result<std::vector<ContainerReport>> containers(const AttemptId& attempt,
                                                                const IsCancelled& is_cancelled,
                                                                const OnNotice& on_notice);
  /// Returns false if the application has not ended yet: call again. Errc::refused without the right to kill it.
  [[nodiscard]] Result<bool> kill(const ApplicationId& application, const std::string& reason,
                                  const IsCancelled& is_cancelled, const OnNotice& on_notice);

  /// "http://host:8042" of each running NodeManager.
  [[nodiscard]] Result<std::vector<std::string>> node_pages(const IsCancelled& is_cancelled, const OnNotice& on_notice);

  [[nodiscard]] const HadoopSite& site() const { return site_; }
  [[nodiscard]] RpcClient& client() { return *client_; }
  [[nodiscard]] const std::string& user() const { return user_; }
  /// "yarn-scheduler:host:port,…", for the master.
  [[nodiscard]] const std::string& scheduler_address() const { return scheduler_address_; }
  [[nodiscard]] std::int64_t connect_wait_ms() const { return connect_wait_ms_; }

private:
  YarnCluster(HadoopSite site, const AnswerWait& wait) : site_{std::move(site)}, wait_{wait} {}
  [[nodiscard]] std::string last_fault() const;
  template <class Response, class Request>
  [[nodiscard]] Result<Response> call(std::string_view method, const Request& request, const IsCancelled& is_cancelled,
                                      const OnNotice& on_notice);

  HadoopSite site_;
  AnswerWait wait_;
  std::string user_;
  std::string scheduler_address_;
  std::int64_t connect_wait_ms_ = 0;
  mutable std::mutex mutex_;
  std::string last_fault_;  // after which the client tries again
  RpcThread thread_;
  std::unique_ptr<RpcClient> client_;
};

}  // namespace heddle::interop
