#include "model/container_end.hpp"

#include <fmt/format.h>

namespace heddle {

std::string describe(const ContainerEnd& end) {
  std::string text = end.diagnostics;
  if (end.process) {
    const std::string process = end.process->signal != 0
                                    ? fmt::format("killed by signal {}", end.process->signal)
                                    : fmt::format("its process ended with code {}", end.process->exit_code);
    text = text.empty() ? process : fmt::format("{} ({})", text, process);
  }
  if (!end.log_directory.empty()) text += "; its logs are in " + end.log_directory;
  return text;
}

std::string describe_unreachable_driver(const std::string& address, const std::string& node) {
  return fmt::format(
      "the Driver at {} cannot be reached from node {}; in client mode set heddle.driver.host or "
      "heddle.driver.bind_address to an address that the node can reach, or use --deploy-mode cluster",
      address, node);
}

}  // namespace heddle
