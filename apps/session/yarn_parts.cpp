#include "apps/session/yarn_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "apps/job_files/staging_folder.hpp"
#include "apps/roles/file_systems_of.hpp"
#include "apps/roles/session_files.hpp"
#include "apps/session/program_staging.hpp"
#include "apps/session/resource_validation.hpp"
#include "config/table/setting_rows.hpp"
#include "interop/yarn/launch_context.hpp"
#include "interop/yarn/yarn_ids.hpp"
#include "ports/file_path.hpp"
#include "work/files/program_files.hpp"
#include "work/output/commit_journal.hpp"

namespace heddle::apps {
namespace {

using namespace std::chrono_literals;

constexpr auto report_interval_begin = 100ms;
constexpr auto waiting_notice_after = 5s;
constexpr auto answer_time = 5s;  // of the ResourceManager, about other applications

/// True after this span.
IsCancelled after(std::chrono::steady_clock::duration span) {
  return [until = std::chrono::steady_clock::now() + span] { return std::chrono::steady_clock::now() >= until; };
}

/// Uploads the program, unless nodes read it under the path that it has here.
Result<std::vector<interop::LaunchFile>> place_program(const SessionOptions& options) {
  const auto& settings = options.settings;
  const auto program = work::program_files();
  if (!program) return program.error();
  const auto wanted = settings.yarn().staging_folder;
  if (wanted == "local") return local_program(*program);
  auto files = file_systems_of(settings, PathRules::hadoop, options.is_interrupted);
  const auto folder = files.resolve(wanted.empty() ? ".heddle" : wanted, ports::PathKind::plain);
  if (!folder) return folder.error();
  const bool has_default = !ports::read_path(*folder).scheme.empty();  // otherwise fs.defaultFS is local
  return has_default || !wanted.empty() ? stage_program(*program, files, *folder) : local_program(*program);
}

Result<std::string> program_of(const SessionOptions& options, const std::string& user) {
  const auto files = place_program(options);
  if (!files) return files.error();
  const auto context = interop::program_context(*files, user);
  if (!context) return context.error();
  return context->SerializeAsString();
}

/// Settings that the cluster decides, unless the user does.
Result<Done> adopt_cluster(SessionOptions& options, const YarnParts& parts) {
  auto& settings = options.settings;
  constexpr const char* kinds_key = "heddle.resource_manager.resource_kinds";
  constexpr const char* wait_key = "heddle.yarn.connect_wait";
  if (!settings.is_set(wait_key))
    if (auto set = settings.set(wait_key, fmt::format("{}ms", parts.cluster->connect_wait_ms()),
                                config::Origin::derived, "yarn-site.xml");
        !set)
      return set;
  // Files of their nodes may describe another HDFS, or none.
  constexpr const char* site_key = "heddle.hdfs.site";
  if (!settings.is_set(site_key))
    if (auto set =
            settings.set(site_key, hdfs_site_text(parts.cluster->site()), config::Origin::derived, "HADOOP_CONF_DIR");
        !set)
      return set;
  // A Driver in this process listens where the cluster reaches this host, not on every interface.
  constexpr const char* bind_key = "heddle.driver.bind_address";
  if (!options.is_cluster_deploy && !settings.is_set(bind_key))
    if (auto set = settings.set(bind_key, parts.cluster->client().local_host(), config::Origin::derived,
                                "the connection to the ResourceManager");
        !set)
      return set;
  if (settings.is_set(kinds_key)) return Done{};
  std::vector<std::string> kinds;
  for (const auto& [name, amount] : parts.application.maximum.others) kinds.push_back(name);
  return settings.set(kinds_key, fmt::format("{}", fmt::join(kinds, ",")), config::Origin::derived,
                      "the ResourceManager");
}

/// Also for programs that are not uploaded: jobs are.
Result<std::string> staging_root(const config::Settings& settings) {
  const auto wanted = settings.yarn().staging_folder;
  return file_systems_of(settings, PathRules::hadoop)
      .resolve(wanted.empty() || wanted == "local" ? ".heddle" : wanted, ports::PathKind::plain);
}

std::string applications_folder(const YarnParts& parts) { return parts.staging_root + "/applications"; }

/// The client of an application that has just ended may still have to read in its folder which jobs were committed.
bool is_being_settled(const ports::FileSystem& files, const std::string& folder, std::int64_t ended_ms) {
  constexpr std::int64_t settling_ms = 600'000;
  if (ended_ms < wall_clock_ms() - settling_ms) return false;
  const auto listed = files.list(folder);
  return listed && std::any_of(listed->begin(), listed->end(), [](const auto& status) {
           return ports::last_component(status.path).starts_with(work::journal_entry_prefix);
         });
}

/// An application that the ResourceManager does not know may be about to be submitted, unless its folder is old.
void remove_ended_folders(const YarnParts& parts, ports::FileSystem& files) {
  constexpr std::int64_t day_ms = 86'400'000;
  constexpr int looked_at_max = 20;
  const auto listed = files.list(applications_folder(parts));
  if (!listed) return;
  int looked_at = 0;
  for (const auto& status : *listed) {
    const auto application = interop::parse_application_name(ports::last_component(status.path));
    if (!application || ++looked_at > looked_at_max) continue;
    const auto report = parts.cluster->application(*application, after(answer_time), {});
    const bool is_unknown = !report && report.error().code == Errc::not_found;
    if (!report && !is_unknown) return;
    const bool is_left = is_unknown ? status.modified_ms < wall_clock_ms() - day_ms
                                    : report->is_over && !is_being_settled(files, status.path, report->ended_ms);
    if (is_left) static_cast<void>(files.remove_all(status.path, applications_folder(parts)));
  }
}

}  // namespace

std::string staging_folder(const YarnParts& parts) {
  return applications_folder(parts) + "/" + to_string(parts.application.application);
}

Result<Done> prepare_staging(const YarnParts& parts, ports::FileSystem& files) {
  if (auto made = make_own_folder(files, parts.staging_root); !made) return made;
  remove_ended_folders(parts, files);
  return Done{};
}

Result<YarnParts> make_yarn_parts(SessionOptions& options, const IsCancelled& is_cancelled, const OnNotice& on_notice) {
  YarnParts parts;
  std::optional<std::int64_t> wait;
  if (options.settings.is_set("heddle.yarn.connect_wait")) wait = to_milliseconds(options.settings.yarn().connect_wait);
  auto cluster = interop::YarnCluster::configure(wait);
  if (!cluster) return cluster.error();
  parts.cluster = std::move(*cluster);
  auto created = parts.cluster->new_application(is_cancelled, on_notice);
  if (!created) return created.error();
  parts.application = std::move(*created);
  if (auto adopted = adopt_cluster(options, parts); !adopted) return adopted.error();
  if (auto fits = check_containers(options, parts.application.maximum, parts.application.nodes); !fits)
    return fits.error();
  if (parts.application.nodes.empty() && on_notice)
    on_notice(Notice{"the cluster has no running NodeManager; the application waits for one"});
  if (options.is_cluster_deploy && options.settings.yarn().unmanaged_master && on_notice)
    on_notice(
        Notice{"heddle.yarn.unmanaged_master has no effect with --deploy-mode cluster: the Driver is in the master "
               "container"});
  parts.transport_key = new_transport_key(to_string(parts.application.application));
  auto root = staging_root(options.settings);
  if (!root) return root.error();
  parts.staging_root = std::move(*root);
  auto program = program_of(options, parts.cluster->user());
  if (!program) return program.error();
  parts.program = std::move(*program);
  auto state = make_state_folder(options.settings, to_string(parts.application.application));
  if (!state) return state.error();
  parts.state_folder = std::move(*state);
  auto events = open_event_log(options.settings, parts.state_folder, options.is_cluster_deploy ? "client" : "events",
                               parts.event_log);
  if (!events) return events.error();
  parts.events = std::move(*events);
  return parts;
}

work::HasEnded ask_about_ends(interop::YarnCluster& cluster, const OnNotice& on_notice) {
  return [&cluster, on_notice](const ApplicationId& application) -> std::optional<bool> {
    const auto report = cluster.application(application, after(answer_time), {});
    if (!report) return report.error().code == Errc::not_found ? std::nullopt : std::optional{false};
    if (report->is_over && on_notice)
      on_notice(
          Notice{fmt::format("{} has ended and has left an output of this job unfinished; a decided commit is "
                             "completed, anything else removed",
                             to_string(application))});
    return report->is_over;
  };
}

interop::SubmissionLinkSettings submission_link_settings(const YarnParts& parts, const config::Settings& settings) {
  const auto section = settings.yarn();
  interop::SubmissionLinkSettings made;
  made.rules = {parts.application.application, "HEDDLE", {}};
  for (const auto tag : config::split_words(section.tags, ',')) made.rules.tags.emplace_back(tag);
  made.program = parts.program;
  made.token = random_token();
  made.transport_key = parts.transport_key;
  made.scheduler_address = parts.cluster->scheduler_address();
  made.report_interval = section.report_interval;
  made.report_interval_begin = std::min<Duration>(section.report_interval, report_interval_begin);
  made.waiting_time = waiting_notice_after;
  return made;
}

}  // namespace heddle::apps
