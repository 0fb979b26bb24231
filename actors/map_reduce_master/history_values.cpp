#include "actors/map_reduce_master/history_values.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <map>

#include "ports/history_names.hpp"

namespace heddle::actors {
namespace {

constexpr std::string_view totals_group = "heddle.TaskTotals";

struct OwnCounter {
  std::string_view name;
  std::int64_t TaskOutcome::*field;
};

/// The fields of an outcome that JobTotals adds up.
constexpr std::array<OwnCounter, 5> own_counters{{{"BYTES_READ", &TaskOutcome::bytes_read},
                                                  {"RECORDS_READ", &TaskOutcome::records_read},
                                                  {"BYTES_SHUFFLED", &TaskOutcome::bytes_shuffled_in},
                                                  {"BYTES_WRITTEN", &TaskOutcome::bytes_written},
                                                  {"BYTES_SPILLED", &TaskOutcome::bytes_spilled}}};

/// Takes a number from the front of the text, and the separator behind it.
bool take_number(std::string_view& text, std::int64_t& number, std::string_view separator) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.starts_with(separator)) return false;
  text.remove_prefix(separator.size());
  return true;
}

constexpr std::string_view place_start = "map output on node ";
constexpr std::string_view place_epoch = " of registration ";
constexpr std::string_view place_address = " at ";
constexpr std::string_view place_folder = " in ";

}  // namespace

history::Counters history_counters(std::string name, const std::vector<std::pair<std::string, std::int64_t>>& sums) {
  history::Counters made;
  made.name = std::move(name);
  std::map<std::string_view, std::size_t> index;
  for (const auto& [key, value] : sums) {
    const auto tab = key.find('\t');
    const auto group = std::string_view{key}.substr(0, tab);
    const auto counter = tab == std::string::npos ? std::string{} : key.substr(tab + 1);
    const auto [row, is_new] = index.try_emplace(group, made.groups.size());
    if (is_new) made.groups.push_back({std::string{group}, std::string{history::shown_group(group)}, {}});
    made.groups[row->second].counters.push_back({counter, std::string{history::shown_counter(group, counter)}, value});
  }
  return made;
}

history::Counters history_counters(const TaskOutcome& outcome) {
  std::vector<std::pair<std::string, std::int64_t>> sums;
  for (std::size_t i = 0; i < outcome.task_counters.size() && i < task_counter_names.size(); ++i)
    if (outcome.task_counters[i] != 0) sums.emplace_back(task_counter_names[i], outcome.task_counters[i]);
  sums.insert(sums.end(), outcome.counters.begin(), outcome.counters.end());
  for (const auto& own : own_counters)
    if (outcome.*own.field != 0) sums.emplace_back(fmt::format("{}\t{}", totals_group, own.name), outcome.*own.field);
  return history_counters("COUNTERS", sums);
}

TaskOutcome outcome_of(const history::Counters& counters) {
  TaskOutcome outcome;
  for (const auto& group : counters.groups)
    for (const auto& counter : group.counters) {
      if (group.name != totals_group) {
        outcome.counters.emplace_back(group.name + '\t' + counter.name, counter.value);
        continue;
      }
      for (const auto& own : own_counters)
        if (own.name == counter.name) outcome.*own.field = counter.value;
    }
  return outcome;
}

std::string place_text(const MapOutputLocation& place) {
  return fmt::format("{}{}{}{}{}{}{}{}", place_start, place.node.value, place_epoch, place.epoch.value, place_address,
                     place.address, place_folder, place.directory);
}

std::optional<MapOutputLocation> read_place(std::string_view text, const std::string& host) {
  if (!text.starts_with(place_start)) return std::nullopt;
  text.remove_prefix(place_start.size());
  MapOutputLocation place;
  place.host = host;
  if (!take_number(text, place.node.value, place_epoch) || !take_number(text, place.epoch.value, place_address))
    return std::nullopt;
  const auto folder = text.find(place_folder);  // an address has no spaces
  if (folder == std::string_view::npos) return std::nullopt;
  place.address = text.substr(0, folder);
  place.directory = text.substr(folder + place_folder.size());
  return place;
}

}  // namespace heddle::actors
