#include "apps/roles/session_files.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <vector>

#include "config/table/setting_rows.hpp"
#include "config/text/environment.hpp"
#include "runtime/world/real_clock.hpp"
#include "work/files/file_handle.hpp"
#include "work/files/local_file_system.hpp"
#include "work/files/process_owner.hpp"
#include "work/files/program_files.hpp"

namespace heddle::apps {
namespace {

std::mutex live_mutex;
std::set<std::string> live_folders;

/// Event log writer that prints its warnings on stderr.
class EventLogWithWarnings final : public runtime::EventLogWriter {
public:
  EventLogWithWarnings(int descriptor, const config::EventLogSettings& settings, std::string path)
      : EventLogWriter{descriptor, static_cast<std::size_t>(settings.queue_bytes), settings.bytes_max},
        path_{std::move(path)} {}
  ~EventLogWithWarnings() override {
    close();
    if (const auto why = error(); !why.empty())
      fmt::print(stderr, "heddle: the event log {} is incomplete: {}\n", path_, why);
  }

private:
  void warn(const std::string& text) const override {
    fmt::print(stderr, "heddle: the event log {} {}\n", path_, text);
  }
  std::string path_;
};

/// Writes the owner file of a new folder. Without it, no other session ever removes the folder.
void mark_folder(const std::string& folder, const ApplicationId& application) {
  const auto text = work::write_owner(work::this_process_owner(application));
  auto file = work::FileHandle::create_new(folder + '/' + std::string{work::owner_file_name});
  if (file) static_cast<void>(file->write(text.data(), text.size()));
}

/// Returns true for names that mkdtemp creates from the pattern.
bool is_working_folder_name(const std::string& name) {
  constexpr std::string_view prefix = "heddle-";
  return name.size() == prefix.size() + 6 && name.starts_with(prefix) &&
         name.find_first_of("-._", prefix.size()) == name.npos;
}

void sweep_working_folders(const std::string& base) {
  work::LocalFileSystem files;
  const auto self = work::this_process_owner();
  std::error_code fault;
  for (std::filesystem::directory_iterator entry{base, fault}, end; !fault && entry != end; entry.increment(fault))
    if (is_working_folder_name(entry->path().filename().string()))
      static_cast<void>(work::remove_dead_folder(files, entry->path().string(), self));
}

/// Retries for a while: another thread may remove the same files, and a process that is being killed may create one
/// more.
void remove_folder(const std::string& path) {
  constexpr int tries_max = 100;
  constexpr int pause_ms = 10;
  for (int tried = 0; tried < tries_max; ++tried) {
    if (tried > 0) ::poll(nullptr, 0, pause_ms);
    std::error_code fault;
    std::filesystem::remove_all(path, fault);
    if (!fault) return;
  }
}

}  // namespace

Result<std::unique_ptr<WorkingFolder>> WorkingFolder::make() {
  return make_in(config::read_environment().temporary_folder);
}

Result<std::unique_ptr<WorkingFolder>> WorkingFolder::make(const config::Settings& settings) {
  auto base = settings.node_manager().directory;
  base = base.substr(0, base.find(','));
  return base.empty() ? make() : make_in(std::filesystem::absolute(base).string());
}

Result<std::unique_ptr<WorkingFolder>> WorkingFolder::make_in(const std::string& base) {
  sweep_working_folders(base);
  std::string pattern = base + "/heddle-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr)
    return Error{Errc::io,
                 fmt::format("cannot create a working folder from the pattern {}: {}", pattern, std::strerror(errno))};
  mark_folder(pattern, {});
  return std::unique_ptr<WorkingFolder>{new WorkingFolder{pattern}};
}

WorkingFolder::WorkingFolder(std::string path) : path_{std::move(path)} {
  const std::lock_guard lock{live_mutex};
  live_folders.insert(path_);
}

WorkingFolder::~WorkingFolder() {
  remove_folder(path_);
  const std::lock_guard lock{live_mutex};
  live_folders.erase(path_);
}

void WorkingFolder::remove_all() {
  const std::lock_guard lock{live_mutex};
  for (const auto& folder : live_folders) remove_folder(folder);
}

namespace {

constexpr const char* other_place = "set heddle.event_log.dir to another folder, or XDG_STATE_HOME in the environment";

/// Without HOME: a private folder of this user in a shared folder such as /tmp.
Result<std::string> shared_place_base() {
  const auto base = fmt::format("{}/heddle-state-{}", config::read_environment().temporary_folder, ::geteuid());
  if (::mkdir(base.c_str(), 0700) != 0 && errno != EEXIST)
    return Error{Errc::io, fmt::format("cannot create the folder {}: {}; {}", base, std::strerror(errno), other_place)};
  struct stat about {};
  if (::lstat(base.c_str(), &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != ::geteuid() ||
      (about.st_mode & 077) != 0)
    return Error{Errc::refused, fmt::format("other users can access the folder {}, so no logs are written there; {}",
                                            base, other_place)};
  return base;
}

Error cannot_make(const std::string& folder, int number) {
  return Error{Errc::io,
               fmt::format("cannot create the folder {}: {}; {}", folder, std::strerror(number), other_place)};
}

/// Folders are private to the user, because logs contain command lines and lines of input.
Result<bool> make_private_folder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0) return true;
  const int number = errno;
  struct stat about {};
  if (number == EEXIST && ::stat(folder.c_str(), &about) == 0 && S_ISDIR(about.st_mode)) return false;
  return cannot_make(folder, number);
}

Result<std::string> state_base(const config::Settings& settings) {
  const auto& chosen = settings.event_log().directory;
  const auto base = chosen.empty() ? config::read_environment().state_folder : chosen;
  if (base.empty()) return shared_place_base();
  std::error_code fault;
  const auto parent = std::filesystem::path{base}.parent_path();
  std::filesystem::create_directories(chosen.empty() ? parent.string() : chosen, fault);
  if (fault) return cannot_make(base, fault.value());
  if (!chosen.empty()) return base;  // several users can share a chosen folder
  if (const auto made = make_private_folder(base); !made) return made.error();
  return base;
}

/// Creates the folder; returns true if it is new.
Result<bool> make_one_folder(const std::string& folder, const ApplicationId& application) {
  const auto made = make_private_folder(folder);
  if (made && *made) mark_folder(folder, application);
  return made;
}

struct KeptLog {
  std::string folder;
  std::int64_t bytes = 0;
  std::int64_t changed = 0;  // seconds since 1970
  bool is_over = false;
};

KeptLog look_at(std::string folder, bool is_over) {
  KeptLog log{std::move(folder), 0, 0, is_over};
  std::error_code fault;
  using Walk = std::filesystem::recursive_directory_iterator;
  const auto add = [&log](const std::string& path) {
    struct stat about {};
    if (::lstat(path.c_str(), &about) != 0) return;
    log.bytes += static_cast<std::int64_t>(about.st_blocks) * 512;
    log.changed = std::max(log.changed, static_cast<std::int64_t>(about.st_mtim.tv_sec));
  };
  add(log.folder);
  for (Walk entry{log.folder, fault}, end; !fault && entry != end; entry.increment(fault)) add(entry->path().string());
  return log;
}

std::string text_of(const std::string& path) {
  auto text = work::LocalFileSystem{}.read_all(path);
  return text ? std::move(*text) : std::string{};
}

}  // namespace

