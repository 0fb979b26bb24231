#include "work/terminal/terminal_server.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <list>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "work/terminal/terminal_key.hpp"
#include "work/transport/tls_socket.hpp"

namespace heddle::work {
namespace {

constexpr std::size_t head_bytes_max = 512;
constexpr int accept_pause_ms = 20;        // retry interval while no descriptor is left
constexpr int served_max = 16;             // a task needs three; other connections wait
constexpr std::size_t strangers_max = 64;  // above it, the oldest one is cut off: honest ones take milliseconds
constexpr auto silence_max = std::chrono::seconds{2};
constexpr auto look_interval = std::chrono::milliseconds{50};

/// Waits for `descriptor` or `stop`; returns false if `stop` is readable or after the timeout.
bool wait_for(int descriptor, short events, int stop, int timeout_ms = -1) {
  return wait_for_socket(descriptor, events, {timeout_ms, stop}) == 0;
}

bool write_output(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(to, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) {  // another process made stdout non-blocking
      pollfd polled{to, POLLOUT, 0};
      ::poll(&polled, 1, -1);
      continue;
    }
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

/// Returns the first line of a connection without LF; empty if it is not complete in time.
std::string read_first_line(TlsStream& stream, int stop, std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  const auto due = Clock::now() + patience;
  std::string head;
  while (head.size() < head_bytes_max) {
    char letter = 0;
    std::size_t got = 0;
    const auto read = stream.read(&letter, 1, got);
    if (read == ports::Transfer::closed) return {};
    if (read == ports::Transfer::blocked) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now()).count();
      if (left <= 0 || !wait_for(stream.descriptor(), POLLIN, stop, static_cast<int>(left))) return {};
      continue;
    }
    if (letter == '\n') return head;
    head += letter;
  }
  return {};
}

}  // namespace

/// Shared by the server and its threads; a thread can outlive the server.
struct TerminalServer::Shared {
  std::optional<TlsContext> context;
  std::chrono::milliseconds head_timeout{};
  int streams[3] = {-1, -1, -1};
  int listener = -1;
  int stop = -1;
  std::mutex mutex;
  std::condition_variable changed;
  std::string attempt;  // attempt that has the streams
  bool has_passed = false;
  bool is_stopping = false;
  int threads = 0;
  int served = 0;            // connections that have proven the token
  std::list<int> strangers;  // sockets of the others, oldest first
  int outputs = 0;           // open connections of stdout and stderr
  int silent = 0;            // how many of them wait for data of the task
  std::uint64_t moves = 0;   // number of buffers transferred

  ~Shared() {
    if (listener >= 0) ::close(listener);
    if (stop >= 0) ::close(stop);
  }

  /// Waits until another connection can be served; until then clients wait in the listen queue. Returns false at the
  /// end.
  bool wait_for_room() {
    std::unique_lock lock{mutex};
    changed.wait(lock, [this] { return served < served_max || is_stopping; });
    return !is_stopping;
  }
  bool has_room() {
    const std::lock_guard lock{mutex};
    return served < served_max;
  }
  void add_stranger(int socket) {
    const std::lock_guard lock{mutex};
    strangers.push_back(socket);
    if (strangers.size() <= strangers_max) return;
    ::shutdown(strangers.front(), SHUT_RDWR);  // its thread closes it
    strangers.pop_front();
  }
  /// Call it before the socket is closed: its number is reused.
  void remove_stranger(int socket) {
    const std::lock_guard lock{mutex};
    strangers.remove(socket);
  }
  void stop_all() {
    {
      const std::lock_guard lock{mutex};
      is_stopping = true;
      changed.notify_all();
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto put = ::write(stop, &one, sizeof one);
  }

  bool admits(const std::string& who) {
    const std::lock_guard lock{mutex};
    if (who != attempt && has_passed) return false;
    attempt = who;
    return true;
  }

  void pass() {
    const std::lock_guard lock{mutex};
    has_passed = true;
    ++moves;
  }

  void change_silent(int by) {
    const std::lock_guard lock{mutex};
    silent += by;
  }

  void serve(int socket) {
    TlsStream client{*context, socket};
    const auto stream = wanted_stream(client);
    remove_stranger(socket);
    if (!stream) return;
    change_served(*stream, 1);
    if (send_all(client, "y", forever())) {
      if (*stream == 0) copy_input(client);
      else copy_output(client, streams[*stream]);
    }
    change_served(*stream, -1);
  }
  void change_served(int stream, int by) {
    const std::lock_guard lock{mutex};
    served += by;
    if (stream != 0) outputs += by;
    changed.notify_all();
  }

  /// Returns the number of the stream that the client is for, if it knows the token and its attempt has the streams.
  std::optional<int> wanted_stream(TlsStream& client) {
    if (!shake_hands(client, {head_timeout.count(), stop})) return std::nullopt;
    const auto head = read_first_line(client, stop, head_timeout);
    constexpr std::string_view expected = "HTRM2 ";
    const auto at = expected.size();
    const bool is_known = head.size() > at + 2 && head.substr(0, at) == expected && head[at] >= '0' && head[at] <= '2';
    if (!is_known || !admits(head.substr(at + 2))) {
      static_cast<void>(send_all(client, "n", forever()));
      return std::nullopt;
    }
    return head[at] - '0';
  }

  [[nodiscard]] SocketWait forever() const { return {-1, stop}; }

  void copy_input(TlsStream& client) {
    std::vector<char> bytes(64 << 10);
    while (wait_for_input(client)) {
      const ssize_t got = ::read(streams[0], bytes.data(), bytes.size());
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got <= 0) {
        ::shutdown(client.descriptor(), SHUT_WR);
        // Waits until the task closes: an earlier close drops unread data.
        static_cast<void>(wait_for(client.descriptor(), POLLIN, stop));
        return;
      }
      pass();
      if (!send_all(client, {bytes.data(), static_cast<std::size_t>(got)}, forever())) return;
    }
  }

