// The streams of a client in another process, as pipes for one command: the executor's side of pass-through
// (terminal_server.hpp).
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "model/result.hpp"

namespace heddle::work {

class TerminalLink {
public:
  /// Connects to `terminal` ("host:port token") for an attempt. Refused where another attempt has used the streams
  /// already. Once `is_killed` is true, what the client does not take is lost.
  [[nodiscard]] static Result<std::unique_ptr<TerminalLink>> open(const std::string& terminal,
                                                                  const std::string& attempt,
                                                                  const std::atomic<bool>* is_killed = nullptr);
  /// As finish().
  ~TerminalLink();
  TerminalLink(const TerminalLink&) = delete;
  TerminalLink& operator=(const TerminalLink&) = delete;

  /// Ends of pipes for the command; this object's until finish().
  [[nodiscard]] int input() const;
  [[nodiscard]] int output() const;
  [[nodiscard]] int error() const;
  /// The command has ended: returns when everything that it wrote has been passed on,
  /// however slow the client's reader is.
  void finish();

private:
  struct Streams;
  explicit TerminalLink(std::unique_ptr<Streams> streams);
  std::unique_ptr<Streams> streams_;
};

}  // namespace heddle::work
