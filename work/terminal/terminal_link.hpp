// Executor's side of pass-through: standard streams of a client in another process, as pipes for one command
// (terminal_server.hpp).
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "model/result.hpp"

namespace heddle::work {

class TerminalLink {
public:
  /// Connects to `terminal` ("host:port token") for a task attempt. Errc::refused if another attempt has used the
  /// streams. After `is_killed` is true, data that the client does not read is dropped.
  [[nodiscard]] static Result<std::unique_ptr<TerminalLink>> open(const std::string& terminal,
                                                                  const std::string& attempt,
                                                                  const std::atomic<bool>* is_killed = nullptr);
  /// Calls finish().
  ~TerminalLink();
  TerminalLink(const TerminalLink&) = delete;
  TerminalLink& operator=(const TerminalLink&) = delete;

  /// Pipe ends for the command; owned by this object until finish().
  [[nodiscard]] int input() const;
  [[nodiscard]] int output() const;
  [[nodiscard]] int error() const;
  /// After the command: waits until all its output has been sent, even if the client reads slowly.
  void finish();

private:
  struct Streams;
  explicit TerminalLink(std::unique_ptr<Streams> streams);
  std::unique_ptr<Streams> streams_;
};

}  // namespace heddle::work
