// Client's side of pass-through: gives stdin, stdout and stderr of this process to one task in another process. The
// task opens three connections over TLS to a port, one per stream; the token is the secret of their key. Each
// starts with a line:
//   HTRM2 <0, 1 or 2> <attempt>LF        the response is one byte, 'y' or 'n'
// The first attempt gets the streams. Another attempt gets them only if no byte has passed, because stdin can be read
// only once.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "model/result.hpp"

namespace heddle::work {

/// Where a TerminalServer listens.
struct TerminalPlace {
  std::string bind_address = "127.0.0.1";
  std::string advertised_host = {};  // by which the task reaches it; empty: bind_address
};

class TerminalServer {
public:
  /// Starts the server. The caller keeps the descriptors. `token`: a secret without spaces. `head_timeout_ms`: limit
  /// for the handshake, and for receiving the first line of a connection.
  [[nodiscard]] static Result<std::unique_ptr<TerminalServer>> start(std::string token, int input, int output,
                                                                     int error, int head_timeout_ms = 5'000,
                                                                     const TerminalPlace& place = {});
  /// Stops without waiting for data in transit.
  ~TerminalServer();
  TerminalServer(const TerminalServer&) = delete;
  TerminalServer& operator=(const TerminalServer&) = delete;

  /// "host:port token", for TerminalLink::open.
  [[nodiscard]] const std::string& terminal() const { return terminal_; }
  /// After the job: waits until both outputs are written completely, even if their readers are slow. Gives up if the
  /// task is silent for two seconds, or when `gives_up` returns true, which is called often.
  void finish(const std::function<bool()>& gives_up);

private:
  struct Shared;
  TerminalServer(std::shared_ptr<Shared> shared, std::string terminal);

  std::shared_ptr<Shared> shared_;
  std::string terminal_;
};

}  // namespace heddle::work
