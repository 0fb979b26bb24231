// What a node keeps for an application while it runs: a folder for its shuffle files, the token of those who may fetch
// them, and a folder of logs for each container.
#pragma once

#include <string>

#include "model/ids.hpp"
#include "model/result.hpp"

namespace heddle::ports {

class ApplicationFiles {
public:
  virtual ~ApplicationFiles() = default;
  /// Makes the application's folder and lets holders of `token` fetch from it; answers the folder. Repeating it changes
  /// nothing.
  [[nodiscard]] virtual Result<std::string> admit(const ApplicationId& application, const std::string& token) = 0;
  /// Folder and token go. Unknown applications are ignored.
  virtual void forget(const ApplicationId& application) = 0;
  /// The folder in which an executor worked goes, once its process has ended. The map outputs of the node stay.
  virtual void forget_executor(const ApplicationId& application, const std::string& executor) = 0;
  /// Makes the folder for what a container writes to stdout and stderr; answers it. It outlives the container.
  [[nodiscard]] virtual Result<std::string> log_directory(const ApplicationId& application, ContainerId container) = 0;
  /// host:port where the node serves shuffle files; empty: to the same machine only.
  [[nodiscard]] virtual std::string shuffle_address() const = 0;
};

}  // namespace heddle::ports
