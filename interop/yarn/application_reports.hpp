// Reports of YARN about applications as values of the model. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "interop/hadoop/proto/yarn_protocols.pb.h"
#include "ports/application_report.hpp"

namespace heddle::interop {

[[nodiscard]] ApplicationReport application_report(const proto::ApplicationReport& report);
/// In the order of the attempts.
[[nodiscard]] std::vector<ApplicationAttemptReport> attempt_reports(
    const proto::GetApplicationAttemptsResponse& response);
/// In the order of the containers.
[[nodiscard]] std::vector<ContainerReport> container_reports(const proto::GetContainersResponse& response);

}  // namespace heddle::interop
