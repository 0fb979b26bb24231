// Ids of YARN as ids of heddle, and the names of containers in the environment of their processes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "interop/hadoop/proto/yarn_records.pb.h"
#include "model/ids.hpp"
#include "model/result.hpp"

namespace heddle::interop {

[[nodiscard]] proto::ApplicationId to_proto(const ApplicationId& id);
[[nodiscard]] proto::ApplicationAttemptId to_proto(const AttemptId& id);
/// Ids of heddle name no attempt: the container is one of `attempt`.
[[nodiscard]] proto::ContainerId to_proto(ContainerId id, const AttemptId& attempt);

[[nodiscard]] ApplicationId application_of(const proto::ApplicationId& id);
[[nodiscard]] AttemptId attempt_of(const proto::ApplicationAttemptId& id);
[[nodiscard]] inline ContainerId container_of(const proto::ContainerId& id) { return ContainerId{id.id()}; }

/// A container and the attempt that it belongs to.
struct ContainerName {
  ContainerId container;
  AttemptId attempt;
};

/// Reads CONTAINER_ID: "container_e17_1410901177871_0001_01_000005", without the epoch if it is 0.
/// Errc::usage for any other text.
[[nodiscard]] Result<ContainerName> parse_container_name(std::string_view text);
/// The reverse: "container_e17_1410901177871_0001_01_000005".
[[nodiscard]] std::string container_name(const proto::ContainerId& id);

/// Reads "application_1410901177871_0001"; nothing for any other text.
[[nodiscard]] std::optional<ApplicationId> parse_application_name(std::string_view text);

}  // namespace heddle::interop
