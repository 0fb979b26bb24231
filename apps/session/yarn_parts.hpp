// What each session on Hadoop's YARN prepares before it submits an application.
#pragma once

#include <memory>
#include <string>

#include "apps/session/session.hpp"
#include "apps/session/yarn_cluster.hpp"
#include "interop/yarn/submission_link.hpp"
#include "ports/event_sink.hpp"
#include "ports/transport_key.hpp"
#include "work/output/output_commit.hpp"

namespace heddle::apps {

struct YarnParts {
  std::unique_ptr<YarnCluster> cluster;
  NewYarnApplication application;
  std::string staging_root;  // folder of the user for programs and applications; cluster mode only
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

/// Asks the ResourceManager about the owners of outputs; says so in a notice if an application has ended. `cluster`
/// must outlive the function.
[[nodiscard]] work::HasEnded ask_about_ends(YarnCluster& cluster, const OnNotice& on_notice);

[[nodiscard]] interop::SubmissionLinkSettings submission_link_settings(const YarnParts& parts,
                                                                       const config::Settings& settings);

}  // namespace heddle::apps
