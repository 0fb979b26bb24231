// Forks role processes from a prepared process of the same program. That saves most of what a start costs: exec, and
// the dynamic linker, which binds 20,000 symbols in 2 to 3 ms. Linux only.
//
// The server has one thread and forks siblings: a forked process is a child of the process that started the server, as
// if that had started it. It differs from a started one in nothing that /proc shows: arguments and process mark are
// written over those of the server.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/result.hpp"
#include "work/files/file_handle.hpp"

namespace heddle::work {

/// Argument after `heddle-role` of the server. A forked process has forked_role instead, which is as long.
inline constexpr std::string_view fork_server_role = "forkserver";
inline constexpr std::string_view forked_role = "task-child";

/// Descriptors that a forked process gets, as spawn_process gives them. All must be open.
struct ForkRequest {
  std::string mark;  // process mark
  int standard_output = -1;
  int standard_error = -1;
  int parent_watch = -1;  // as inherited_descriptor
  int spec = -1;          // as spec_descriptor
};

/// The side of the process that wants children. Not for use by two threads at the same time.
class ForkServer {
public:
  using Variables = std::vector<std::pair<std::string, std::string>>;
  static constexpr std::chrono::milliseconds usual_patience{5'000};

  /// Starts a server: PROGRAM heddle-role forkserver --spec-fd N. `variables`: added to the environment of all its
  /// processes. `mark`: process mark of the server.
  [[nodiscard]] static Result<std::unique_ptr<ForkServer>> start(std::string program, Variables variables,
                                                                 const std::string& mark);
  /// Kills the server; forked processes go on.
  ~ForkServer();
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  /// True if a process of this program with these variables can be forked.
  [[nodiscard]] bool suits(const std::string& program, const Variables& variables) const {
    return program == program_ && variables == variables_;
  }
  /// Returns when the process leads its own session: a child of this process, as of spawn_process. After an error the
  /// server is of no use, and a process that it forks later ends by itself. `patience`: for the answer, which takes
  /// long on a loaded machine. After it the server is of no use either, even if the answer came at the last moment.
  [[nodiscard]] Result<pid_t> fork(const ForkRequest& request, std::chrono::milliseconds patience = usual_patience);
  /// False after an error, and after an answer at the last moment.
  [[nodiscard]] bool is_usable() const { return is_usable_; }

private:
  ForkServer(std::string program, Variables variables, FileHandle socket, pid_t pid)
      : program_{std::move(program)}, variables_{std::move(variables)}, socket_{std::move(socket)}, pid_{pid} {}

  std::string program_;
  Variables variables_;
  FileHandle socket_;
  pid_t pid_;
  bool is_usable_ = true;
};

/// The side of the server; `arguments` are those of main(). Returns true in each forked process, and false in the
/// server once nobody can send requests any more, or at once if it has several threads.
[[nodiscard]] bool serve_forks(char** arguments);

}  // namespace heddle::work
