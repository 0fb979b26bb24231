// The folders of one application on this machine: working files that go with it, and its event log that stays.
#pragma once

#include <memory>
#include <string>

#include "config/table/settings.hpp"
#include "model/ids.hpp"
#include "model/result.hpp"
#include "runtime/event_log/event_log_writer.hpp"

namespace heddle::apps {

/// A folder under TMPDIR that is removed with its owner.
class WorkingFolder {
public:
  /// Both first remove the working folders of this user's dead sessions in the same place.
  [[nodiscard]] static Result<std::unique_ptr<WorkingFolder>> make();
  /// In the folder that the settings name for nodes.
  [[nodiscard]] static Result<std::unique_ptr<WorkingFolder>> make(const config::Settings& settings);
  /// For a process that ends at once: removes the folders of all owners that still live.
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

/// The folder `name` for what stays: event logs and kept outputs of tasks.
[[nodiscard]] Result<std::string> make_state_folder(const config::Settings& settings, const std::string& name);
/// The same for a new application. Two that begin within one millisecond are told apart: the start of `application`
/// moves on until no other has its folder.
[[nodiscard]] Result<std::string> claim_state_folder(const config::Settings& settings, ApplicationId& application);

/// Where stdout and stderr of attempts are kept: the folder of the settings, else beside the event log.
[[nodiscard]] std::string task_log_folder(const config::Settings& settings, const std::string& state_folder,
                                          const ApplicationId& application);

/// Removes logs of ended runs that are too old or too many, as the settings say; at most once an hour with the same
/// settings. Only folders that heddle marked, and none where the user chose the place and nothing about retention.
void remove_old_logs(const config::Settings& settings, const std::string& base);

/// A log that says on stderr, once each, that it falls behind, drops events, is full, or ended too early.
[[nodiscard]] std::unique_ptr<runtime::EventLogWriter> make_event_log(int descriptor, const config::Settings& settings,
                                                                      std::string path);

/// The first line of each log: every setting as it counts.
void write_settings(ports::EventSink& events, Instant now, const config::Settings& settings);

/// The sink of `folder`/events.jsonl, or of nothing where the log is off. `path` tells where, or stays empty.
[[nodiscard]] Result<std::unique_ptr<ports::EventSink>> open_event_log(const config::Settings& settings,
                                                                       const std::string& folder, std::string& path);

/// A file that may not grow is an error where it is written, as on a full disk, and not the end of this process.
void ignore_file_size_signal();

/// Milliseconds of the wall clock: the first half of application ids.
[[nodiscard]] std::int64_t wall_clock_ms();
/// Random bits of the system.
[[nodiscard]] std::uint64_t random_bits();
/// Identifies the running program: processes of one application are of one build.
[[nodiscard]] std::string build_id();

}  // namespace heddle::apps
