// latency BUSY IDLE: sends a byte through the same threads and processes as a task of `local-cluster[1,1,512]`, and
// back, without decisions, output and event log. Each arrow is a TCP connection over loopback:
//
//   client:   main -0-> driver -1-> input and output        input and output -7-> driver -8-> main
//                                          | 2                     ^ 6
//   executor:                       input and output -3-> executor -4-> task slot -5-> input and output
//
// BUSY consecutive round trips, then IDLE ones, each after 5 ms of silence.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/benchmarks/bare/bare.hpp"

namespace heddle::bare {
namespace {

constexpr int warm_up = 200;
constexpr int silence_ms = 5;

struct Connection {
  int from = -1;
  int to = -1;
};

Connection connect_over_loopback() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* place = reinterpret_cast<sockaddr*>(&address);
  Connection made;
  if (listener < 0 || ::bind(listener, place, size) != 0 || ::listen(listener, 1) != 0 ||
      ::getsockname(listener, place, &size) != 0)
    throw std::runtime_error{"no port of the loopback can be had"};
  made.from = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(made.from, place, size) != 0) throw std::runtime_error{"the loopback refuses a connection"};
  made.to = ::accept(listener, nullptr, nullptr);
  ::close(listener);
  const int on = 1;
  ::setsockopt(made.from, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return made;
}

using Connections = std::array<Connection, 9>;

bool send_byte(const Connection& over) {
  const char byte = 'x';
  return ::send(over.from, &byte, 1, MSG_NOSIGNAL) == 1;
}
bool receive_byte(const Connection& over) {
  char byte = 0;
  return ::recv(over.to, &byte, 1, 0) == 1;
}

/// Copies bytes from each of these connections to the next one, until one closes.
void hand_on(const Connections& all, const std::vector<std::size_t>& inputs) {
  std::vector<pollfd> polled;
  for (const auto input : inputs) polled.push_back({all[input].to, POLLIN, 0});
  while (true) {
    if (polled.size() > 1 && ::poll(polled.data(), polled.size(), -1) < 0) return;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (polled.size() > 1 && polled[i].revents == 0) continue;
      if (!receive_byte(all[inputs[i]]) || !send_byte(all[inputs[i] + 1])) return;
    }
  }
}

/// Threads with the connections that each one reads.
class Threads {
public:
  Threads(const Connections& all, const std::vector<std::vector<std::size_t>>& inputs) {
    for (const auto& each : inputs) threads_.emplace_back([&all, each] { hand_on(all, each); });
  }
  ~Threads() {
    for (auto& thread : threads_) thread.join();
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

private:
  std::vector<std::thread> threads_;
};

double at_share(const std::vector<double>& sorted, double share) {
  const auto index = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
  return sorted[std::min(index, sorted.size() - 1)];
}

std::vector<double> round_trips(const Connections& all, int count, int pause_ms) {
  std::vector<double> milliseconds;
  for (int trip = 0; trip < count; ++trip) {
    if (pause_ms > 0) ::poll(nullptr, 0, pause_ms);
    const Stopwatch watch;
    if (!send_byte(all.front()) || !receive_byte(all.back())) throw std::runtime_error{"a connection broke"};
    milliseconds.push_back(watch.seconds() * 1e3);
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  return milliseconds;
}

void say_shares(const std::string& name, const std::vector<double>& sorted) {
  print_figure((name + "_p50").c_str(), at_share(sorted, 0.5), "ms");
  print_figure((name + "_p99").c_str(), at_share(sorted, 0.99), "ms");
}

}  // namespace

int latency(const Words& words) {
  const int busy = std::stoi(words[0]);
  const int idle = std::stoi(words[1]);
  if (busy <= 0 || idle <= 0) throw std::runtime_error{"latency takes two numbers of round trips above 0"};
  Connections all;
  for (auto& each : all) each = connect_over_loopback();
  const pid_t executor = ::fork();  // fork before any thread starts
  if (executor < 0) throw std::runtime_error{"no process for the executor"};
  if (executor == 0) {
    { const Threads threads{all, {{2, 5}, {3}, {4}}}; }
    ::_exit(0);
  }
  {
    const Threads threads{all, {{0, 7}, {1, 6}}};
    round_trips(all, warm_up, 0);
    say_shares("latency", round_trips(all, busy, 0));
    say_shares("latency_idle", round_trips(all, idle, silence_ms));
    for (const auto& each : all) ::shutdown(each.to, SHUT_RDWR);  // stops the threads of both processes
  }
  int status = 0;
  if (::waitpid(executor, &status, 0) != executor || status != 0) throw std::runtime_error{"the executor failed"};
  return 0;
}

}  // namespace heddle::bare