  void copy_output(TlsStream& client, int to) {
    std::vector<char> bytes(64 << 10);
    while (true) {
      std::size_t got = 0;
      const auto read = client.read(bytes.data(), bytes.size(), got);
      if (read == ports::Transfer::closed) return;
      if (read == ports::Transfer::blocked) {
        change_silent(1);
        const bool is_ready = wait_for(client.descriptor(), POLLIN, stop);
        change_silent(-1);
        if (!is_ready) return;
        continue;
      }
      pass();
      if (!write_output(to, {bytes.data(), got})) return;
    }
  }

  /// Also waits for the task to close, so that no input is read that the task does not want.
  bool wait_for_input(const TlsStream& client) const {
    pollfd polled[3] = {{streams[0], POLLIN, 0}, {stop, POLLIN, 0}, {client.descriptor(), POLLIN, 0}};
    while (::poll(polled, 3, -1) < 0)
      if (errno != EINTR) return false;
    return polled[1].revents == 0 && polled[2].revents == 0;
  }
};

namespace {

/// Listens on any port of an IPv4 address, and returns the port; -1 with errno.
int open_port(const std::string& host, int& listener) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  errno = EINVAL;
  if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) return -1;
  listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t size = sizeof address;
  auto* place = reinterpret_cast<sockaddr*>(&address);
  if (listener < 0 || ::bind(listener, place, size) != 0 || ::listen(listener, SOMAXCONN) != 0 ||
      ::getsockname(listener, place, &size) != 0)
    return -1;
  return ntohs(address.sin_port);
}

/// Runs `work` on its own thread, which is counted in `shared`.
template <class Shared, class Work>
void start_thread(const std::shared_ptr<Shared>& shared, Work work) {
  {
    const std::lock_guard lock{shared->mutex};
    ++shared->threads;
  }
  const auto count_end = [shared] {
    const std::lock_guard lock{shared->mutex};
    --shared->threads;
    shared->changed.notify_all();
  };
  try {
    std::thread{[count_end, work = std::move(work)] {
      work();
      count_end();
    }}.detach();
  } catch (const std::system_error&) {
    count_end();
    throw;
  }
}

}  // namespace

Result<std::unique_ptr<TerminalServer>> TerminalServer::start(std::string token, int input, int output, int error,
                                                              int head_timeout_ms, const TerminalPlace& place) {
  auto shared = std::make_shared<Shared>();
  shared->head_timeout = std::chrono::milliseconds{head_timeout_ms};
  auto context = TlsContext::for_server(terminal_key(token));
  if (!context) return context.error();
  shared->context = std::move(*context);
  shared->streams[0] = input;
  shared->streams[1] = output;
  shared->streams[2] = error;
  shared->stop = ::eventfd(0, EFD_CLOEXEC);
  const int port = open_port(place.bind_address, shared->listener);
  if (shared->stop < 0 || port < 0)
    return Error{Errc::io, "cannot open a port on " + place.bind_address +
                               " for the streams of a command: " + std::strerror(errno)};
  const auto& host = place.advertised_host.empty() ? place.bind_address : place.advertised_host;
  const std::string terminal = host + ':' + std::to_string(port) + ' ' + token;
  const auto accept_all = [at = shared.get(), shared] {
    while (at->wait_for_room() && wait_for(at->listener, POLLIN, at->stop)) {
      if (!at->has_room()) continue;
      const int socket = ::accept4(at->listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) {
        if (errno != EINTR && errno != ECONNABORTED)
          ::poll(nullptr, 0, accept_pause_ms);  // the listening socket stays readable until resources are free
        continue;
      }
      at->add_stranger(socket);
      try {
        start_thread(shared, [at, socket] { at->serve(socket); });
      } catch (const std::system_error&) {
        at->remove_stranger(socket);
        ::close(socket);
      }
    }
  };
  try {
    start_thread(shared, accept_all);
  } catch (const std::system_error& fault) {
    return Error{Errc::io, "cannot start a thread for the streams of a command: " + fault.code().message()};
  }
  return std::unique_ptr<TerminalServer>{new TerminalServer{std::move(shared), terminal}};
}

TerminalServer::TerminalServer(std::shared_ptr<Shared> shared, std::string terminal)
    : shared_{std::move(shared)}, terminal_{std::move(terminal)} {}

TerminalServer::~TerminalServer() {
  shared_->stop_all();
  // A thread that blocks on a write to stdout is detached; it shares ownership of its data.
  std::unique_lock lock{shared_->mutex};
  shared_->changed.wait_for(lock, std::chrono::seconds{1}, [this] { return shared_->threads == 0; });
}

void TerminalServer::finish(const std::function<bool()>& gives_up) {
  using Clock = std::chrono::steady_clock;
  std::unique_lock lock{shared_->mutex};
  auto moves = shared_->moves;
  auto last = Clock::now();
  while (!shared_->changed.wait_for(lock, look_interval, [this] { return shared_->outputs == 0; })) {
    if (shared_->silent < shared_->outputs || std::exchange(moves, shared_->moves) != shared_->moves)
      last = Clock::now();
    if (gives_up() || Clock::now() - last >= silence_max) return;
  }
}

}  // namespace heddle::work
