#include "work/terminal/terminal_link.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "work/files/wake_event.hpp"
#include "work/terminal/terminal_key.hpp"
#include "work/transport/tls_socket.hpp"

namespace heddle::work {
namespace {

constexpr int connect_ms = 10'000;
constexpr int look_ms = 50;          // interval of the checks for a kill and for silence
constexpr int left_open_ms = 2'000;  // silence after which an output, or a client after a kill, is given up

Error link_error(const std::string& what) { return {Errc::io, "cannot connect to the streams of the client: " + what}; }

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
  std::unique_ptr<TlsStream> clients[3];
  int command_ends[3] = {-1, -1, -1};
  int our_ends[3] = {-1, -1, -1};
  std::thread threads[3];
  std::atomic<bool> has_ended{false};  // true: the command has ended
  WakeEvent end_event;                 // readable from then on
  const std::atomic<bool>* is_killed = nullptr;

  ~Streams() { close(); }

  Result<Done> open(int stream, const std::string& terminal, const std::string& attempt) {
    const auto space = terminal.find(' ');
    if (space == std::string::npos) return link_error("'" + terminal + "' is not of the form HOST:PORT TOKEN");
    const auto context = TlsContext::for_client(terminal_key(terminal.substr(space + 1)));
    if (!context) return context.error();
    auto connected = connect_stream(*context, terminal.substr(0, space), {connect_ms});
    if (!connected) return link_error(connected.error().text);
    auto& client = *(clients[stream] = std::move(*connected));
    if (auto shaken = shake_hands_with(client); !shaken) return link_error(shaken.error().text);
    const std::string head = "HTRM2 " + std::to_string(stream) + ' ' + attempt + '\n';
    char answer = 0;
    if (!send_all(client, head, {connect_ms}) || !receive_answer(client, answer))
      return link_error("it does not respond");
    if (answer != 'y')
      return Error{Errc::refused,
                   "the client's streams were used by an attempt that was lost; stdin cannot be read again"};
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return link_error(std::strerror(errno));
    command_ends[stream] = stream == 0 ? ends[0] : ends[1];
    our_ends[stream] = stream == 0 ? ends[1] : ends[0];
    ::fcntl(our_ends[stream], F_SETFL, ::fcntl(our_ends[stream], F_GETFL) | O_NONBLOCK);
    return Done{};
  }

  /// A stopped client (SIGSTOP) responds when it continues; only a kill ends the wait for it.
  [[nodiscard]] bool is_given_up(int silent_ms) const {
    return is_killed != nullptr && is_killed->load() && silent_ms >= left_open_ms;
  }
  [[nodiscard]] Result<Done> shake_hands_with(TlsStream& client) const {
    for (int silent_ms = 0; true; silent_ms += look_ms) {
      auto shaken = shake_hands(client, {look_ms});
      if (shaken || shaken.error().code != Errc::timed_out || is_given_up(silent_ms)) return shaken;
    }
  }
  [[nodiscard]] bool receive_answer(TlsStream& client, char& answer) const {
    for (int silent_ms = 0; true; silent_ms += look_ms) {
      std::size_t got = 0;
      const auto read = client.read(&answer, 1, got);
      if (read != ports::Transfer::blocked) return read == ports::Transfer::done;
      const int failed = wait_for_socket(client.descriptor(), POLLIN, {look_ms});
      if ((failed != 0 && failed != ETIMEDOUT) || is_given_up(silent_ms)) return false;
    }
  }

  void start() {
    for (const int stream : {0, 1, 2})
      threads[stream] = std::thread{[this, stream] {
        block_broken_pipe();
        if (stream == 0) relay_input();
        else relay_output(stream);
        // The command sees end of file or EPIPE; the client sees a closed connection.
        ::close(std::exchange(our_ends[stream], -1));
        ::shutdown(clients[stream]->descriptor(), SHUT_RDWR);
      }};
  }

  /// Both copy until one side closes, or the command has ended and no more data can arrive.
  void relay_input() {
    auto& client = *clients[0];
    std::vector<char> bytes(64 << 10);
    while (true) {
      std::size_t got = 0;
      const auto read = client.read(bytes.data(), bytes.size(), got);
      if (read == ports::Transfer::closed) return;
      if (read == ports::Transfer::blocked && !wait_for(0, client.descriptor(), POLLIN)) return;
      for (std::size_t done = 0; done < got;) {
        if (!wait_for(0, our_ends[0], POLLOUT)) return;
        const ssize_t put = ::write(our_ends[0], bytes.data() + done, got - done);
        if (put < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (put < 0) return;
        done += static_cast<std::size_t>(put);
      }
    }
  }
  void relay_output(int stream) {
    auto& client = *clients[stream];
    std::vector<char> bytes(64 << 10);
    while (wait_for(stream, our_ends[stream], POLLIN)) {
      const ssize_t got = ::read(our_ends[stream], bytes.data(), bytes.size());
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got <= 0) return;
      for (std::size_t done = 0; done < static_cast<std::size_t>(got);) {
        std::size_t put = 0;
        const auto sent = client.write(bytes.data() + done, static_cast<std::size_t>(got) - done, put);
        if (sent == ports::Transfer::closed) return;
        if (sent == ports::Transfer::blocked && !wait_for(stream, client.descriptor(), POLLOUT)) return;
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
    if (clients[0]) ::shutdown(clients[0]->descriptor(), SHUT_RDWR);
    for (auto& thread : threads)
      if (thread.joinable()) thread.join();
    for (int& end : our_ends)
      if (end >= 0) ::close(std::exchange(end, -1));
    for (auto& client : clients) client.reset();
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
