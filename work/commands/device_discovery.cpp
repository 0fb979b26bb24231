#include "work/commands/device_discovery.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>

#include "work/commands/spawn.hpp"
#include "work/files/file_handle.hpp"

namespace heddle::work {
namespace {

constexpr std::size_t printed_max = 1 << 20;
constexpr std::string_view example = R"({"name": "gpu", "addresses": ["0", "1"]})";

/// Reads `from` until end of file. Returns false after `due` or if the text is too long.
bool read_all(const FileHandle& from, std::chrono::steady_clock::time_point due, std::string& text) {
  std::array<char, 4096> buffer;
  while (text.size() <= printed_max) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(due - std::chrono::steady_clock::now()).count();
    if (left <= 0) return false;
    pollfd wanted{from.descriptor(), POLLIN, 0};
    const int ready = ::poll(&wanted, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const auto got = ::read(from.descriptor(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return false;
}

/// Waits for the exit of a child; nothing if it has not ended at `due`.
Result<std::optional<ChildExit>> wait_for(pid_t child, std::chrono::steady_clock::time_point due) {
  const FileHandle end{static_cast<int>(::syscall(SYS_pidfd_open, child, 0)), "a discovery script"};
  if (end.descriptor() < 0) return file_error(errno, "watch", "a discovery script");
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - std::chrono::steady_clock::now()).count();
    pollfd wanted{end.descriptor(), POLLIN, 0};
    const int ready = ::poll(&wanted, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::optional<ChildExit>{};
    return reap_child(child, end.descriptor());
  }
}

Result<std::string> run_script(const std::string& script, std::chrono::milliseconds patience) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return file_error(errno, "make a pipe for", script);
  const FileHandle output{ends[0], script};
  FileHandle input{ends[1], script};
  const std::vector<std::string> arguments{std::filesystem::absolute(script).string()};
  const EnvironmentBlock environment{{}};
  SpawnRequest request;
  request.arguments = &arguments;
  request.environment = &environment;
  request.standard_output = input.descriptor();
  request.no_input = true;
  const auto started = spawn_process(request);
  if (!started) return started.error();
  [[maybe_unused]] const auto closed = input.close();
  std::string printed;
  const auto due = std::chrono::steady_clock::now() + patience;
  const bool is_whole = read_all(output, due, printed);
  const auto ended = is_whole ? wait_for(*started, due) : Result<std::optional<ChildExit>>{std::nullopt};
  if (!ended || !*ended) {
    // The script leads its own session: also kills the processes that it left.
    kill_child(*started);
    if (!ended)
      return Error{ended.error().code, fmt::format("the discovery script {}: {}", script, ended.error().text)};
    return Error{Errc::failed, fmt::format("the discovery script {} does not end in time, or prints too much", script)};
  }
  const ChildExit& end = **ended;
  if (end.exit_code != 0)
    return Error{Errc::failed,
                 fmt::format("the discovery script {} failed ({} {})", script, end.signal != 0 ? "signal" : "exit code",
                             end.signal != 0 ? end.signal : end.exit_code)};
  return printed;
}

Result<DeviceAddresses> find_one(const DeviceSearch& search) {
  if (search.script.empty()) return DeviceAddresses{search.name, search.addresses};
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(search.script, ignored))
    return Error{Errc::not_found,
                 fmt::format("resource script: {} to discover {} doesn't exist", search.script, search.name)};
  const auto printed = run_script(search.script, search.patience);
  if (!printed) return printed.error();
  auto found = parse_devices(search.name, *printed);
  if (!found) return Error{found.error().code, fmt::format("{}: {}", search.script, found.error().text)};
  return found;
}

}  // namespace

Result<DeviceAddresses> parse_devices(std::string_view name, std::string_view printed) {
  const Error unreadable{Errc::failed, fmt::format("the discovery script of {} must print text like {}; it printed: {}",
                                                   name, example, printed.substr(0, 200))};
  boost::system::error_code failed;
  const auto value = boost::json::parse(printed, failed);
  const auto* object = failed ? nullptr : value.if_object();
  if (object == nullptr) return unreadable;
  const auto* named = object->if_contains("name");
  const auto* listed = object->if_contains("addresses");
  if (named == nullptr || !named->is_string() || listed == nullptr || !listed->is_array()) return unreadable;
  if (std::string_view{named->get_string().data(), named->get_string().size()} != name)
    return Error{Errc::failed, fmt::format("the discovery script returned resource name {} and we were expecting {}",
                                           named->get_string().c_str(), name)};
  DeviceAddresses found{std::string{name}, {}};
  for (const auto& address : listed->get_array()) {
    if (!address.is_string()) return unreadable;
    found.addresses.emplace_back(address.get_string().data(), address.get_string().size());
  }
  return found;
}

Result<std::vector<DeviceAddresses>> find_devices(const std::vector<DeviceSearch>& searches) {
  std::vector<DeviceAddresses> devices;
  for (const auto& search : searches) {
    auto found = find_one(search);
    if (!found) return found.error();
    if (static_cast<std::int64_t>(found->addresses.size()) < search.amount)
      return Error{Errc::refused,
                   fmt::format("resource: {}, with addresses: {} is less than what the user requested: {}", search.name,
                               fmt::join(found->addresses, ","), search.amount)};
    devices.push_back(std::move(*found));
  }
  return devices;
}

}  // namespace heddle::work
