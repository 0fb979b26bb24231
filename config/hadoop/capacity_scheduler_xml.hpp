// Reads the queue file of Hadoop's CapacityScheduler (capacity-scheduler.xml) as it is.
// An error names file, line and key, what was expected and, where one is near, the word that was meant.
// Keys that nothing here reads are listed, not refused: such files carry keys of other versions.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/hadoop/hadoop_xml.hpp"
#include "model/resources.hpp"
#include "model/result.hpp"

namespace heddle::config {

/// A capacity as written: "40" percent of the parent, "2w" shares among siblings, or "[memory=4096,vcores=4]".
struct ConfiguredCapacity {
  enum class Kind : std::uint8_t { percent, weight, absolute };
  Kind kind = Kind::percent;
  float number = 100.0F;  // percent or weight
  Resource amount;        // absolute

  bool operator==(const ConfiguredCapacity&) const = default;
};

/// In which order a leaf serves its applications.
enum class ApplicationOrder : std::uint8_t { fifo, fair };

/// One queue; `name` is the full name, "root.a.b".
struct CapacityQueueSettings {
  std::string name;
  std::int32_t parent = -1;  // index in the file's queues
  bool is_parent = false;
  ConfiguredCapacity capacity;
  ConfiguredCapacity maximum_capacity;
  float user_limit_percent = 100.0F;
  float user_limit_factor = 1.0F;  // -1: no limit but the queue's own maximum
  float master_share_max = 0.1F;
  std::optional<std::int32_t> applications_max;
  std::int32_t parallel_applications_max = 2147483647;  // that run at once; more wait
  std::int32_t priority = 0;
  bool respects_priority = false;  // between the children of a parent
  ApplicationOrder order = ApplicationOrder::fifo;
  bool has_size_based_weight = false;
  bool is_stopped = false;
  bool is_preemptable = true;  // by other queues
  std::optional<Resource> maximum_container;
  std::map<std::string, float> user_weights;
  std::string submitters;  // "users groups", as written; " ": nobody; empty: not said
  std::string administrators;

  [[nodiscard]] float weight_of(const std::string& user) const {
    const auto at = user_weights.find(user);
    return at == user_weights.end() ? 1.0F : at->second;
  }
};

/// One of the queue mappings: "u:USER:QUEUE" or "g:GROUP:QUEUE", with %user and %primary_group as place-holders.
struct QueueMapping {
  bool is_group = false;
  std::string source;
  std::string queue;

  /// The queue, or nothing if the mapping is not for this user. The first of `groups` is the primary one.
  [[nodiscard]] std::string queue_for(const std::string& user, const std::vector<std::string>& groups) const;
};

/// A whole file. Queues stand in the order of their parents' lists, a parent before its children; the first is root.
struct CapacitySchedulerFile {
  std::vector<CapacityQueueSettings> queues;
  bool is_dominant = false;  // the dominant calculator; otherwise memory alone counts
  std::int32_t applications_max = 10000;
  std::int32_t applications_max_of_queue = 0;  // of one that says nothing itself; 0: by its capacity
  std::int32_t node_locality_delay = 40;
  std::int32_t rack_locality_additional_delay = -1;
  bool rack_locality_full_reset = true;
  bool assigns_multiple = true;
  std::int32_t assignments_max = 100;  // of one heartbeat; -1: no limit
  std::int32_t off_switch_assignments_max = 1;
  bool looks_beyond_reservations = true;
  std::vector<QueueMapping> mappings;
  bool mappings_override = false;  // the queue that a submission names
  std::int32_t parallel_applications_max_of_users = 2147483647;
  std::map<std::string, std::int32_t> parallel_applications_max_of_user;
  std::set<std::string> stopped_elsewhere;  // queues that are stopped and not named by a parent: they may leave
  std::vector<std::string> unread_keys;     // "capacity-scheduler.xml:12: key …", each once
};

/// How many applications of this user run at once.
[[nodiscard]] std::int32_t parallel_applications_max_of(const CapacitySchedulerFile& file, const std::string& user);
[[nodiscard]] Result<CapacitySchedulerFile> read_capacity_scheduler_xml(std::string_view text,
                                                                        std::string_view file_name);

/// The same from properties; of two with the same key the later one counts.
[[nodiscard]] Result<CapacitySchedulerFile> read_capacity_properties(const std::vector<HadoopProperty>& properties,
                                                                     std::string_view file_name);

}  // namespace heddle::config
