// An application in cluster mode on YARN, from the side of the client that submits it: its staging folder, its Client,
// and its end. The application goes on if this process is killed.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/roles/background_thread.hpp"
#include "apps/roles/make_roles.hpp"
#include "apps/roles/role_runtime.hpp"
#include "apps/session/job_waiter.hpp"
#include "apps/session/session.hpp"
#include "apps/session/yarn_parts.hpp"
#include "interop/yarn/submission_link.hpp"
#include "messages/client_role.hpp"
#include "work/files/file_systems.hpp"

namespace heddle::apps {

class FollowedApplication {
public:
  FollowedApplication(SessionOptions options, YarnParts parts);
  /// Kills the application if jobs that it follows have not ended. Waits, with a limit, until the ResourceManager
  /// reports the end; then removes the staging folder.
  ~FollowedApplication();
  FollowedApplication(const FollowedApplication&) = delete;
  FollowedApplication& operator=(const FollowedApplication&) = delete;

  /// Writes the jobs into the staging folder and submits the application. The jobs then name the copies of their files.
  /// `is_followed`: this process stays, and gets the results.
  [[nodiscard]] Result<Done> submit(std::vector<SubmitJob>& jobs, bool is_followed, const IsCancelled& is_cancelled);
  /// Waits until the ResourceManager has accepted the application, which then goes on without this process.
  [[nodiscard]] Result<Done> leave_when_accepted(const IsCancelled& is_cancelled);
  /// Copies the event log of the jobs into the state folder and returns its path; empty if there is none.
  [[nodiscard]] std::string fetch_event_log();

  [[nodiscard]] JobWaiter& waiter() { return waiter_; }
  [[nodiscard]] const ClientRoleActor& client() const { return client_; }
  [[nodiscard]] std::string name() const { return to_string(id()); }

private:
  [[nodiscard]] const ApplicationId& id() const { return parts_.application.application; }
  [[nodiscard]] std::string staging_folder() const { return apps::staging_folder(parts_); }
  [[nodiscard]] Result<Done> write_jobs(std::vector<SubmitJob>& jobs);
  [[nodiscard]] bool has_ended(const ApplicationId& application);
  void end_application();
  [[nodiscard]] bool waits_for_end(Duration patience);
  [[nodiscard]] ClientLaunch client_launch(bool is_followed) const;
  [[nodiscard]] actors::ClientPorts client_ports();

  SessionOptions options_;
  YarnParts parts_;
  work::FileSystems files_;
  JobWaiter waiter_;
  RoleRuntime world_;
  std::optional<BackgroundThread> background_;
  interop::SubmissionLinkActor link_;
  ClientRoleActor client_;
  bool is_staged_ = false;
  bool is_submitted_ = false;
  std::atomic<bool> is_over_ = false;  // the ResourceManager says so
};

}  // namespace heddle::apps
