#include "apps/roles/node_files.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace heddle::apps {
namespace {

Result<std::string> make_folder(std::string path) {
  std::error_code fault;
  std::filesystem::create_directories(path, fault);
  if (fault) return Error{Errc::io, fmt::format("cannot create the folder {}: {}", path, fault.message())};
  return path;
}

}  // namespace

Result<std::unique_ptr<NodeFiles>> NodeFiles::make(std::string directory, std::string logs) {
  auto server = work::ShuffleServer::start({});
  if (!server) return server.error();
  return std::unique_ptr<NodeFiles>{new NodeFiles{std::move(directory), std::move(logs), std::move(*server)}};
}

Result<std::string> NodeFiles::admit(const ApplicationId& application, const std::string& token) {
  auto folder = make_folder(directory_ + "/" + to_string(application));
  if (folder) server_->add_application(application, token, *folder + "/shuffle");
  return folder;
}

void NodeFiles::forget(const ApplicationId& application) {
  server_->remove_application(application);
  // Removes in the background: many files take long, and a node without heartbeats expires with all its containers.
  const auto folder = directory_ + "/" + to_string(application);
  const auto aside = fmt::format("{}.forgotten-{}", folder, ++forgotten_);
  std::error_code fault;
  std::filesystem::rename(folder, aside, fault);
  if (fault) return;  // the folder was never created
  background_.run([aside] {
    std::error_code ignored;
    std::filesystem::remove_all(aside, ignored);
  });
}

void NodeFiles::forget_executor(const ApplicationId& application, const std::string& executor) {
  const bool is_number = !executor.empty() && executor.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) return;  // the id becomes part of a path
  background_.run([folder = directory_ + "/" + to_string(application) + "/executor-" + executor] {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  });
}

Result<std::string> NodeFiles::log_directory(const ApplicationId& application, ContainerId container) {
  return make_folder((logs_.empty() ? directory_ + "/logs/" + to_string(application) : logs_) + "/container-" +
                     to_string(container));
}

}  // namespace heddle::apps
