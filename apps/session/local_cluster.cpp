#include "apps/session/local_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "apps/roles/role_tools.hpp"
#include "apps/session/ready_pipe.hpp"
#include "work/commands/process_launcher.hpp"

namespace heddle::apps {
namespace {

constexpr std::chrono::seconds start_patience{20};

std::string master_directory(const LocalClusterOptions& options) {
  return options.directory + '/' + options.processes.master_log;
}

}  // namespace

void NodeExits::on_all_ended(OnAllEnded listener) {
  const std::lock_guard lock{mutex_};
  if (left_ == 0 && !is_ignoring_) listener(text());
  listeners_.push_back(std::move(listener));
}

void NodeExits::add(const std::string& end) {
  const std::lock_guard lock{mutex_};
  exits_.push_back(end);
  if (--left_ > 0 || is_ignoring_) return;
  for (const auto& listener : listeners_) listener(text());
}

void NodeExits::ignore_exits() {
  const std::lock_guard lock{mutex_};
  is_ignoring_ = true;
}

std::string NodeExits::text() const {
  constexpr std::size_t named_max = 3;
  std::string text = fmt::format("no {} of the cluster is left", role_);
  for (std::size_t i = 0; i < std::min(exits_.size(), named_max); ++i) text += (i == 0 ? ": " : "; ") + exits_[i];
  if (exits_.size() > named_max) text += fmt::format("; and {} more", exits_.size() - named_max);
  return text;
}

std::string MasterExit::text() const {
  const std::lock_guard lock{mutex_};
  return text_;
}

void MasterExit::set(std::string text) {
  const std::lock_guard lock{mutex_};
  text_ = std::move(text);
}

LocalCluster::LocalCluster(const LocalClusterOptions& options)
    : nodes_{std::make_shared<NodeExits>(options.hosts.size(), options.processes.node_title)},
      launcher_{std::make_unique<work::ProcessLauncher>()},
      losses_{[this](PlannedLosses::ProcessNumber process) { launcher_->stop(process, 0); }} {}

/// Gives the roles time to close their logs.
LocalCluster::~LocalCluster() {
  constexpr std::int64_t grace_ms = 1500;  // as long as a parent watch gives roles
  restarts_.stop();
  nodes_->ignore_exits();
  launcher_->end_all(grace_ms);
}

Result<PlannedLosses::ProcessNumber> LocalCluster::start_role(const LocalClusterOptions& options, RoleLaunch role,
                                                              const std::string& host, const std::string& log_name,
                                                              OnRoleEnd on_end) {
  ports::LaunchContext context;
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  context.arguments = {program.empty() ? "/proc/self/exe" : program.string()};
  if (!host.empty())
    context.environment = {{"HEDDLE_NODE_HOST", host}};  // identifies node processes in the process list
  LaunchSpec spec;
  spec.role = std::move(role);
  spec.settings = options.settings;
  spec.log_directory = options.log_directory;
  spec.cluster = options.transport_key.name;
  spec.cluster_secret = options.transport_key.secret;
  context.spec = std::move(spec);
  context.standard_output = options.log_directory + "/" + log_name + ".stdout";
  context.standard_error = options.log_directory + "/" + log_name + ".stderr";
  return launcher_->start(context, [on_end = std::move(on_end), log = context.standard_error](
                                       ports::ProcessLauncher::ProcessNumber, ProcessEnd end) {
    on_end(end.signal != 0 ? fmt::format("was killed by signal {} (log: {})", end.signal, log)
                           : fmt::format("ended with exit code {} (log: {})", end.exit_code, log));
  });
}

void LocalCluster::keep_master(const LocalClusterOptions& options) {
  restarts_.begin([this, options](std::int32_t restarts) {
    const auto& processes = options.processes;
    const auto role = processes.master({{}, master_directory(options), address_, restarts});
    return start_role(options, role, {}, attempt_log_name(processes.master_log, restarts + 1),
                      [this](const std::string&) { restarts_.on_master_ended(); })
        .has_value();
  });
}

Result<std::unique_ptr<LocalCluster>> LocalCluster::start(const LocalClusterOptions& options,
                                                          const IsCancelled& is_cancelled) {
  const auto& processes = options.processes;
  std::unique_ptr<LocalCluster> cluster{new LocalCluster{options}};
  const auto pipe_path = fmt::format("{}/{}.ready", options.directory, processes.master_log);
  auto pipe = ReadyPipe::make(pipe_path, processes.master_title);
  if (!pipe) return pipe.error();
  auto on_master_end = [pipe_path, title = processes.master_title, restarts = &cluster->restarts_,
                        exit = processes.restarts_master ? nullptr : cluster->master_exit_](const std::string& end) {
    ReadyPipe::report_early_exit(pipe_path, end);
    if (exit) exit->set(fmt::format("the {} {}", title, end));
    restarts->on_master_ended();
  };
  auto started = cluster->start_role(options, processes.master({pipe_path, master_directory(options)}), {},
                                     processes.master_log, std::move(on_master_end));
  if (!started) return started.error();
  const auto address = pipe->read_line(start_patience, is_cancelled);
  if (!address) return address.error();
  cluster->address_ = *address;
  if (processes.restarts_master) cluster->keep_master(options);
  for (const auto& host : options.hosts) {
    auto node = cluster->start_role(
        options, processes.node(host, options.directory + "/" + host.name, *address), host.name,
        processes.node_log + "." + host.name,
        [nodes = cluster->nodes_, name = host.name](const std::string& end) { nodes->add(name + " " + end); });
    if (!node) return node.error();
    if (host.lost_at) cluster->losses_.add(*host.lost_at, *node);
  }
  cluster->losses_.begin();
  return cluster;
}

}  // namespace heddle::apps
