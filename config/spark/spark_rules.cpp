#include "config/spark/spark_rules.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <optional>

#include "config/text/value_text.hpp"

namespace heddle::config {
namespace {

const SettingEntry* find_entry(const std::vector<SettingEntry>& entries, std::string_view key) {
  for (const SettingEntry& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

Duration duration_of(const SettingEntry* entry, SettingUnit bare, Duration otherwise) {
  if (entry == nullptr) return otherwise;
  const auto value = parse_duration(entry->value, bare);
  return value ? *value : otherwise;
}

std::int64_t size_of(const SettingEntry* entry, SettingUnit bare, std::int64_t otherwise) {
  if (entry == nullptr) return otherwise;
  const auto value = parse_size(entry->value, bare);
  return value ? *value : otherwise;
}

/// Spark checks executors once per interval: a shorter time-out would have no effect.
void check_network_timeout(const std::vector<SettingEntry>& entries, std::vector<std::string>& broken) {
  constexpr std::string_view interval_key = "spark.network.timeoutInterval";
  const SettingEntry* of_blocks = find_entry(entries, "spark.storage.blockManagerHeartbeatTimeoutMs");
  const SettingEntry* of_network = find_entry(entries, "spark.network.timeout");
  const Duration silence = of_blocks != nullptr ? duration_of(of_blocks, SettingUnit::ms, std::chrono::seconds{120})
                                                : duration_of(of_network, SettingUnit::s, std::chrono::seconds{120});
  const Duration interval = duration_of(find_entry(entries, interval_key), SettingUnit::ms, std::chrono::seconds{60});
  if (interval <= silence) return;
  const SettingEntry* named = of_blocks != nullptr ? of_blocks : of_network;
  broken.push_back(fmt::format("{} ({}) exceeds {} ({})", interval_key, format_duration(interval),
                               named != nullptr ? named->key : "spark.network.timeout", format_duration(silence)));
}

/// Map output locations below the broadcast minimum are sent in one message.
void check_broadcast(const std::vector<SettingEntry>& entries, std::vector<std::string>& broken) {
  constexpr std::string_view least_key = "spark.shuffle.mapOutput.minSizeForBroadcast";
  constexpr std::string_view most_key = "spark.rpc.message.maxSize";
  const std::int64_t least = size_of(find_entry(entries, least_key), SettingUnit::bytes, 512 << 10);
  const std::int64_t most = size_of(find_entry(entries, most_key), SettingUnit::mib_in_bytes, std::int64_t{128} << 20);
  if (least > most)
    broken.push_back(
        fmt::format("{} ({}) exceeds {} ({})", least_key, format_bytes(least), most_key, format_bytes(most)));
}

/// The name of a resource must be followed by `.amount`.
void check_container_resources(const std::vector<SettingEntry>& entries, std::vector<std::string>& broken) {
  constexpr std::array<std::string_view, 3> prefixes{"spark.yarn.executor.resource.", "spark.yarn.driver.resource.",
                                                     "spark.yarn.am.resource."};
  for (const auto& [key, value, place] : entries)
    for (const auto prefix : prefixes) {
      if (key.rfind(prefix, 0) != 0 || key.ends_with(".amount")) continue;
      const auto dot = key.rfind('.');
      if (dot < prefix.size())
        broken.push_back(fmt::format("missing suffix for {}, you must specify one: .amount", key));
      else
        broken.push_back(
            fmt::format("unsupported suffix: {} in: {}, only .amount is supported", key.substr(dot + 1), key));
    }
}

}  // namespace

std::vector<std::string> broken_spark_rules(const std::vector<SettingEntry>& entries) {
  std::vector<std::string> broken;
  check_network_timeout(entries, broken);
  check_broadcast(entries, broken);
  check_container_resources(entries, broken);
  return broken;
}

}  // namespace heddle::config
