#include "work/files/process_owner.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <climits>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ports/file_path.hpp"

namespace heddle::work {
namespace {

constexpr std::string_view owner_head = "heddle owner 1";
constexpr std::string_view owner_tail = "end";

std::string content_of(const std::string& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// State of a pid in /proc. If it cannot be read (no descriptor left), the process counts as alive.
struct ProcessState {
  enum class Kind : std::uint8_t { unknown, ended, alive };
  Kind kind = Kind::unknown;
  std::int64_t start_time = 0;  // if it is alive
};

ProcessState state_of(std::int64_t process) {
  using Kind = ProcessState::Kind;
  const auto path = "/proc/" + std::to_string(process) + "/stat";
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {errno == ENOENT ? Kind::ended : Kind::unknown};
  std::string text(4096, '\0');  // the line of one process fits: names have at most 64 bytes
  const auto count = ::read(descriptor, text.data(), text.size());
  const int fault = errno;
  ::close(descriptor);
  if (count < 0) return {fault == ESRCH ? Kind::ended : Kind::unknown};
  text.resize(static_cast<std::size_t>(count));
  const auto name_end = text.rfind(')');  // the name before it can contain any byte
  if (name_end == std::string::npos) return {};
  std::vector<std::string_view> fields;  // fields[0] is field 3
  for (std::string_view rest = std::string_view{text}.substr(name_end + 1); !rest.empty();) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \n"), rest.size()));
    const auto size = std::min(rest.find_first_of(" \n"), rest.size());
    if (size > 0) fields.push_back(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  if (fields.size() < 20) return {};
  // A zombie has ended, unless other threads of it run.
  if (fields[0] == "Z" && number_of(fields[17]).value_or(2) <= 1) return {Kind::ended};
  const auto start_time = number_of(fields[19]);
  return start_time ? ProcessState{Kind::alive, *start_time} : ProcessState{};
}

std::string owner_path_in(const std::string& folder) { return folder + '/' + std::string{owner_file_name}; }

/// Boot time of this host, Unix time in seconds.
std::optional<std::int64_t> boot_time() {
  std::ifstream file{"/proc/stat"};
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("btime ")) return number_of(std::string_view{line}.substr(6));
  return std::nullopt;
}

}  // namespace

ProcessOwner this_process_owner(const ApplicationId& application) {
  ProcessOwner owner;
  owner.application = application;
  owner.user = ::geteuid();
  char host[HOST_NAME_MAX + 1] = {};
  if (::gethostname(host, sizeof host - 1) == 0) owner.host = host;
  owner.boot_id = first_line(content_of("/proc/sys/kernel/random/boot_id"));
  std::error_code ignored;
  owner.pid_namespace = std::filesystem::read_symlink("/proc/self/ns/pid", ignored).string();
  owner.process = ::getpid();
  owner.start_time = state_of(owner.process).start_time;
  owner.written_at =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  return owner;
}

ProcessOwner application_owner(const ApplicationId& application) {
  ProcessOwner owner;
  owner.application = application;
  owner.user = ::geteuid();
  owner.process = 1;  // an owner without a process is not valid
  owner.start_time = 1;
  return owner;
}

std::string write_owner(const ProcessOwner& owner) {
  std::string text{owner_head};
  const auto add = [&text](std::string_view key, const std::string& value) {
    text.append("\n").append(key).append(" ").append(escaped_line(value));
  };
  add("cluster_start", std::to_string(owner.application.cluster_start));
  add("application", std::to_string(owner.application.number));
  add("attempt", std::to_string(owner.attempt));
  add("user", std::to_string(owner.user));
  add("host", owner.host);
  add("boot_id", owner.boot_id);
  add("pid_namespace", owner.pid_namespace);
  add("process", std::to_string(owner.process));
  add("start_time", std::to_string(owner.start_time));
  add("written_at", std::to_string(owner.written_at));
  for (const auto& output : owner.outputs) add("output", output);
  return text.append("\n").append(owner_tail).append("\n");
}

std::optional<ProcessOwner> read_owner(std::string_view text) {
  ProcessOwner owner;
  bool is_whole = false;
  for (std::size_t number = 0; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (number == 0 && line != owner_head) return std::nullopt;
    const auto key = line.substr(0, line.find(' '));
    const auto value = line.substr(std::min(key.size() + 1, line.size()));
    const auto read = [&](std::int64_t& to) {
      const auto found = number_of(value);
      to = found.value_or(0);
      return found.has_value();
    };
    std::int64_t attempt = 0;
    if (key == "cluster_start" && !read(owner.application.cluster_start)) return std::nullopt;
    if (key == "application" && !read(owner.application.number)) return std::nullopt;
    if (key == "attempt" && !read(attempt)) return std::nullopt;
    if (key == "attempt") owner.attempt = static_cast<std::int32_t>(attempt);
    if (key == "user" && !read(owner.user)) return std::nullopt;
    if (key == "host") owner.host = unescaped_line(value);
    if (key == "boot_id") owner.boot_id = unescaped_line(value);
    if (key == "pid_namespace") owner.pid_namespace = unescaped_line(value);
    if (key == "process" && !read(owner.process)) return std::nullopt;
    if (key == "start_time" && !read(owner.start_time)) return std::nullopt;
    if (key == "written_at" && !read(owner.written_at)) return std::nullopt;
    if (key == "output") owner.outputs.push_back(unescaped_line(value));
    if (line == owner_tail) is_whole = true;
  }
  if (!is_whole || owner.process <= 0 || owner.start_time <= 0) return std::nullopt;
  return owner;
}

bool is_same_application(const ProcessOwner& left, const ProcessOwner& right) {
  return left.application == right.application && left.user == right.user && left.host == right.host &&
         left.boot_id == right.boot_id && left.process == right.process && left.start_time == right.start_time;
}

bool is_dead(const ProcessOwner& owner, const ProcessOwner& self) {
  if (owner.user != self.user || owner.host.empty() || owner.host != self.host) return false;
  if (owner.boot_id.empty() || self.boot_id.empty()) return false;
  if (owner.boot_id != self.boot_id) {
    // Two hosts can have the same name: another boot id means a reboot only if the file is older than this boot.
    const auto started = boot_time();
    return started && owner.written_at > 0 && owner.written_at < *started;
  }
  if (owner.pid_namespace.empty() || owner.pid_namespace != self.pid_namespace) return false;
  const auto process = state_of(owner.process);
  return process.kind == ProcessState::Kind::ended ||
         (process.kind == ProcessState::Kind::alive && process.start_time != owner.start_time);
}

bool is_alive_here(const ProcessOwner& owner, const ProcessOwner& self) {
  const bool is_of_here = owner.user == self.user && !owner.host.empty() && owner.host == self.host &&
                          !owner.boot_id.empty() && owner.boot_id == self.boot_id && !owner.pid_namespace.empty() &&
                          owner.pid_namespace == self.pid_namespace;
  return is_of_here && !is_dead(owner, self);
}

std::optional<ProcessOwner> owner_of_folder(const ports::FileSystem& files, const std::string& folder) {
  const auto found = files.open_own_file(owner_path_in(folder), folder, ports::Locking::none);
  return found ? read_owner(found->content) : std::nullopt;
}

Result<bool> remove_dead_folder(ports::FileSystem& files, const std::string& folder, const ProcessOwner& self) {
  const auto seen = owner_of_folder(files, folder);
  if (!seen || !is_dead(*seen, self)) return false;
  // The lock lets only one process remove the folder, and none a folder that was created again meanwhile.
  const auto locked = files.open_own_file(owner_path_in(folder), folder, ports::Locking::exclusive);
  const auto owner = locked ? read_owner(locked->content) : std::nullopt;
  if (!owner || !is_dead(*owner, self)) return false;
  const auto children = files.list(folder);
  if (!children) return children.error();
  for (const auto& child : *children)
    if (child.path != owner_path_in(folder))
      if (auto done = files.remove_all(child.path, folder); !done) return done.error();
  if (auto done = files.remove_all(owner_path_in(folder), folder); !done) return done.error();
  return files.remove_directory(folder);
}

std::string describe(const ProcessOwner& owner) {
  if (owner.host.empty()) return to_string(owner.application);
  return to_string(owner.application) + " (process " + std::to_string(owner.process) + " on host " + owner.host + ")";
}

std::string escaped_line(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') result += "\\\\";
    else if (c == '\n') result += "\\n";
    else result += c;
  }
  return result;
}

std::string unescaped_line(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) result += text[++i] == 'n' ? '\n' : text[i];
    else result += text[i];
  }
  return result;
}

std::string remove_command(const std::string& path) {
  constexpr std::string_view plain = "/._-+,:@%=";
  const bool is_plain = std::all_of(path.begin(), path.end(), [plain](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || plain.find(c) != plain.npos;
  });
  const std::string command = ports::scheme_of(path).empty() ? "rm -r " : "hdfs dfs -rm -r ";
  if (is_plain && !path.empty()) return command + path;
  std::string quoted;
  for (const char c : path) {
    if (c == '\'') quoted += "'\\''";
    else quoted += c;
  }
  return command + "'" + quoted + "'";
}

}  // namespace heddle::work
