// heddle-replay FOLDER: reads the event logs of a run, replays their inputs on new deciders, and prints differences.
// Exit code 0 if all effects are equal and the Driver closed its log; logs of other roles may be incomplete, because
// those can be killed.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "apps/queues/scheduler_choice.hpp"
#include "config/table/settings.hpp"
#include "tests/actors/resource_manager/resource_manager_replay.hpp"
#include "tests/actors/yarn_allocator/yarn_allocator_replay.hpp"
#include "tests/support/driver_replay.hpp"

namespace heddle::tests {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file{path};
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// Returns the first line with this event name; an empty object if there is none.
EventLine first_of(const std::vector<std::string>& lines, std::string_view name) {
  for (const auto& each : lines) {
    auto line = parse_event_line(each);
    if (line && text(*line, "event") == name) return std::move(*line);
  }
  return {};
}

/// Creates the scheduler of a ResourceManager as its process does.
std::unique_ptr<ResourceManagerReplay> resource_manager_replay(const std::vector<std::string>& lines) {
  config::Settings settings;
  const auto recorded = first_of(lines, "settings");
  for (const auto& [key, value] : recorded.at("values").as_object())
    if (const auto known = settings.set(key, std::string{value.as_string()}, config::Origin::command_line, "log");
        !known)
      fmt::print(stderr, "{}\n", known.error().text);
  const auto start = first_of(lines, "queue_file");
  auto scheduler = apps::make_resource_scheduler(settings, time_of(start));
  if (!scheduler) {
    fmt::print(stderr, "{}\n", scheduler.error().text);
    return nullptr;
  }
  return std::make_unique<ResourceManagerReplay>(**scheduler,
                                                 [settings](const std::string& file, const std::string& content) {
                                                   return *apps::read_queues(settings, file, content);
                                                 });
}

/// Returns true if the replay is equal, and the log is closed if required.
bool is_same(const std::string& path, const std::vector<std::string>& lines, Replay& replay,
             bool must_be_closed = false) {
  std::int64_t calls = 0;
  for (const auto& line : lines) replay.take(line);
  for (const auto& [name, handler] : replay.handlers()) calls += replay.taken(name);
  const auto end = first_of(lines, "log_closed");
  const bool is_whole = !end.empty() && number(end, "lines") == static_cast<std::int64_t>(lines.size());
  for (const auto& difference : replay.differences()) fmt::print("{}: {}\n", path, difference);
  fmt::print("{}: {} lines, {} of them inputs, {} decided otherwise{}\n",
             std::filesystem::path{path}.filename().string(), lines.size(), calls, replay.differences().size(),
             is_whole ? "" : "; not closed");
  return replay.differences().empty() && (is_whole || !must_be_closed) && calls > 0;
}

int replay_folder(const std::string& folder) {
  bool is_fine = true;
  if (const auto path = folder + "/events.jsonl"; true) {
    DriverReplay replay;
    is_fine = is_same(path, lines_of(path), replay, true);
  }
  if (const auto path = folder + "/application_master.jsonl"; std::filesystem::exists(path)) {
    YarnAllocatorReplay replay;
    is_fine = is_same(path, lines_of(path), replay) && is_fine;
  }
  if (const auto path = folder + "/resource_manager.jsonl"; std::filesystem::exists(path)) {
    const auto lines = lines_of(path);
    const auto replay = resource_manager_replay(lines);
    is_fine = replay != nullptr && is_same(path, lines, *replay) && is_fine;
  }
  return is_fine ? 0 : 1;
}

}  // namespace
}  // namespace heddle::tests

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: heddle-replay FOLDER\n";
    return 2;
  }
  try {
    return heddle::tests::replay_folder(argv[1]);
  } catch (const std::exception& fault) {
    std::cerr << "heddle-replay: " << argv[1] << ": a line that this needs is not as it should be: " << fault.what()
              << '\n';
    return 2;
  }
}
