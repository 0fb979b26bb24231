#include "work/terminal/terminal_link.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "work/files/wake_event.hpp"

namespace heddle::work {
namespace {

constexpr int look_ms = 50;          // interval of the checks for a kill and for silence
constexpr int left_open_ms = 2'000;  // silence after which an output, or a client after a kill, is given up

Error link_error(const std::string& what) { return {Errc::io, "cannot connect to the streams of the client: " + what}; }

Result<int> connect_to(const std::string& host_and_port) {
  const auto colon = host_and_port.rfind(':');
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (colon == std::string::npos ||
      ::inet_pton(AF_INET, host_and_port.substr(0, colon).c_str(), &address.sin_addr) != 1)
    return link_error("'" + host_and_port + "' is not an address of the form HOST:PORT TOKEN");
  address.sin_port = htons(static_cast<std::uint16_t>(std::strtoul(host_and_port.c_str() + colon + 1, nullptr, 10)));
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return link_error(std::strerror(errno));
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
  const int reason = errno;
  ::close(socket);
  return link_error(std::strerror(reason));
}

/// Sends the first line of a connection; it fits into the socket buffer.
bool send_first_line(int socket, const std::string& head) {
  return ::send(socket, head.data(), head.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(head.size());
}

/// A write to a pipe without a reader must fail on this thread, not send SIGPIPE to the process.
void block_broken_pipe() {
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
}

}  // namespace

/// One socket, one pipe and one thread per stream. Each thread has one buffer: a slow reader blocks its writer.
struct TerminalLink::Streams {
  int sockets[3] = {-1, -1, -1};
  int command_ends[3] = {-1, -1, -1};
  int our_ends[3] = {-1, -1, -1};
  std::thread threads[3];
  std::atomic<bool> has_ended{false};  // true: the command has ended
  WakeEvent end_event;                 // readable from then on
  const std::atomic<bool>* is_killed = nullptr;

  ~Streams() { close(); }

  Result<Done> open(int stream, const std::string& terminal, const std::string& attempt) {
    const auto space = terminal.find(' ');
    auto socket = connect_to(terminal.substr(0, space));
    if (!socket) return socket.error();
    sockets[stream] = *socket;
    const std::string head =
        "HTRM1 " + terminal.substr(space + 1) + ' ' + std::to_string(stream) + ' ' + attempt + '\n';
    char answer = 0;
    if (!send_first_line(*socket, head) || !wait_for_answer(*socket) || ::recv(*socket, &answer, 1, 0) != 1)
      return link_error("it does not respond");
    if (answer != 'y')
      return Error{Errc::refused,
                   "the client's streams were used by an attempt that was lost; stdin cannot be read again"};
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return link_error(std::strerror(errno));
    command_ends[stream] = stream == 0 ? ends[0] : ends[1];
    our_ends[stream] = stream == 0 ? ends[1] : ends[0];
    for (const int descriptor : {our_ends[stream], *socket})
      ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    return Done{};
  }

  /// A stopped client (SIGSTOP) responds when it continues; only a kill ends the wait for it.
  [[nodiscard]] bool wait_for_answer(int socket) const {
    for (int silent_ms = 0; true; silent_ms += look_ms) {
      pollfd polled{socket, POLLIN, 0};
      const int ready = ::poll(&polled, 1, look_ms);
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return false;
      if (is_killed != nullptr && is_killed->load() && silent_ms >= left_open_ms) return false;
    }
  }

  void start() {
    for (const int stream : {0, 1, 2})
      threads[stream] = std::thread{[this, stream] {
        block_broken_pipe();
        const int from = stream == 0 ? sockets[0] : our_ends[stream];
        relay(stream, from, stream == 0 ? our_ends[0] : sockets[stream]);
        // The command sees end of file or EPIPE; the client sees a closed connection.
        ::close(std::exchange(our_ends[stream], -1));
        ::shutdown(sockets[stream], SHUT_RDWR);
      }};
  }

  /// Copies until one side closes, or the command has ended and no more data can arrive.
  void relay(int stream, int from, int to) {
    std::vector<char> bytes(64 << 10);
    while (wait_for(stream, from, POLLIN)) {
      const ssize_t got = ::read(from, bytes.data(), bytes.size());
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got <= 0) return;
      for (ssize_t done = 0; done < got;) {
        if (!wait_for(stream, to, POLLOUT)) return;
        const auto* rest = bytes.data() + done;
        const auto size = static_cast<std::size_t>(got - done);
        const ssize_t put = stream == 0 ? ::write(to, rest, size) : ::send(to, rest, size, MSG_NOSIGNAL);
        if (put < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (put < 0) return;
        done += put;
      }
    }
  }

  /// Waits without a timeout while the command runs, because it may be silent for hours. Returns false if waiting is
  /// useless: for stdin after the end of the command, after a kill, and for an output that an unreachable descendant
  /// keeps open without writing.
  bool wait_for(int stream, int descriptor, short events) {
    for (int silent_ms = 0; true;) {
      const bool is_over = has_ended.load();
      pollfd polled[]{{descriptor, events, 0}, {is_over ? -1 : end_event.descriptor(), POLLIN, 0}};
      const int ready = ::poll(polled, 2, is_over ? look_ms : -1);
      if (polled[0].revents != 0) return true;
      if (ready < 0 && errno != EINTR) return false;
      if (!is_over) continue;
      if (stream == 0 || (is_killed != nullptr && is_killed->load())) return false;
      silent_ms += look_ms;
      if (events == POLLIN && silent_ms >= left_open_ms) return false;
    }
  }

  void close() {
    for (int& end : command_ends)
      if (end >= 0) ::close(std::exchange(end, -1));
    has_ended = true;
    end_event.set();
    if (sockets[0] >= 0) ::shutdown(sockets[0], SHUT_RDWR);
    for (auto& thread : threads)
      if (thread.joinable()) thread.join();
    for (auto* ends : {&our_ends, &sockets})
      for (int& end : *ends)
        if (end >= 0) ::close(std::exchange(end, -1));
  }
};

Result<std::unique_ptr<TerminalLink>> TerminalLink::open(const std::string& terminal, const std::string& attempt,
                                                         const std::atomic<bool>* is_killed) {
  auto streams = std::make_unique<Streams>();
  streams->is_killed = is_killed;
  if (auto opened = streams->end_event.open("cannot watch the end of a command"); !opened) return opened.error();
  for (const int stream : {0, 1, 2})
    if (auto opened = streams->open(stream, terminal, attempt); !opened) return opened.error();
  streams->start();
  return std::unique_ptr<TerminalLink>{new TerminalLink{std::move(streams)}};
}

TerminalLink::TerminalLink(std::unique_ptr<Streams> streams) : streams_{std::move(streams)} {}
TerminalLink::~TerminalLink() = default;

int TerminalLink::input() const { return streams_->command_ends[0]; }
int TerminalLink::output() const { return streams_->command_ends[1]; }
int TerminalLink::error() const { return streams_->command_ends[2]; }
void TerminalLink::finish() { streams_->close(); }

}  // namespace heddle::work
