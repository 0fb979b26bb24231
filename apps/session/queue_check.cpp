#include "apps/session/queue_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "apps/queues/scheduler_choice.hpp"
#include "config/text/did_you_mean.hpp"
#include "config/text/text_file.hpp"

namespace heddle::apps {
namespace {

constexpr std::string_view default_queue = "default";

/// Full and short names of the queues that accept applications.
Result<std::vector<std::string>> queue_names(const config::Settings& settings) {
  const auto section = settings.resource_manager();
  if (section.scheduler != "capacity" || section.queue_file.empty())
    return std::vector<std::string>{std::string{default_queue}, "root.default"};
  const auto content = config::read_text_file(section.queue_file);
  if (!content) return content.error();
  const auto read = read_queues(settings, section.queue_file, *content);
  if (!read) return read.error();
  const auto& file = std::get<config::CapacitySchedulerFile>(*read);
  std::vector<std::string> names;
  for (const auto& queue : file.queues) {
    if (queue.is_parent) continue;
    names.push_back(queue.name.substr(queue.name.rfind('.') + 1));
    names.push_back(queue.name);
  }
  return names;
}

}  // namespace

Result<Done> check_queue(const SessionOptions& options) {
  constexpr const char* key = "heddle.application.queue";
  const auto queue = options.settings.application().queue;
  if (queue.empty() || queue == default_queue || queue == "root.default") return Done{};
  if (options.master.kind == config::MasterKind::yarn) return Done{};  // its ResourceManager knows the queues
  if (options.master.kind == config::MasterKind::local) {
    // A settings file can name a queue for other masters: only --set is an error.
    if (options.settings.effective(key).origin != config::Origin::command_line) return Done{};
    return Error{
        Errc::usage,
        fmt::format("queue \"{}\": --master local[N] has no queues; use a cluster master, or omit the queue", queue)};
  }
  const auto section = options.settings.resource_manager();
  if (section.scheduler == "fair") return Done{};
  const auto names = queue_names(options.settings);
  if (!names) return names.error();
  if (std::find(names->begin(), names->end(), queue) != names->end()) return Done{};
  const std::vector<std::string_view> known{names->begin(), names->end()};
  const auto others = config::suggestion(queue, known);
  return Error{Errc::not_found,
               fmt::format("there is no queue \"{}\"{}{}", queue,
                           section.scheduler == "fifo" ? "; the fifo scheduler has one, \"default\"" : "", others)};
}

}  // namespace heddle::apps
