// Lends this process's stdin, stdout and stderr to one task that runs in another process: the client's side of
// pass-through. The task opens three connections to a port of the loopback, one per stream; each begins with a line:
//   HTRM1 <token> <0, 1 or 2> <attempt>LF        and is answered by one byte, 'y' or 'n'
// The first attempt that comes has the streams. Another one gets them only as long as nothing has passed: a byte of
// stdin is read once.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "model/result.hpp"

namespace heddle::work {

class TerminalServer {
public:
  /// The descriptors stay the caller's. `token` is a secret without spaces.
  /// A connection has `head_timeout_ms` in all for its first line.
  [[nodiscard]] static Result<std::unique_ptr<TerminalServer>> start(std::string token, int input, int output,
                                                                     int error, int head_timeout_ms = 5'000);
  /// Stops without waiting for what is still on its way.
  ~TerminalServer();
  TerminalServer(const TerminalServer&) = delete;
  TerminalServer& operator=(const TerminalServer&) = delete;

  /// "host:port token", for TerminalLink.
  [[nodiscard]] const std::string& terminal() const { return terminal_; }
  /// The job has ended: waits until both outputs have been written whole, however slow their readers are; not for a
  /// task that is silent for two seconds, nor once `gives_up`, which is asked often.
  void finish(const std::function<bool()>& gives_up);

private:
  struct Shared;
  TerminalServer(std::shared_ptr<Shared> shared, std::string terminal);

  std::shared_ptr<Shared> shared_;
  std::string terminal_;
};

}  // namespace heddle::work
