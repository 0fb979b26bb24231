#include "work/commands/fork_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "config/text/environment.hpp"
#include "work/commands/process_tree.hpp"
#include "work/commands/spawn.hpp"

extern char** environ;

namespace heddle::work {
namespace {

constexpr std::size_t mark_bytes_max = 1'024;
constexpr std::size_t given_count = 4;
/// The server binds all symbols before it forks, instead of each forked process those that it uses. Any other value is
/// the user's own.
constexpr const char* bind_now = "LD_BIND_NOW";
constexpr const char* bind_now_value = "heddle";

static_assert(fork_server_role.size() == forked_role.size(), "one is written over the other");

/// A message of a request: its mark, and the descriptors in the order of ForkRequest.
struct RequestMessage {
  std::array<char, mark_bytes_max> mark{};
  iovec part{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(given_count * sizeof(int))> control{};
  msghdr header{};

  RequestMessage() {
    part = {mark.data(), mark.size()};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }
};

/// What the forked process, or the server, answers.
struct Answer {
  pid_t pid = 0;  // 0: the fork failed
  int reason = 0;
};

Error server_error(const std::string& what, int reason) {
  return {Errc::io, "the fork server " + what + ": " + std::strerror(reason)};
}

/// A copy of this process whose parent is the parent of this one. fork() of the C library cannot do that; what it does
/// beyond the system call matters for several threads only.
pid_t fork_sibling() { return static_cast<pid_t>(::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)); }

/// The value of the process mark in the environment of this process, with room for the marks of forked processes.
char* find_mark() {
  const auto name = std::string{process_mark_name} + '=';
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    if (std::strncmp(*variable, name.c_str(), name.size()) == 0) return *variable + name.size();
  return nullptr;
}

/// Turns the copy into the wanted process.
void become(const std::array<int, given_count>& given, std::string_view mark, char* role, char* own_mark,
            std::size_t room) {
  ::setsid();
  std::memcpy(role, forked_role.data(), forked_role.size());
  std::memset(own_mark, 0, room);
  std::memcpy(own_mark, mark.data(), mark.size());
  constexpr std::array<int, given_count> wanted{STDOUT_FILENO, STDERR_FILENO, inherited_descriptor, spec_descriptor};
  for (std::size_t i = 0; i < given_count; ++i)
    if (::dup2(given[i], wanted[i]) < 0) ::_exit(70);
}

/// A fork copies the calling thread alone: locks that others hold would stay locked.
bool has_one_thread() {
  std::error_code fault;
  const std::filesystem::directory_iterator threads{"/proc/self/task", fault};
  return !fault && std::distance(begin(threads), end(threads)) == 1;
}

void close_all(const std::array<int, given_count>& given) {
  for (const int descriptor : given) ::close(descriptor);
}

}  // namespace

Result<std::unique_ptr<ForkServer>> ForkServer::start(std::string program, Variables variables,
                                                      const std::string& mark) {
  if (mark.size() >= mark_bytes_max) return Error{Errc::refused, "the process mark is too long for a fork server"};
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return server_error("cannot get a socket", errno);
  FileHandle own{ends[0], "the socket of a fork server"};
  const FileHandle other{ends[1], own.path()};
  // Larger than the numbers that the server gets, as spawn_process wants it.
  const FileHandle moved{::fcntl(other.descriptor(), F_DUPFD_CLOEXEC, spec_descriptor + 1), own.path()};
  if (!moved.is_open()) return server_error("cannot keep its socket", errno);
  auto changes = variables;
  // Marks end with their separators too: there is room for those of the forked processes.
  changes.emplace_back(process_mark_name, mark + std::string(mark_bytes_max - mark.size(), '/'));
  if (!config::environment_variable(bind_now)) changes.emplace_back(bind_now, bind_now_value);
  const EnvironmentBlock environment{changes};
  const std::vector<std::string> arguments{program, "heddle-role", std::string{fork_server_role}, "--spec-fd",
                                           std::to_string(spec_descriptor)};
  SpawnRequest request;
  request.arguments = &arguments;
  request.environment = &environment;
  request.spec = moved.descriptor();
  request.no_input = true;
  request.closes_others = true;
  const auto pid = spawn_process(request);
  if (!pid) return pid.error();
  return std::unique_ptr<ForkServer>{new ForkServer{std::move(program), std::move(variables), std::move(own), *pid}};
}

ForkServer::~ForkServer() { kill_child(pid_); }

Result<pid_t> ForkServer::fork(const ForkRequest& request, std::chrono::milliseconds patience) {
  if (request.mark.size() >= mark_bytes_max)
    return Error{Errc::refused, "the process mark is too long for a fork server"};
  RequestMessage message;
  message.part.iov_len = request.mark.size();
  std::copy(request.mark.begin(), request.mark.end(), message.mark.begin());
  auto* control = CMSG_FIRSTHDR(&message.header);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(given_count * sizeof(int));
  const std::array<int, given_count> given{request.standard_output, request.standard_error, request.parent_watch,
                                           request.spec};
  std::memcpy(CMSG_DATA(control), given.data(), sizeof given);
  if (::sendmsg(socket_.descriptor(), &message.header, MSG_NOSIGNAL) < 0)
    return server_error("takes no request", errno);
  pollfd polled{socket_.descriptor(), POLLIN, 0};
  int ready = 0;
  do ready = ::poll(&polled, 1, static_cast<int>(patience.count()));
  while (ready < 0 && errno == EINTR);
  const int reason = ready == 0 ? ETIMEDOUT : errno;
  // A forked process that cannot answer any more exits. One that has answered until now runs.
  is_usable_ = ready > 0;
  if (!is_usable_) ::shutdown(socket_.descriptor(), SHUT_RDWR);
  Answer answer;
  if (::recv(socket_.descriptor(), &answer, sizeof answer, MSG_DONTWAIT) != sizeof answer)
    return ready <= 0 ? server_error("does not answer", reason) : server_error("has ended", EPIPE);
  if (answer.pid <= 0) return server_error("cannot fork", answer.reason);
  add_child(answer.pid);
  return answer.pid;
}

bool serve_forks(char** arguments) {
  if (!has_one_thread()) return false;  // the program has started another one before main()
  if (config::environment_variable(bind_now) == bind_now_value) ::unsetenv(bind_now);  // of no concern to commands
  char* const role = arguments[2];
  char* const own_mark = find_mark();
  const std::size_t room = own_mark == nullptr ? 0 : std::strlen(own_mark);
  // The numbers that forked processes get are taken here, so that no received descriptor has one of them.
  const int socket = ::fcntl(spec_descriptor, F_DUPFD_CLOEXEC, spec_descriptor + 1);
  const int null_device = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (socket < 0 || null_device < 0) return false;
  for (const int taken : {inherited_descriptor, spec_descriptor})
    if (null_device != taken) ::dup2(null_device, taken);
  while (true) {
    RequestMessage message;
    const auto got = ::recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    const auto* control = CMSG_FIRSTHDR(&message.header);
    if (control == nullptr || control->cmsg_len != CMSG_LEN(given_count * sizeof(int))) return false;
    std::array<int, given_count> given{};
    std::memcpy(given.data(), CMSG_DATA(control), sizeof given);
    const std::string_view mark{message.mark.data(), static_cast<std::size_t>(got)};
    const bool fits = mark.size() < room;
    const pid_t pid = fits ? fork_sibling() : -1;
    if (pid == 0) {
      become(given, mark, role, own_mark, room);
      // Answers itself, so that its parent knows it as the leader of its session.
      const Answer answer{::getpid(), 0};
      const bool is_wanted = ::send(socket, &answer, sizeof answer, MSG_NOSIGNAL) == sizeof answer;
      ::close_range(spec_descriptor + 1, ~0U, 0);
      if (!is_wanted) ::_exit(70);
      return true;
    }
    close_all(given);
    if (pid > 0) continue;
    const Answer answer{0, fits ? errno : E2BIG};
    static_cast<void>(::send(socket, &answer, sizeof answer, MSG_NOSIGNAL));
  }
}

}  // namespace heddle::work
