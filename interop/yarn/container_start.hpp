// What the first process of a container on YARN finds: the variables of its NodeManager, and its credentials.
#pragma once

#include <string_view>

#include "config/text/environment.hpp"
#include "interop/hadoop/token_file.hpp"
#include "model/launch_spec.hpp"
#include "model/result.hpp"

namespace heddle::interop {

/// The launch spec of this process: that of the secrets, with container, host and folders of the NodeManager. Fails if
/// a variable is missing or wrong, or without a readable secret `heddle.launch`.
[[nodiscard]] Result<LaunchSpec> container_spec(const config::ContainerVariables& variables,
                                                const CredentialFile& credentials);

}  // namespace heddle::interop
