#include "apps/session/local_cluster.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "work/commands/process_launcher.hpp"

namespace heddle::apps {
namespace {

constexpr int start_timeout_ms = 20'000;

/// Reads one line from a pipe that another process opens by its name.
Result<std::string> read_line(const std::string& pipe_path, int descriptor) {
  std::string line;
  while (true) {
    pollfd poll{descriptor, POLLIN, 0};
    const int ready = ::poll(&poll, 1, start_timeout_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return Error{Errc::timed_out, "the ResourceManager did not start in time; its log tells why"};
    char bytes[4096];
    const auto count = ::read(descriptor, bytes, sizeof bytes);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return Error{Errc::io, fmt::format("the pipe {} broke", pipe_path)};
    line.append(bytes, static_cast<std::size_t>(count));
    const auto end = line.find('\n');
    if (end == 0) return Error{Errc::unreachable, "the ResourceManager " + line.substr(1)};
    if (end != std::string::npos) return line.substr(0, end);
  }
}

/// Ends the wait for the address: an empty line, then how the ResourceManager ended. Nobody reads it later.
void tell_early_end(const std::string& pipe_path, const std::string& end) {
  const int pipe = ::open(pipe_path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (pipe < 0) return;
  const auto line = "\n" + end;
  [[maybe_unused]] const auto written = ::write(pipe, line.data(), line.size());
  ::close(pipe);
}

}  // namespace

void NodeEnds::on_all_ended(OnAllEnded tell) {
  const std::lock_guard lock{mutex_};
  if (left_ == 0 && !is_forgotten_) tell(text());
  told_.push_back(std::move(tell));
}

void NodeEnds::add(const std::string& end) {
  const std::lock_guard lock{mutex_};
  ends_.push_back(end);
  if (--left_ > 0 || is_forgotten_) return;
  for (const auto& tell : told_) tell(text());
}

void NodeEnds::forget() {
  const std::lock_guard lock{mutex_};
  is_forgotten_ = true;
}

std::string NodeEnds::text() const {
  constexpr std::size_t named_max = 3;
  std::string text = "no NodeManager of the cluster is left";
  for (std::size_t i = 0; i < std::min(ends_.size(), named_max); ++i) text += (i == 0 ? ": " : "; ") + ends_[i];
  if (ends_.size() > named_max) text += fmt::format("; and {} more", ends_.size() - named_max);
  return text;
}

LocalCluster::LocalCluster(std::size_t nodes)
    : nodes_{std::make_shared<NodeEnds>(nodes)}, launcher_{std::make_unique<work::ProcessLauncher>()} {}

/// The roles close their logs before they leave.
LocalCluster::~LocalCluster() {
  constexpr std::int64_t grace_ms = 1500;  // as long as a leash gives them
  nodes_->forget();
  launcher_->end_all(grace_ms);
}

Result<Done> LocalCluster::start_role(const LocalClusterOptions& options, LaunchSpec spec, const std::string& log_name,
                                      OnRoleEnd on_end) {
  ports::LaunchContext context;
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  context.arguments = {program.empty() ? "/proc/self/exe" : program.string()};
  if (const auto* node = std::get_if<NodeManagerLaunch>(&spec.role))
    context.environment = {{"HEDDLE_NODE_HOST", node->host}};  // tells node processes apart for whoever looks at them
  spec.settings = options.settings;
  spec.log_directory = options.log_directory;
  context.spec = std::move(spec);
  context.standard_output = options.log_directory + "/" + log_name + ".stdout";
  context.standard_error = options.log_directory + "/" + log_name + ".stderr";
  auto started = launcher_->start(context, [on_end = std::move(on_end), log = context.standard_error](
                                               ports::ProcessLauncher::ProcessNumber, ports::ProcessEnd end) {
    on_end(end.signal != 0 ? fmt::format("was killed by signal {} (log: {})", end.signal, log)
                           : fmt::format("ended with exit code {} (log: {})", end.exit_code, log));
  });
  if (!started) return started.error();
  return Done{};
}

Result<std::unique_ptr<LocalCluster>> LocalCluster::start(const LocalClusterOptions& options) {
  std::unique_ptr<LocalCluster> cluster{new LocalCluster{options.hosts.size()}};
  const auto pipe_path = options.directory + "/resource_manager.ready";
  if (::mkfifo(pipe_path.c_str(), 0600) != 0)
    return Error{Errc::io, fmt::format("the pipe {} cannot be made: {}", pipe_path, std::strerror(errno))};
  // Open for writing too: then reading never sees an end before the ResourceManager has written.
  const int pipe = ::open(pipe_path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (pipe < 0)
    return Error{Errc::io, fmt::format("the pipe {} cannot be opened: {}", pipe_path, std::strerror(errno))};
  LaunchSpec manager;
  manager.role =
      ResourceManagerLaunch{options.cluster_start, static_cast<std::int32_t>(options.hosts.size()), pipe_path};
  auto started = cluster->start_role(options, std::move(manager), "resource_manager",
                                     [pipe_path](const std::string& end) { tell_early_end(pipe_path, end); });
  auto address = started ? read_line(pipe_path, pipe) : Result<std::string>{started.error()};
  ::close(pipe);
  if (!address) return address.error();
  cluster->address_ = *address;
  for (const auto& host : options.hosts) {
    LaunchSpec spec;
    spec.role = NodeManagerLaunch{*address,
                                  host.name,
                                  host.rack,
                                  host.resource,
                                  host.extras.value_or(ExtraResources{}),
                                  static_cast<std::int32_t>(100.0 / host.speed),
                                  options.directory + "/" + host.name};
    auto node = cluster->start_role(
        options, std::move(spec), "node_manager." + host.name,
        [nodes = cluster->nodes_, name = host.name](const std::string& end) { nodes->add(name + " " + end); });
    if (!node) return node.error();
  }
  return cluster;
}

}  // namespace heddle::apps
