#include "apps/session/session_files.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>

#include "config/table/setting_rows.hpp"
#include "config/text/environment.hpp"
#include "runtime/world/real_clock.hpp"

namespace heddle::apps {
namespace {

std::mutex live_mutex;
std::set<std::string> live_folders;

/// Says at its end that it ended too early, where it did.
class ToldEventLog final : public runtime::EventLogWriter {
public:
  ToldEventLog(int descriptor, std::size_t bytes_max, std::string path)
      : EventLogWriter{descriptor, bytes_max}, path_{std::move(path)} {}
  ~ToldEventLog() override {
    close();
    if (const auto why = error(); !why.empty())
      fmt::print(stderr, "heddle: the event log {} ends too early: {}\n", path_, why);
  }

private:
  std::string path_;
};

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
  std::string pattern = base + "/heddle-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr)
    return Error{Errc::io, fmt::format("no working folder can be made as {}: {}", pattern, std::strerror(errno))};
  return std::unique_ptr<WorkingFolder>{new WorkingFolder{pattern}};
}

WorkingFolder::WorkingFolder(std::string path) : path_{std::move(path)} {
  const std::lock_guard lock{live_mutex};
  live_folders.insert(path_);
}

WorkingFolder::~WorkingFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  const std::lock_guard lock{live_mutex};
  live_folders.erase(path_);
}

void WorkingFolder::remove_all() {
  const std::lock_guard lock{live_mutex};
  std::error_code ignored;
  for (const auto& folder : live_folders) std::filesystem::remove_all(folder, ignored);
}

namespace {

Result<std::string> state_base(const config::Settings& settings) {
  std::string base = settings.event_log().directory;
  if (base.empty()) base = config::read_environment().state_folder;
  if (base.empty()) base = config::read_environment().temporary_folder + "/heddle-state";
  std::error_code fault;
  std::filesystem::create_directories(base, fault);
  if (fault) return Error{Errc::io, fmt::format("the folder {} cannot be made: {}", base, fault.message())};
  return base;
}

/// True if the folder is new.
Result<bool> make_one_folder(const std::string& folder) {
  std::error_code fault;
  const bool is_new = std::filesystem::create_directory(folder, fault);
  if (fault) return Error{Errc::io, fmt::format("the folder {} cannot be made: {}", folder, fault.message())};
  return is_new;
}

}  // namespace

Result<std::string> make_state_folder(const config::Settings& settings, const std::string& name) {
  const auto base = state_base(settings);
  if (!base) return base.error();
  const auto folder = *base + "/" + name;
  if (const auto made = make_one_folder(folder); !made) return made.error();
  return folder;
}

void write_settings(ports::EventSink& events, Instant now, const config::Settings& settings) {
  ports::EventFields values;
  for (const auto* row : settings.rows()) values.add(row->key, settings.effective(row->key).text);
  events.write(now, "settings", ports::EventFields{}.add("values", values));
}

Result<std::string> claim_state_folder(const config::Settings& settings, ApplicationId& application) {
  const auto base = state_base(settings);
  if (!base) return base.error();
  while (true) {
    const auto folder = *base + "/" + to_string(application);
    const auto made = make_one_folder(folder);
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
                                                         std::string& path) {
  if (!settings.event_log().enabled) return std::unique_ptr<ports::EventSink>{std::make_unique<runtime::NoEvents>()};
  path = folder + "/events.jsonl";
  auto descriptor = runtime::EventLogWriter::open_file(path);
  if (!descriptor) return descriptor.error();
  auto events =
      std::make_unique<ToldEventLog>(*descriptor, static_cast<std::size_t>(settings.event_log().queue_bytes), path);
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

std::string build_id() {
  struct stat status {};
  if (::stat("/proc/self/exe", &status) != 0) return "unknown";
  return fmt::format("{}-{}.{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

}  // namespace heddle::apps
