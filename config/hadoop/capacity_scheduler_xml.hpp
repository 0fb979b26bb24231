// Reads the queue file of Hadoop's CapacityScheduler (capacity-scheduler.xml) unchanged. Errors have file, line, key,
// the expected value and the closest known text. Unknown keys are listed, not refused: such files hold keys of other
// versions.
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

/// A capacity: "40" (percent of the parent), "2w" (weight among siblings) or "[memory=4096,vcores=4]" (amount).
struct ConfiguredCapacity {
  enum class Kind : std::uint8_t { percent, weight, absolute };
  Kind kind = Kind::percent;
  float number = 100.0F;  // percent or weight
  Resource amount;        // absolute

  bool operator==(const ConfiguredCapacity&) const = default;
};

/// Order in which a leaf queue serves its applications.
enum class ApplicationOrder : std::uint8_t { fifo, fair };

/// One queue; `name` is the full name, "root.a.b".
struct CapacityQueueSettings {
  std::string name;
  std::int32_t parent = -1;  // index in CapacitySchedulerFile::queues; -1: none
  bool is_parent = false;
  ConfiguredCapacity capacity;
  ConfiguredCapacity maximum_capacity;
  float user_limit_percent = 100.0F;
  float user_limit_factor = 1.0F;  // -1: limited by the maximum of the queue only
  float master_share_max = 0.1F;
  std::optional<std::int32_t> applications_max;
  std::int32_t parallel_applications_max = 2147483647;  // running at the same time; others wait
  std::int32_t priority = 0;
  bool respects_priority = false;  // parent queue: children are served by priority first
  ApplicationOrder order = ApplicationOrder::fifo;
  bool has_size_based_weight = false;
  bool is_stopped = false;
  bool is_preemptable = true;  // its containers may be preempted for other queues
  std::optional<Resource> maximum_container;
  std::map<std::string, float> user_weights;
  std::string submitters;  // "users groups"; " ": nobody; empty: not set
  std::string administrators;

  [[nodiscard]] float weight_of(const std::string& user) const {
    const auto at = user_weights.find(user);
    return at == user_weights.end() ? 1.0F : at->second;
  }
};

/// A queue mapping: "u:USER:QUEUE" or "g:GROUP:QUEUE"; %user and %primary_group are placeholders.
struct QueueMapping {
  bool is_group = false;
  std::string source;
  std::string queue;

  /// The queue for this user; empty if the mapping does not match. The first of `groups` is the primary one.
  [[nodiscard]] std::string queue_for(const std::string& user, const std::vector<std::string>& groups) const;
};

/// A whole file. Queues are in the order of their parents' lists, parents before children; the first is root.
struct CapacitySchedulerFile {
  std::vector<CapacityQueueSettings> queues;
  bool is_dominant = false;  // DominantResourceCalculator; otherwise only memory counts
  std::int32_t applications_max = 10000;
  std::int32_t applications_max_of_queue = 0;  // per queue without its own limit; 0: derived from its capacity
  std::int32_t node_locality_delay = 40;
  std::int32_t rack_locality_additional_delay = -1;
  bool rack_locality_full_reset = true;
  bool assigns_multiple = true;
  std::int32_t assignments_max = 100;  // per heartbeat; -1: no limit
  std::int32_t off_switch_assignments_max = 1;
  bool looks_beyond_reservations = true;
  std::vector<QueueMapping> mappings;
  bool mappings_override = false;  // mappings override the queue of the submission
  std::int32_t parallel_applications_max_of_users = 2147483647;
  std::map<std::string, std::int32_t> parallel_applications_max_of_user;
  std::set<std::string> stopped_elsewhere;  // stopped queues without a parent; they may be removed
  std::vector<std::string> unread_keys;     // "capacity-scheduler.xml:12: key …", each key once
};

/// Maximum number of applications of this user that run at the same time.
[[nodiscard]] std::int32_t parallel_applications_max_of(const CapacitySchedulerFile& file, const std::string& user);
/// Parses the file; `file_name` is for error texts. Fails with Errc::usage.
[[nodiscard]] Result<CapacitySchedulerFile> read_capacity_scheduler_xml(std::string_view text,
                                                                        std::string_view file_name);

/// The same from properties; the last one of equal keys wins.
[[nodiscard]] Result<CapacitySchedulerFile> read_capacity_properties(const std::vector<HadoopProperty>& properties,
                                                                     std::string_view file_name);

}  // namespace heddle::config
