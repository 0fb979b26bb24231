// What a client finds out before it submits: which splits a job reads, and that its outputs do not exist. Off the
// actors.
#pragma once

#include <vector>

#include "config/table/settings.hpp"
#include "messages/driver.hpp"
#include "ports/file_store.hpp"

namespace heddle::apps {

/// Lists inputs, cuts them into splits (longest first, as Hadoop submits them), refuses outputs that exist.
[[nodiscard]] Result<SubmitJob> prepare_job(JobGraph graph, const config::Settings& settings, ports::FileStore& files,
                                            const ports::BlockHosts* hosts);

}  // namespace heddle::apps
