#include "apps/commands/application_verbs.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "apps/cli/exit_code.hpp"
#include "apps/commands/interrupts.hpp"
#include "apps/commands/loaded_settings.hpp"
#include "apps/commands/log_printer.hpp"
#include "apps/output/application_text.hpp"
#include "apps/output/document_output.hpp"
#include "apps/roles/file_systems_of.hpp"
#include "apps/session/yarn_applications.hpp"
#include "apps/session/yarn_logs.hpp"
#include "interop/yarn/yarn_ids.hpp"

namespace heddle::apps {
namespace {

using namespace std::chrono_literals;

constexpr auto line_interval = 10s;  // between two lines of progress without news

/// One verb: its options and its cluster.
class ApplicationCommand {
public:
  ApplicationCommand(const ApplicationOptions& options, config::Settings settings,
                     std::unique_ptr<interop::YarnCluster> cluster)
      : options_{options},
        settings_{std::move(settings)},
        cluster_{std::move(cluster)},
        applications_{*cluster_, is_interrupted, [this](const Notice& notice) { say(notice.text); }, on_interrupt} {}

  [[nodiscard]] Result<int> run() {
    if (options_.verb == ApplicationVerb::list) return list();
    const auto found = applications_.find(options_.application);
    if (!found) return found.error();
    if (options_.verb == ApplicationVerb::info) return info(*found);
    if (options_.verb == ApplicationVerb::logs) return logs(*found);
    return options_.verb == ApplicationVerb::wait ? wait(*found) : cancel(*found);
  }

private:
  void say(const std::string& text) const {
    if (!options_.job.quiet) fmt::print(stderr, "heddle: {}\n", text);
  }

  Result<int> list() {
    const auto listed = applications_.list(options_.with_all_types, options_.with_ended);
    if (!listed) return listed.error();
    const auto format = options_.job.format;
    if (format != Format::table) print_documents(application_documents(format, *listed));
    else fmt::print("{}", application_table(*listed));
    if (listed->empty() && format == Format::table)
      say(options_.with_ended ? "the ResourceManager knows no such application"
                              : "no such application is running; --ended shows those that have ended");
    return 0;
  }

  Result<int> info(const ApplicationReport& application) {
    const auto details = applications_.details(application);
    if (!details) return details.error();
    if (options_.job.format == Format::table)
      fmt::print("{}", application_details(application, details->attempts, details->containers));
    else print_documents(application_document(application, details->attempts, details->containers));
    return 0;
  }

  Result<int> wait(const ApplicationReport& application) {
    std::string last;
    auto line_at = std::chrono::steady_clock::now();
    const auto show = [&](const ApplicationReport& report) {
      const auto now = std::chrono::steady_clock::now();
      if (options_.job.no_progress || (report.state == last && now < line_at)) return;
      last = report.state;
      line_at = now + line_interval;
      say(application_line(report));
    };
    auto ended = applications_.wait(application.id, settings_.yarn().report_interval, show);
    if (!ended && ended.error().code == Errc::cancelled)
      return Error{Errc::cancelled,
                   fmt::format("the wait was cancelled; {0} goes on: heddle cancel --master yarn {0} ends it",
                               to_string(application.id))};
    if (!ended) return ended.error();
    if (auto printed = print_end(*ended); !printed) return printed.error();
    if (ended->state == "KILLED" || ended->final_status == "KILLED") return exit_code_of(Errc::cancelled);
    return ended->final_status == "SUCCEEDED" ? 0 : exit_code_of(Errc::failed);
  }

  Result<int> cancel(const ApplicationReport& application) {
    const auto reason = fmt::format("cancelled by user {} with heddle cancel", cluster_->user());
    auto ended = applications_.cancel(application, reason);
    if (!ended) return ended.error();
    if (auto printed = print_end(*ended); !printed) return printed.error();
    return 0;
  }

  Result<int> logs(const ApplicationReport& application) {
    if (auto checked = check_container(application.id); !checked) return checked.error();
    const auto files = file_systems_of(settings_, PathRules::hadoop);
    const auto root = files.resolve(cluster_->site().text("yarn.nodemanager.remote-app-log-dir", "/tmp/logs"),
                                    ports::PathKind::plain);
    if (!root) return root.error();
    LogPrinter printer{options_};
    YarnLogs logs{*cluster_, applications_,  files,
                  *root,     is_interrupted, [this](const Notice& notice) { say(notice.text); }};
    if (auto visited = logs.visit(application, options_.container, printer); !visited) return visited.error();
    if (auto finished = printer.finish(); !finished) return finished.error();
    const auto format = options_.job.format;
    if (format != Format::table) print_documents(log_documents(format, to_string(application.id), printer.logs()));
    else if (printer.logs().empty()) say("no such log file has content; --all-files prints also those of NodeManagers");
    return 0;
  }

  [[nodiscard]] Result<Done> check_container(const ApplicationId& application) const {
    if (options_.container.empty()) return Done{};
    const auto name = interop::parse_container_name(options_.container);
    if (!name)
      return Error{Errc::usage, fmt::format("\"{}\" is no container id; heddle info --master yarn {} shows them",
                                            options_.container, to_string(application))};
    if (name->attempt.application == application) return Done{};
    return Error{Errc::usage, fmt::format("{} is a container of {}, not of {}", options_.container,
                                          to_string(name->attempt.application), to_string(application))};
  }

  /// The document of an ended application, or a line.
  Result<Done> print_end(const ApplicationReport& ended) {
    if (options_.job.format == Format::table) {
      say(application_end(ended));
      return Done{};
    }
    const auto details = applications_.details(ended);
    if (!details) return details.error();
    print_documents(application_document(ended, details->attempts, details->containers));
    return Done{};
  }

  const ApplicationOptions& options_;
  config::Settings settings_;
  std::unique_ptr<interop::YarnCluster> cluster_;
  YarnApplications applications_;
};

}  // namespace

Result<int> application_verb(const ApplicationOptions& options) {
  auto loaded = load_settings_of(options.job);
  if (!loaded) return loaded.error();
  std::optional<std::int64_t> wait;
  if (loaded->settings.is_set("heddle.yarn.connect_wait")) wait = to_milliseconds(loaded->settings.yarn().connect_wait);
  auto cluster = interop::YarnCluster::configure(wait);
  if (!cluster) return cluster.error();
  return ApplicationCommand{options, std::move(loaded->settings), std::move(*cluster)}.run();
}

}  // namespace heddle::apps
