// The ApplicationMaster of an application on YARN that has no master container: a process on the host of the client.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

#include "interop/hadoop/token_file.hpp"
#include "model/launch_spec.hpp"
#include "model/result.hpp"
#include "work/commands/process_launcher.hpp"

namespace heddle::apps {

class UnmanagedMaster {
public:
  /// Called at most once, maybe on another thread: the process was not started, or ended with a failure.
  using OnFailure = std::function<void(const std::string& text)>;

  /// `program`: plays the role. `folder`: private to the user; gets the logs of the process, and its token file while
  /// it runs. `user`: who submits the application.
  UnmanagedMaster(std::string program, std::string folder, std::string user, OnFailure on_failure);
  /// Waits 2 s for the end of the process, which follows that of its application; then kills it.
  ~UnmanagedMaster();
  UnmanagedMaster(const UnmanagedMaster&) = delete;
  UnmanagedMaster& operator=(const UnmanagedMaster&) = delete;

  /// Starts the process with what a NodeManager would give it. Call it once.
  void start(const LaunchSpec& spec, const interop::CredentialFile& credentials);

private:
  [[nodiscard]] std::string token_file() const;
  [[nodiscard]] Result<Done> try_start(LaunchSpec spec, const interop::CredentialFile& credentials);
  void on_end(const ProcessEnd& end, const std::string& log);
  void set_running(bool is_running);
  void fail(const std::string& text);

  std::string program_;
  std::string folder_;
  std::string user_;
  OnFailure on_failure_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_running_ = false;
  bool is_leaving_ = false;  // the session ends
  work::ProcessLauncher launcher_;
};

}  // namespace heddle::apps
