// Folders of one application on this machine: temporary working files, and the event log, which is kept.
#pragma once

#include <memory>
#include <string>

#include "config/table/settings.hpp"
#include "model/ids.hpp"
#include "model/result.hpp"
#include "ports/transport_key.hpp"
#include "runtime/event_log/event_log_writer.hpp"

namespace heddle::apps {

/// Temporary folder that its destructor removes.
class WorkingFolder {
public:
  /// Creates a folder in TMPDIR. Both overloads first remove working folders of this user's dead sessions there.
  [[nodiscard]] static Result<std::unique_ptr<WorkingFolder>> make();
  /// Creates a folder in the folder that the settings name for nodes.
  [[nodiscard]] static Result<std::unique_ptr<WorkingFolder>> make(const config::Settings& settings);
  /// Removes all working folders of this process; for an exit without destructors.
  static void remove_all();
  ~WorkingFolder();
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

private:
  [[nodiscard]] static Result<std::unique_ptr<WorkingFolder>> make_in(const std::string& base);
  explicit WorkingFolder(std::string path);
  std::string path_;
};

/// Creates the state folder `name` for event logs and kept outputs of tasks.
[[nodiscard]] Result<std::string> make_state_folder(const config::Settings& settings, const std::string& name);
/// Creates the state folder of a new application. Increments the start time in `application` until the folder is new,
/// so that applications of the same millisecond get different ids.
[[nodiscard]] Result<std::string> claim_state_folder(const config::Settings& settings, ApplicationId& application);

/// Folder of stdout and stderr of task attempts: that of the settings, otherwise next to the event log.
[[nodiscard]] std::string task_log_folder(const config::Settings& settings, const std::string& state_folder,
                                          const ApplicationId& application);

/// Removes logs of ended runs by the retention settings, at most once an hour with equal settings. Removes only folders
/// that heddle marked, and none if the user chose the folder but set no retention.
void remove_old_logs(const config::Settings& settings, const std::string& base);

/// Creates an event log that prints one warning on stderr for each of: events delayed, dropped, log full, log
/// incomplete.
[[nodiscard]] std::unique_ptr<runtime::EventLogWriter> make_event_log(int descriptor, const config::Settings& settings,
                                                                      std::string path);

/// Writes the first line of a log: the effective value of every setting.
void write_settings(ports::EventSink& events, Instant now, const config::Settings& settings);

/// Opens the sink `folder`/`name`.jsonl; a sink without output if the log is off. `path`: set to the path, or empty.
[[nodiscard]] Result<std::unique_ptr<ports::EventSink>> open_event_log(const config::Settings& settings,
                                                                       const std::string& folder,
                                                                       const std::string& name, std::string& path);

/// Ignores SIGXFSZ, so that a write above the file size limit is an error, as on a full disk, and does not kill this
/// process.
void ignore_file_size_signal();

/// Wall clock in ms since 1970: the first part of application ids.
[[nodiscard]] std::int64_t wall_clock_ms();
/// Returns 64 random bits of the system.
[[nodiscard]] std::uint64_t random_bits();
/// Returns a new token: 128 random bits of the system as 32 hexadecimal digits.
[[nodiscard]] std::string random_token();
/// Returns a new key for the connections of a cluster or application.
[[nodiscard]] ports::TransportKey new_transport_key(const std::string& name);
[[nodiscard]] ports::TransportKey new_cluster_key(std::int64_t cluster_start);
/// Identifies the build of this program: all processes of an application must be of one build.
[[nodiscard]] std::string build_id();

}  // namespace heddle::apps
