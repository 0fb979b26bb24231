#include "apps/bench/measure_in_child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <sstream>

namespace heddle::apps {
namespace {

// Lines from child to parent: "figure NAME VALUE", "peer NAME VALUE PEER", or "error CODE TEXT".
std::string write_turn(const Result<BenchReadings>& readings) {
  if (!readings) return fmt::format("error {} {}\n", static_cast<int>(readings.error().code), readings.error().text);
  std::string text;
  for (const auto& reading : *readings) {
    if (reading.peer) text += fmt::format("peer {} {} {}\n", reading.name, reading.value, *reading.peer);
    else text += fmt::format("figure {} {}\n", reading.name, reading.value);
  }
  return text;
}

Result<BenchReadings> read_turn(const std::string& text) {
  BenchReadings readings;
  std::istringstream lines{text};
  for (std::string kind; lines >> kind;) {
    if (kind == "error") {
      int code = 0;
      std::string sentence;
      lines >> code >> std::ws;
      std::getline(lines, sentence, '\0');
      return Error{static_cast<Errc>(code), sentence.substr(0, sentence.find_last_not_of('\n') + 1)};
    }
    BenchReading reading;
    lines >> reading.name >> reading.value;
    if (kind == "peer") lines >> reading.peer.emplace();
    readings.push_back(std::move(reading));
  }
  if (readings.empty()) return Error{Errc::internal, "the measuring process ended without a result"};
  return readings;
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const auto put = ::write(file, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

std::string read_all(int file) {
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(file, buffer, sizeof buffer)) != 0;) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

Result<BenchReadings> measure_in_child(std::string_view name, const BenchPlace& place, void (*prepare)()) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error{Errc::io, "cannot create a pipe"};
  std::fflush(nullptr);
  const auto child = ::fork();
  if (child < 0) return Error{Errc::io, "no process can be had"};
  if (child == 0) {
    prepare();
    write_all(ends[1], write_turn(run_measure(name, place)));
    ::_exit(0);
  }
  ::close(ends[1]);
  const auto text = read_all(ends[0]);
  ::close(ends[0]);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {}
  return read_turn(text);
}

}  // namespace heddle::apps
