// Named pipe through which the master process of a local cluster reports its address to its parent.
#pragma once

#include <chrono>
#include <string>

#include "apps/session/session.hpp"
#include "model/result.hpp"

namespace heddle::apps {

class ReadyPipe {
public:
  /// Creates the pipe; `path` must not exist. `role`: name of the master in errors.
  [[nodiscard]] static Result<ReadyPipe> make(const std::string& path, const std::string& role = "ResourceManager");
  ~ReadyPipe();
  ReadyPipe(ReadyPipe&& other) noexcept;
  ReadyPipe& operator=(ReadyPipe&&) = delete;

  /// Waits for the line that the process writes. Errc::cancelled if the user cancels, Errc::timed_out after `patience`.
  [[nodiscard]] Result<std::string> read_line(std::chrono::milliseconds patience, const IsCancelled& is_cancelled);
  /// Ends read_line() with the error `end`, because the process has ended. Can be called from any thread.
  static void report_early_exit(const std::string& path, const std::string& end);

private:
  ReadyPipe(std::string path, std::string role, int descriptor);
  std::string path_;
  std::string role_;
  int descriptor_ = -1;
};

}  // namespace heddle::apps