Result<std::string> make_state_folder(const config::Settings& settings, const std::string& name) {
  const auto base = state_base(settings);
  if (!base) return base.error();
  remove_old_logs(settings, *base);
  const auto folder = *base + "/" + name;
  if (const auto made = make_one_folder(folder, {}); !made) return made.error();
  return folder;
}

void remove_old_logs(const config::Settings& settings, const std::string& base) {
  constexpr std::int64_t interval = 3600;
  const auto section = settings.event_log();
  const bool is_chosen =
      settings.is_set("heddle.event_log.retention_age") || settings.is_set("heddle.event_log.retention_bytes");
  if (!section.directory.empty() && !is_chosen) return;
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(section.retention_age).count();
  const auto bytes_max = section.retention_bytes;
  const auto now = wall_clock_ms() / 1000;
  // Checking many logs takes long: the time of the last check is stored with its limits.
  const auto stamp = base + "/.retention";
  const auto limits = fmt::format("age {} bytes {}\n", age, bytes_max);
  struct stat about {};
  if (::lstat(stamp.c_str(), &about) == 0 && about.st_mtim.tv_sec > now - interval && text_of(stamp) == limits) return;
  work::LocalFileSystem files;
  const auto self = work::this_process_owner();
  std::vector<KeptLog> logs;
  std::int64_t bytes = 0;
  std::error_code fault;
  for (std::filesystem::directory_iterator entry{base, fault}, end; !fault && entry != end; entry.increment(fault)) {
    const auto owner = work::owner_of_folder(files, entry->path().string());
    if (!owner) continue;
    logs.push_back(look_at(entry->path().string(), work::is_dead(*owner, self)));
    bytes += logs.back().bytes;
  }
  std::sort(logs.begin(), logs.end(), [](const auto& a, const auto& b) {
    return a.changed != b.changed ? a.changed < b.changed : a.folder < b.folder;
  });
  for (const auto& log : logs) {
    const bool is_too_old = age > 0 && log.changed < now - age;
    const bool is_too_much = bytes_max > 0 && bytes > bytes_max;
    if (!log.is_over || !(is_too_old || is_too_much)) continue;
    if (const auto removed = work::remove_dead_folder(files, log.folder, self); removed && *removed) bytes -= log.bytes;
  }
  if (!logs.empty()) static_cast<void>(files.write_atomically(stamp, limits, base));
}

