// Files of an application on a node: the folder of its shuffle files, the token for fetching them, and a log folder for
// each container.
#pragma once

#include <string>

#include "model/ids.hpp"
#include "model/result.hpp"

namespace heddle::ports {

class ApplicationFiles {
public:
  virtual ~ApplicationFiles() = default;
  /// Creates the folder of the application, allows fetches with `token`, and returns the folder. Can be repeated.
  [[nodiscard]] virtual Result<std::string> admit(const ApplicationId& application, const std::string& token) = 0;
  /// Removes the folder and the token. Does nothing for an unknown application.
  virtual void forget(const ApplicationId& application) = 0;
  /// Removes the working folder of an executor after its process has ended. Map outputs on the node stay.
  virtual void forget_executor(const ApplicationId& application, const std::string& executor) = 0;
  /// Creates and returns the folder for stdout and stderr of a container. The folder stays after the container ends.
  [[nodiscard]] virtual Result<std::string> log_directory(const ApplicationId& application, ContainerId container) = 0;
  /// host:port of the shuffle server of this node; empty if only processes on this machine can read its files.
  [[nodiscard]] virtual std::string shuffle_address() const = 0;
};

}  // namespace heddle::ports
