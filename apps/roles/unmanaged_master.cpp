#include "apps/roles/unmanaged_master.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "work/files/file_handle.hpp"

namespace heddle::apps {
namespace {

using namespace std::chrono_literals;

constexpr auto end_patience = 2s;
constexpr const char* log_name = "application_master";

Result<Done> write_secret_file(const std::string& path, const std::string& content) {
  auto file = work::FileHandle::create_new(path, 0600);
  if (!file) return file.error();
  if (auto written = file->write(content.data(), content.size()); !written) return written;
  return file->close();
}

}  // namespace

UnmanagedMaster::UnmanagedMaster(std::string program, std::string folder, std::string user, OnFailure on_failure)
    : program_{std::move(program)},
      folder_{std::move(folder)},
      user_{std::move(user)},
      on_failure_{std::move(on_failure)} {}

UnmanagedMaster::~UnmanagedMaster() {
  {
    std::unique_lock lock{mutex_};
    is_leaving_ = true;
    ended_.wait_for(lock, end_patience, [this] { return !is_running_; });
  }
  launcher_.stop_all();
  ::unlink(token_file().c_str());
}

void UnmanagedMaster::start(const LaunchSpec& spec, const interop::CredentialFile& credentials) {
  if (auto started = try_start(spec, credentials); !started)
    fail("the ApplicationMaster was not started: " + started.error().text);
}

std::string UnmanagedMaster::token_file() const { return fmt::format("{}/{}.tokens", folder_, log_name); }

Result<Done> UnmanagedMaster::try_start(LaunchSpec spec, const interop::CredentialFile& credentials) {
  if (auto written = write_secret_file(token_file(), interop::write_token_file(credentials)); !written) return written;
  spec.log_directory = folder_;
  ports::LaunchContext context;
  context.arguments = {program_};
  context.spec = std::move(spec);
  // The client itself may run in a container: the master does not.
  context.environment = {
      {"HADOOP_TOKEN_FILE_LOCATION", token_file()}, {"CONTAINER_ID", ""}, {"USER", user_}, {"HADOOP_USER_NAME", user_}};
  context.standard_output = fmt::format("{}/{}.stdout", folder_, log_name);
  context.standard_error = fmt::format("{}/{}.stderr", folder_, log_name);
  // If the client is killed, the master still reports the end of the application to the ResourceManager.
  context.parent_watch = false;
  set_running(true);
  const auto process =
      launcher_.start(context, [this, log = context.standard_error](ports::ProcessLauncher::ProcessNumber,
                                                                    const ProcessEnd& end) { on_end(end, log); });
  if (process) return Done{};
  set_running(false);
  return process.error();
}

void UnmanagedMaster::on_end(const ProcessEnd& end, const std::string& log) {
  if (end.signal != 0) fail(fmt::format("the ApplicationMaster was killed by signal {} (log: {})", end.signal, log));
  else if (end.exit_code != 0)
    fail(fmt::format("the ApplicationMaster ended with exit code {} (log: {})", end.exit_code, log));
  set_running(false);
}

void UnmanagedMaster::set_running(bool is_running) {
  const std::lock_guard lock{mutex_};
  is_running_ = is_running;
  ended_.notify_all();
}

void UnmanagedMaster::fail(const std::string& text) {
  {
    const std::lock_guard lock{mutex_};
    if (is_leaving_) return;
  }
  on_failure_(text);
}

}  // namespace heddle::apps