std::unique_ptr<runtime::EventLogWriter> make_event_log(int descriptor, const config::Settings& settings,
                                                        std::string path) {
  return std::make_unique<EventLogWithWarnings>(descriptor, settings.event_log(), std::move(path));
}

void write_settings(ports::EventSink& events, Instant now, const config::Settings& settings) {
  ports::EventFields values;
  for (const auto* row : settings.rows()) values.add(row->key, settings.effective(row->key).text);
  events.write(now, "settings", ports::EventFields{}.add("values", values));
}

Result<std::string> claim_state_folder(const config::Settings& settings, ApplicationId& application) {
  const auto base = state_base(settings);
  if (!base) return base.error();
  remove_old_logs(settings, *base);
  while (true) {
    const auto folder = *base + "/" + to_string(application);
    const auto made = make_one_folder(folder, application);
    if (!made) return made.error();
    if (*made) return folder;
    ++application.cluster_start;
  }
}

std::string task_log_folder(const config::Settings& settings, const std::string& state_folder,
                            const ApplicationId& application) {
  const auto folder = settings.task_log().directory;
  return folder.empty() ? state_folder + "/tasks" : folder.substr(0, folder.find(',')) + "/" + to_string(application);
}

Result<std::unique_ptr<ports::EventSink>> open_event_log(const config::Settings& settings, const std::string& folder,
                                                         const std::string& name, std::string& path) {
  if (!settings.event_log().enabled) return std::unique_ptr<ports::EventSink>{std::make_unique<runtime::NoEvents>()};
  path = folder + "/" + name + ".jsonl";
  auto descriptor = runtime::EventLogWriter::open_file(path);
  if (!descriptor) return descriptor.error();
  auto events = make_event_log(*descriptor, settings, path);
  write_settings(*events, runtime::RealClock{}.now(), settings);
  return std::unique_ptr<ports::EventSink>{std::move(events)};
}

void ignore_file_size_signal() {
  struct sigaction old {};
  ::sigaction(SIGXFSZ, nullptr, &old);
  if (old.sa_handler == SIG_DFL) ::signal(SIGXFSZ, SIG_IGN);
}

std::int64_t wall_clock_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  while (::getrandom(&bits, sizeof bits, 0) != sizeof bits) {}
  return bits;
}

std::string random_token() {
  const auto first = random_bits();
  return fmt::format("{:016x}{:016x}", first, random_bits());
}

ports::TransportKey new_transport_key(const std::string& name) { return {name, random_token() + random_token()}; }

ports::TransportKey new_cluster_key(std::int64_t cluster_start) {
  return new_transport_key(fmt::format("cluster_{}", cluster_start));
}

std::string build_id() {
  static const std::string id = work::program_build_id();
  return id;
}

}  // namespace heddle::apps
