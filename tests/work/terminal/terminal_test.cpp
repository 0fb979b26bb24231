// Goal: a command in another process reads the client's stdin and writes its outputs, each byte once.
// Method: pipes instead of the client's streams; the test acts as the command.
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/no_threads.hpp"
#include "work/commands/command_runner.hpp"
#include "work/commands/process_tree.hpp"
#include "work/terminal/terminal_key.hpp"
#include "work/terminal/terminal_link.hpp"
#include "work/terminal/terminal_server.hpp"
#include "work/transport/tls_socket.hpp"

namespace heddle::work {
namespace terminal_test {
namespace {

struct Pipe {
  Pipe() { BOOST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0); }
  ~Pipe() {
    close_write();
    if (ends[0] >= 0) ::close(ends[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void put(const std::string& text) const {
    BOOST_REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  void close_write() {
    if (ends[1] >= 0) ::close(std::exchange(ends[1], -1));
  }
  /// Reads until the last writer has closed.
  [[nodiscard]] std::string rest() const {
    std::string text;
    char bytes[4096];
    for (ssize_t got = 0; (got = ::read(ends[0], bytes, sizeof bytes)) > 0;)
      text.append(bytes, static_cast<std::size_t>(got));
    return text;
  }
  int ends[2];
};

/// A TerminalServer with pipes as its streams.
struct Client {
  Pipe input;
  Pipe output;
  Pipe error;
  std::unique_ptr<TerminalServer> server;
  Client() {
    auto started = TerminalServer::start("secret", input.ends[0], output.ends[1], error.ends[1]);
    BOOST_REQUIRE(started);
    server = std::move(*started);
  }
};

CommandResult run_linked(const std::string& terminal, const std::string& attempt, std::vector<std::string> arguments) {
  auto link = TerminalLink::open(terminal, attempt);
  BOOST_REQUIRE(link);
  Command command;
  command.arguments = std::move(arguments);
  command.mark = make_process_mark();
  command.pass_through = true;
  command.standard_input = (*link)->input();
  command.standard_output = (*link)->output();
  command.standard_error = (*link)->error();
  CommandRunner runner{{}};
  auto end = runner.run(command, {}, {});
  BOOST_REQUIRE(end);
  (*link)->finish();
  return *end;
}

BOOST_AUTO_TEST_CASE(a_command_has_the_streams_of_the_client) {
  Client client;
  client.input.put("one\ntwo, without an end of line");
  client.input.close_write();
  const auto end = run_linked(client.server->terminal(), "a", {"sh", "-c", "cat; echo aside >/dev/stderr; exit 3"});
  BOOST_TEST(end.exit_code == 3);
  client.server->finish([] { return false; });
  client.server.reset();
  client.output.close_write();
  client.error.close_write();
  BOOST_TEST(client.output.rest() == "one\ntwo, without an end of line");
  BOOST_TEST(client.error.rest() == "aside\n");
}

BOOST_AUTO_TEST_CASE(output_of_any_size_is_passed_completely) {
  Client client;
  std::string output;
  std::thread reader{[&] { output = client.output.rest(); }};
  run_linked(client.server->terminal(), "a", {"head", "-c", "3000000", "/dev/zero"});
  client.server->finish([] { return false; });
  client.server.reset();
  client.output.close_write();
  reader.join();
  BOOST_TEST(output.size() == 3'000'000U);
}

BOOST_AUTO_TEST_CASE(a_command_need_not_read_its_input) {
  Client client;
  const auto end = run_linked(client.server->terminal(), "a", {"true"});  // and the client's stdin stays open
  BOOST_TEST(end.exit_code == 0);
}

BOOST_AUTO_TEST_CASE(a_command_gets_an_error_when_its_reader_has_closed) {
  Pipe input;
  Pipe output;
  Pipe error;
  auto server = TerminalServer::start("secret", input.ends[0], output.ends[1], error.ends[1]);
  BOOST_REQUIRE(server);
  ::close(std::exchange(output.ends[0], -1));
  const auto end = run_linked((*server)->terminal(), "a", {"yes"});
  BOOST_TEST(end.exit_code != 0);
}

/// Waits of all threads of this process that have ended.
std::int64_t waits_ended() {
  std::int64_t sum = 0;
  for (const auto& thread : std::filesystem::directory_iterator{"/proc/self/task"}) {
    std::ifstream status{thread.path() / "status"};
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("voluntary_ctxt_switches:")) sum += std::stoll(line.substr(line.find(':') + 1));
  }
  return sum;
}

BOOST_AUTO_TEST_CASE(a_silent_command_wakes_no_thread) {
  Client client;
  auto link = TerminalLink::open(client.server->terminal(), "a");
  BOOST_REQUIRE(link);
  pollfd polled{client.output.ends[0], POLLIN, 0};
  const auto before = waits_ended();
  BOOST_TEST(::poll(&polled, 1, 500) == 0);
  BOOST_TEST(waits_ended() - before < 15);  // a look every 50 ms of each of three threads is 30
  (*link)->finish();
}

BOOST_AUTO_TEST_CASE(a_killed_command_does_not_wait_for_a_client_that_does_not_read) {
  Client client;
  const std::atomic<bool> is_killed{true};
  auto link = TerminalLink::open(client.server->terminal(), "a", &is_killed);
  BOOST_REQUIRE(link);
  const int output = (*link)->output();
  BOOST_REQUIRE(::fcntl(output, F_SETFL, O_NONBLOCK) == 0);
  const std::string block(64 << 10, 'x');
  int refused = 0;
  for (int times = 0; times < 100'000 && refused < 50; ++times) {
    if (::write(output, block.data(), block.size()) > 0) continue;
    pollfd polled{output, POLLOUT, 0};
    if (::poll(&polled, 1, 20) == 0) ++refused;  // all buffers to the client have been full for a second
  }
  BOOST_TEST(refused == 50);
  (*link)->finish();
}

BOOST_AUTO_TEST_CASE(another_attempt_is_refused_after_a_byte_has_passed) {
  Client client;
  run_linked(client.server->terminal(), "first", {"true"});
  run_linked(client.server->terminal(), "second", {"echo", "output"});
  client.server->finish([] { return false; });  // waits until the output has passed
  const auto third = TerminalLink::open(client.server->terminal(), "third");
  BOOST_REQUIRE(!third);
  BOOST_TEST((third.error().code == Errc::refused));
}

int connect_to(const std::string& terminal) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(terminal.substr(terminal.find(':') + 1))));
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  BOOST_REQUIRE(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return socket;
}

BOOST_AUTO_TEST_CASE(a_connection_whose_first_line_comes_byte_by_byte_is_closed_in_time) {
  Pipe pipe;
  auto server = TerminalServer::start("secret", pipe.ends[0], pipe.ends[1], pipe.ends[1], 200);
  BOOST_REQUIRE(server);
  const int socket = connect_to((*server)->terminal());
  int bytes = 0;
  for (bool is_closed = false; !is_closed && bytes < 400; ++bytes) {
    (void)::send(socket, "H", 1, MSG_NOSIGNAL);
    pollfd polled{socket, POLLIN, 0};
    is_closed = ::poll(&polled, 1, 20) > 0;  // each byte is in time, only the whole line is late
  }
  BOOST_TEST(bytes < 200);
  ::close(socket);
}

BOOST_AUTO_TEST_CASE(a_killed_attempt_does_not_wait_for_a_client_that_does_not_respond) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  auto* place = reinterpret_cast<sockaddr*>(&here);
  BOOST_REQUIRE(::bind(listener, place, size) == 0);
  BOOST_REQUIRE(::listen(listener, 8) == 0);
  BOOST_REQUIRE(::getsockname(listener, place, &size) == 0);
  const std::atomic<bool> is_killed{true};
  const auto link =
      TerminalLink::open("127.0.0.1:" + std::to_string(ntohs(here.sin_port)) + " secret", "a", &is_killed);
  BOOST_TEST(!link);
  ::close(listener);
}

/// Opens a stream of the client as a task does; returns the response of the server.
char open_stream(TlsStream& stream, int number) {
  if (!shake_hands(stream, {20'000})) return 0;
  BOOST_REQUIRE(send_all(stream, "HTRM2 " + std::to_string(number) + " a\n", {20'000}));
  BOOST_TEST(wait_for_socket(stream.descriptor(), POLLIN, {20'000}) == 0);
  char answer = 0;
  std::size_t got = 0;
  BOOST_TEST((stream.read(&answer, 1, got) == ports::Transfer::done));
  return answer;
}

BOOST_AUTO_TEST_CASE(silent_strangers_do_not_keep_a_task_waiting) {
  Pipe pipe;
  auto server = TerminalServer::start("secret", pipe.ends[0], pipe.ends[1], pipe.ends[1], 60'000);
  BOOST_REQUIRE(server);
  std::vector<int> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(connect_to((*server)->terminal()));
  const auto context = TlsContext::for_client(terminal_key("secret"));
  for (int number = 0; number < 3; ++number) {
    TlsStream stream{*context, connect_to((*server)->terminal())};
    BOOST_TEST(open_stream(stream, number) == 'y');
  }
  BOOST_TEST(wait_for_socket(silent.front(), POLLIN, {20'000}) == 0);  // the oldest is cut off
  BOOST_TEST(wait_for_socket(silent.back(), POLLIN, {0}) != 0);
  for (const int socket : silent) ::close(socket);
}

BOOST_AUTO_TEST_CASE(a_connection_above_the_limit_waits_until_another_closes) {
  Pipe pipe;
  auto server = TerminalServer::start("secret", pipe.ends[0], pipe.ends[1], pipe.ends[1], 30'000);
  BOOST_REQUIRE(server);
  const auto context = TlsContext::for_client(terminal_key("secret"));
  std::vector<std::unique_ptr<TlsStream>> open;
  for (int i = 0; i < 16; ++i) {
    open.push_back(std::make_unique<TlsStream>(*context, connect_to((*server)->terminal())));
    BOOST_TEST(open_stream(*open.back(), 1) == 'y');
  }
  TlsStream last{*context, connect_to((*server)->terminal())};
  BOOST_TEST((shake_hands(last, {200}).error().code == Errc::timed_out));  // neither served nor dropped
  open.pop_back();
  BOOST_TEST(open_stream(last, 1) == 'y');
}

BOOST_AUTO_TEST_CASE(a_server_that_cannot_start_its_thread_is_an_error) {
  Pipe pipe;
  const tests::NoThreads none;
  const auto server = TerminalServer::start("secret", pipe.ends[0], pipe.ends[1], pipe.ends[1]);
  BOOST_REQUIRE(!server);
  BOOST_TEST(server.error().text.starts_with("cannot start a thread for the streams of a command: "),
             server.error().text);
}

BOOST_AUTO_TEST_CASE(a_wrong_token_is_refused) {
  Client client;
  const auto& terminal = client.server->terminal();
  BOOST_TEST(!TerminalLink::open(terminal.substr(0, terminal.find(' ')) + " guessed", "a"));
}

}  // namespace
}  // namespace terminal_test
}  // namespace heddle::work
