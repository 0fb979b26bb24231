// The named pipe through which a ResourceManager's process tells its starter where it listens.
#pragma once

#include <chrono>
#include <string>

#include "apps/session/session.hpp"
#include "model/result.hpp"

namespace heddle::apps {

class ReadyPipe {
public:
  /// Makes the pipe; nothing may be there under its name.
  [[nodiscard]] static Result<ReadyPipe> make(const std::string& path);
  ~ReadyPipe();
  ReadyPipe(ReadyPipe&& other) noexcept;
  ReadyPipe& operator=(ReadyPipe&&) = delete;

  /// The line that the process writes. Blocks; ends early, with Errc::cancelled, when the user cancels.
  [[nodiscard]] Result<std::string> read_line(std::chrono::milliseconds patience, const IsCancelled& is_cancelled);
  /// By any thread: the process has ended, with this sentence, and no line will come.
  static void tell_early_end(const std::string& path, const std::string& end);

private:
  ReadyPipe(std::string path, int descriptor);
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace heddle::apps
