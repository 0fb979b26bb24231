// Prepares a job for submission, outside of actors: splits of its inputs, and a check that its outputs do not exist.
#pragma once

#include <vector>

#include "config/table/settings.hpp"
#include "messages/job_service.hpp"
#include "ports/block_hosts.hpp"
#include "work/files/file_systems.hpp"
#include "work/output/output_commit.hpp"

namespace heddle::apps {

/// Lists inputs and computes splits (longest first, as Hadoop submits them); Errc::refused if an output exists.
/// `has_ended`: see work::OutputCommitSettings.
[[nodiscard]] Result<SubmitJob> prepare_job(JobGraph graph, const config::Settings& settings, work::FileSystems& files,
                                            const ports::BlockHosts* hosts, work::HasEnded has_ended = {});

}  // namespace heddle::apps
