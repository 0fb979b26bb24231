#include "apps/library/session_start.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace heddle::apps {
namespace {

Result<SessionRequest> request_of(const heddle::SessionOptions& options, const SessionWords& words,
                                  const std::string& program) {
  SessionRequest request;
  request.name = options.name.empty() ? std::filesystem::path{program}.filename().string() : options.name;
  request.topology = words.topology.empty() ? options.topology : words.topology;
  // A topology decides where to run, unless the command line has --master.
  const auto& master = words.master.empty() ? options.master : words.master;
  if (!words.master.empty() || request.topology.empty()) {
    auto parsed = config::parse_master(master, processors(),
                                       config::usable_masters(config::Framework::driver, !request.topology.empty()));
    if (!parsed) return parsed.error();
    request.master = *parsed;
  }
  const auto& mode = words.deploy_mode.empty() ? options.deploy_mode : words.deploy_mode;
  if (mode != "client" && mode != "cluster")
    return Error{Errc::usage, fmt::format("--deploy-mode must be client or cluster, not \"{}\"", mode)};
  request.is_cluster_deploy = mode == "cluster";
  for (const auto& [key, value] : options.settings) request.entries.push_back({key, value, "the program"});
  request.assignments = words.assignments;
  return request;
}

}  // namespace

Result<PreparedSession> prepare_start(const heddle::SessionOptions& options, const SessionWords& words,
                                      const std::string& program) {
  auto request = request_of(options, words, program);
  if (!request) return request.error();
  return prepare_session(*request);
}

}  // namespace heddle::apps
