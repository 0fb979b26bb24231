// Files of applications on a node, and their registration at its shuffle server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "apps/roles/background_thread.hpp"
#include "ports/application_files.hpp"
#include "work/shuffle/shuffle_server.hpp"

namespace heddle::apps {

class NodeFiles final : public ports::ApplicationFiles {
public:
  /// Creates the folders and starts the shuffle server. `directory`: for shuffle files; `logs`: for logs of containers.
  [[nodiscard]] static Result<std::unique_ptr<NodeFiles>> make(std::string directory, std::string logs);

  [[nodiscard]] Result<std::string> admit(const ApplicationId& application, const std::string& token) override;
  void forget(const ApplicationId& application) override;
  void forget_executor(const ApplicationId& application, const std::string& executor) override;
  [[nodiscard]] Result<std::string> log_directory(const ApplicationId& application, ContainerId container) override;
  [[nodiscard]] std::string shuffle_address() const override { return server_->address(); }

private:
  NodeFiles(std::string directory, std::string logs, std::unique_ptr<work::ShuffleServer> server)
      : directory_{std::move(directory)}, logs_{std::move(logs)}, server_{std::move(server)} {}

  std::string directory_;
  std::string logs_;
  std::unique_ptr<work::ShuffleServer> server_;
  std::int64_t forgotten_ = 0;
  BackgroundThread background_;  // removes files of removed applications
};

}  // namespace heddle::apps
