#include "apps/session/yarn_applications.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "config/text/did_you_mean.hpp"
#include "interop/yarn/yarn_ids.hpp"

namespace heddle::apps {
namespace {

using namespace std::chrono_literals;

constexpr Duration collection_interval = 500ms;
constexpr auto kill_interval = 200ms;  // between two calls, as Hadoop's clients do

std::string named(const ApplicationReport& application) {
  return fmt::format("{} (\"{}\" of {}, {})", to_string(application.id), application.name, application.user,
                     application.state);
}

/// The application of the same ResourceManager with the nearest number, otherwise the newest one. Null: there is none.
const ApplicationReport* nearest(const ApplicationId& wanted, const std::vector<ApplicationReport>& known) {
  const ApplicationReport* best = known.empty() ? nullptr : &known.back();
  const auto distance = [&wanted](const ApplicationReport& each) { return std::abs(each.id.number - wanted.number); };
  for (const auto& each : known) {
    if (each.id.cluster_start != wanted.cluster_start) continue;
    if (best->id.cluster_start != wanted.cluster_start || distance(each) < distance(*best)) best = &each;
  }
  return best;
}

}  // namespace

YarnApplications::YarnApplications(interop::YarnCluster& cluster, IsCancelled is_cancelled, OnNotice on_notice,
                                   const WatchCancellation& watch_cancellation)
    : cluster_{cluster}, is_cancelled_{std::move(is_cancelled)}, on_notice_{std::move(on_notice)} {
  if (!watch_cancellation) return;
  watch_ = watch_cancellation([this] {
    const std::lock_guard lock{mutex_};
    cancelled_.notify_all();
  });
}

Result<std::vector<ApplicationReport>> YarnApplications::list(bool with_all_types, bool with_ended) {
  const auto types = with_all_types ? std::vector<std::string>{} : std::vector<std::string>{"HEDDLE"};
  return cluster_.applications(types, with_ended, is_cancelled_, on_notice_);
}

Result<ApplicationReport> YarnApplications::find(const std::string& text) {
  const auto id = interop::parse_application_name(text);
  if (!id) return no_id(text);
  auto report = cluster_.application(*id, is_cancelled_, on_notice_);
  return !report && report.error().code == Errc::not_found ? unknown(*id) : report;
}

Error YarnApplications::unknown(const ApplicationId& application) {
  auto text = fmt::format("the ResourceManager does not know {}", to_string(application));
  const auto known = list(true, true);
  if (!known) return known.error();
  const auto* best = nearest(application, *known);
  text += best == nullptr ? "; it knows no application" : fmt::format("; the nearest one is {}", named(*best));
  return {Errc::not_found, std::move(text)};
}

Error YarnApplications::no_id(const std::string& text) {
  auto sentence = fmt::format("\"{}\" is no application id", text);
  const auto known = list(true, true);
  if (!known) return known.error();
  const auto same_name =
      std::find_if(known->rbegin(), known->rend(), [&](const auto& each) { return each.name == text; });
  if (same_name != known->rend())
    return {Errc::usage, fmt::format("{}; the newest one with this name is {}", sentence, named(*same_name))};
  std::vector<std::string> ids;
  for (const auto& each : *known) ids.push_back(to_string(each.id));
  const std::vector<std::string_view> views{ids.begin(), ids.end()};
  const auto hint = config::suggestion(text, views);
  return {Errc::usage, sentence + (hint.empty() ? "; heddle list --master yarn shows the ids" : hint)};
}

Result<ApplicationDetails> YarnApplications::details(const ApplicationReport& application) {
  ApplicationDetails made;
  made.application = application;
  auto attempts = cluster_.attempts(application.id, is_cancelled_, on_notice_);
  if (!attempts) return attempts.error();
  made.attempts = std::move(*attempts);
  if (application.is_over || made.attempts.empty()) return made;
  auto containers = cluster_.containers({application.id, made.attempts.back().attempt}, is_cancelled_, on_notice_);
  if (!containers) return containers.error();
  made.containers = std::move(*containers);
  return made;
}

Result<ApplicationReport> YarnApplications::cancel(const ApplicationReport& application, const std::string& reason) {
  auto report = application;
  while (!report.is_over) {
    const auto is_killed = cluster_.kill(application.id, reason, is_cancelled_, on_notice_);
    if (!is_killed) return is_killed.error();
    if (!*is_killed)
      if (auto paused = pause(kill_interval); !paused) return paused.error();
    auto next = cluster_.application(application.id, is_cancelled_, on_notice_);
    if (!next) return next.error();
    report = std::move(*next);
  }
  if (report.state == "KILLED") return report;
  return Error{Errc::refused, fmt::format("{} has ended already, with status {}: there is nothing to cancel",
                                          to_string(report.id), report.final_status)};
}

Result<ApplicationReport> YarnApplications::wait(const ApplicationId& application, Duration interval,
                                                 const std::function<void(const ApplicationReport&)>& on_report) {
  while (true) {
    auto report = cluster_.application(application, is_cancelled_, on_notice_);
    if (!report || report->is_over) return report;
    if (on_report) on_report(*report);
    if (auto paused = pause(interval); !paused) return paused.error();
  }
}

Result<Done> YarnApplications::wait_for_logs(const ApplicationReport& application, Duration patience) {
  auto report = application;
  for (auto left = patience; report.is_collecting_logs && left > Duration{0}; left -= collection_interval) {
    if (left == patience && on_notice_)
      on_notice_(Notice{fmt::format("the NodeManagers are still collecting the logs of {}", to_string(report.id))});
    if (auto paused = pause(collection_interval); !paused) return paused;
    auto next = cluster_.application(report.id, is_cancelled_, on_notice_);
    if (!next) return next.error();
    report = std::move(*next);
  }
  return Done{};
}

/// Fails with Errc::cancelled.
Result<Done> YarnApplications::pause(Duration span) {
  std::unique_lock lock{mutex_};
  const bool is_over = cancelled_.wait_for(lock, span, [this] { return is_cancelled_ && is_cancelled_(); });
  return is_over ? Result<Done>{Error{Errc::cancelled, "cancelled by the user"}} : Done{};
}

}  // namespace heddle::apps
