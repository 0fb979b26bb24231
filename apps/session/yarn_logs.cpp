#include "apps/session/yarn_logs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "interop/logs/aggregated_log.hpp"
#include "interop/logs/node_logs.hpp"

namespace heddle::apps {
namespace {

using namespace std::chrono_literals;

constexpr auto collection_patience = 60s;
constexpr std::string_view unfinished = ".tmp";  // end of the name of a file that a NodeManager writes

/// Folders of users end with the format of their files since Hadoop 3.1, and are divided by the number of the
/// application since 3.3.
std::vector<std::string> folders_of(const ApplicationReport& application, std::string_view format) {
  constexpr std::int64_t buckets = 10'000;
  std::vector<std::string> made{fmt::format("bucket-logs-{}/{:04}", format, application.id.number % buckets),
                                fmt::format("logs-{}", format)};
  if (format == "tfile") made.emplace_back("logs");
  return made;
}

Result<std::string> find_folder(const ports::FileSystem& files, const std::string& root,
                                const ApplicationReport& application, std::string_view format) {
  for (const auto& folder : folders_of(application, format)) {
    auto path = fmt::format("{}/{}/{}/{}", root, application.user, folder, to_string(application.id));
    const auto is_there = files.is_present(path);
    if (!is_there) return is_there.error();
    if (*is_there) return path;
  }
  return std::string{};
}

/// Passes on the files of one container, or of all, and remembers the names of containers.
class ContainerFilter final : public interop::LogVisitor {
public:
  ContainerFilter(const std::string& wanted, interop::LogVisitor& next) : wanted_{wanted}, next_{next} {}

  bool begin(const interop::LogFile& file) override {
    if (std::find(seen_.begin(), seen_.end(), file.container) == seen_.end()) seen_.push_back(file.container);
    return (wanted_.empty() || file.container == wanted_) && next_.begin(file);
  }
  Result<Done> take(std::string_view bytes) override { return next_.take(bytes); }

  [[nodiscard]] bool has_seen_wanted() const {
    return wanted_.empty() || std::find(seen_.begin(), seen_.end(), wanted_) != seen_.end();
  }
  [[nodiscard]] const std::vector<std::string>& seen() const { return seen_; }

private:
  const std::string& wanted_;
  interop::LogVisitor& next_;
  std::vector<std::string> seen_;
};

Error no_container(const ApplicationReport& application, const std::string& container,
                   const std::vector<std::string>& others) {
  constexpr std::size_t named_max = 8;
  auto text = fmt::format("{} has no logs of {}", to_string(application.id), container);
  const auto named = std::min(others.size(), named_max);
  if (named > 0)
    text += fmt::format("; it has those of {}",
                        fmt::join(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(named), ", "));
  if (others.size() > named) text += fmt::format(" and {} more", others.size() - named);
  return {Errc::not_found, std::move(text)};
}

}  // namespace

Result<std::string> find_collected_logs(const ports::FileSystem& files, const std::string& root,
                                        const ApplicationReport& application) {
  auto found = find_folder(files, root, application, "tfile");
  if (!found || !found->empty()) return found;
  const auto indexed = find_folder(files, root, application, "ifile");
  if (!indexed) return indexed.error();
  if (!indexed->empty())
    return Error{Errc::refused,
                 fmt::format("the logs in {} are indexed files, which heddle does not read; use yarn logs "
                             "-applicationId {}",
                             *indexed, to_string(application.id))};
  return Error{
      Errc::not_found,
      fmt::format("{} has no logs of {}: the cluster does not collect logs (yarn.log-aggregation-enable), or has "
                  "removed them; without collection each NodeManager keeps them for some hours in its "
                  "yarn.nodemanager.log-dirs",
                  root, to_string(application.id))};
}

Result<Done> YarnLogs::visit(const ApplicationReport& application, const std::string& container,
                             interop::LogVisitor& visitor) {
  return application.is_over ? visit_collected(application, container, visitor)
                             : visit_running(application, container, visitor);
}

interop::HttpRules YarnLogs::rules() const {
  interop::HttpRules made;
  made.is_cancelled = is_cancelled_;
  return made;
}

Result<Done> YarnLogs::visit_running(const ApplicationReport& application, const std::string& container,
                                     interop::LogVisitor& visitor) {
  const auto details = applications_.details(application);
  if (!details) return details.error();
  bool is_found = false;
  for (const auto& each : details->containers) {
    if (!container.empty() && each.name != container) continue;
    const auto visited = interop::visit_node_logs(each.node_page, each.name, cluster_.user(), rules(), visitor);
    if (visited) is_found = true;
    else if (visited.error().code != Errc::not_found) return visited;  // otherwise it has just begun, or ended
  }
  if (is_found) return Done{};
  if (!container.empty()) return visit_on_any_node(application, container, visitor);
  return Error{Errc::not_found,
               fmt::format("{} has no running container ({})", to_string(application.id), application.state)};
}

/// The container has ended, but its application has not: its NodeManager still knows it.
Result<Done> YarnLogs::visit_on_any_node(const ApplicationReport& application, const std::string& container,
                                         interop::LogVisitor& visitor) {
  const auto pages = cluster_.node_pages(is_cancelled_, on_notice_);
  if (!pages) return pages.error();
  for (const auto& page : *pages) {
    auto visited = interop::visit_node_logs(page, container, cluster_.user(), rules(), visitor);
    if (visited || visited.error().code == Errc::cancelled) return visited;
  }
  const auto details = applications_.details(application);
  std::vector<std::string> names;
  if (details)
    for (const auto& each : details->containers) names.push_back(each.name);
  return no_container(application, container, names);
}

Result<Done> YarnLogs::visit_collected(const ApplicationReport& application, const std::string& container,
                                       interop::LogVisitor& visitor) {
  if (auto collected = applications_.wait_for_logs(application, collection_patience); !collected)
    return collected.error();
  const auto folder = find_collected_logs(files_, root_, application);
  if (!folder) return folder.error();
  const auto listed = files_.list(*folder);
  if (!listed) return listed.error();
  ContainerFilter filter{container, visitor};
  for (const auto& file : *listed) {
    if (file.is_directory || file.path.ends_with(unfinished)) continue;
    if (auto visited = interop::visit_aggregated_log(files_, file, filter); !visited) return visited;
  }
  return filter.has_seen_wanted() ? Result<Done>{Done{}} : no_container(application, container, filter.seen());
}

}  // namespace heddle::apps
