// What each session on Hadoop's YARN prepares before it submits an application.
#pragma once

#include <memory>
#include <string>

#include "apps/session/session.hpp"
#include "interop/yarn/submission_link.hpp"
#include "interop/yarn/yarn_cluster.hpp"
#include "ports/event_sink.hpp"
#include "ports/file_system.hpp"
#include "ports/transport_key.hpp"
#include "work/output/output_commit.hpp"

namespace heddle::apps {

struct YarnParts {
  std::unique_ptr<interop::YarnCluster> cluster;
  interop::NewYarnApplication application;
  std::string staging_root;  // folder of the user for programs and applications
  std::string program;       // launch context of the containers
  ports::TransportKey transport_key;
  std::string state_folder;
  std::unique_ptr<ports::EventSink> events;
  std::string event_log;  // of this process
};

/// Asks the ResourceManager for an application, checks that its containers fit, and uploads the program. Sets settings
/// that the cluster decides.
[[nodiscard]] Result<YarnParts> make_yarn_parts(SessionOptions& options, const IsCancelled& is_cancelled,
                                                const OnNotice& on_notice);

/// Folder of the application for jobs and the files that they ship, on the default file system. It is not created here.
[[nodiscard]] std::string staging_folder(const YarnParts& parts);

/// Creates the user's folder above the staging folder, and removes the staging folders of applications whose masters
/// and clients were killed.
[[nodiscard]] Result<Done> prepare_staging(const YarnParts& parts, ports::FileSystem& files);

/// Asks the ResourceManager about the owners of outputs; says so in a notice if an application has ended. `cluster`
/// must outlive the function.
[[nodiscard]] work::HasEnded ask_about_ends(interop::YarnCluster& cluster, const OnNotice& on_notice);

[[nodiscard]] interop::SubmissionLinkSettings submission_link_settings(const YarnParts& parts,
                                                                       const config::Settings& settings);

}  // namespace heddle::apps
