// Reads the queue file of Hadoop's FairScheduler (fair-scheduler.xml) unchanged. AF-1 to AF-5 define grammar, defaults
// and errors. Errors have file, line and the expected value.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/resources.hpp"
#include "model/result.hpp"

namespace heddle::config {

/// A configured amount: absolute, or as fractions of the current resources of the cluster.
struct ConfiguredResource {
  bool is_fraction = false;
  Resource amount;
  double memory_fraction = 0;
  double cores_fraction = 0;
  std::vector<ResourceAmount> others = {};                           // amounts of other kinds; 0 is a limit too
  std::vector<std::pair<std::string, double>> other_fractions = {};  // other kinds as fractions of the cluster
  std::optional<double> unnamed_fraction = {};                       // of kinds without a value; empty: unlimited

  [[nodiscard]] Resource of(const Resource& cluster) const;
  /// Amount of another kind; `cluster` is the amount in the cluster. Empty: unlimited.
  [[nodiscard]] std::optional<std::int64_t> of_kind(std::string_view name, std::int64_t cluster) const;
  bool operator==(const ConfiguredResource&) const = default;
};

/// No limit: 2^63-1 MiB and 2^31-1 cores.
inline constexpr Resource unlimited{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int32_t>::max()};
inline constexpr std::int64_t no_timeout = std::numeric_limits<std::int64_t>::max();

/// How a queue shares its resources between its children.
enum class SharePolicy : std::uint8_t { fair, dominant_resource, fifo };

/// One <queue>; `name` is the full name, "root.a.b". Absent values inherit from the file or the parent.
struct FairQueueSettings {
  std::string name;
  bool is_parent = false;
  ConfiguredResource minimum;
  std::optional<ConfiguredResource> maximum;
  std::optional<ConfiguredResource> maximum_of_children;
  std::optional<ConfiguredResource> maximum_container;
  std::optional<std::int32_t> running_applications_max;
  std::optional<float> master_share_max;  // -1: no limit
  float weight = 1.0F;
  std::optional<std::int64_t> minimum_share_timeout_ms;
  std::optional<std::int64_t> fair_share_timeout_ms;
  std::optional<float> fair_share_threshold;
  std::optional<SharePolicy> policy;
  bool is_preemptable = true;
  bool is_reservable = false;
  std::string submitters;  // "users groups"; " ": nobody; empty: not set
  std::string administrators;
};

/// One rule of <queuePlacementPolicy>.
struct PlacementRule {
  enum class Kind : std::uint8_t {
    specified,
    user,
    primary_group,
    secondary_group,
    nested_user_queue,
    fallback,
    reject
  };
  Kind kind = Kind::specified;
  bool create = true;
  std::string queue;                  // of a rule of kind fallback ("default")
  std::vector<PlacementRule> parent;  // none or one
};

/// A whole file. Queues are in the order of the file, parents before children; `root` is included only if the file
/// declares it.
struct FairSchedulerFile {
  std::vector<FairQueueSettings> queues;
  std::map<std::string, std::int32_t> running_applications_max_of_user;
  std::int32_t running_applications_max_of_users = std::numeric_limits<std::int32_t>::max();
  std::int32_t running_applications_max_of_queues = std::numeric_limits<std::int32_t>::max();
  ConfiguredResource maximum_of_queues{false, unlimited, 0, 0};
  float master_share_max = 0.5F;
  std::int64_t minimum_share_timeout_ms = no_timeout;
  std::int64_t fair_share_timeout_ms = no_timeout;
  float fair_share_threshold = 0.5F;
  SharePolicy policy = SharePolicy::fair;
  std::optional<std::vector<PlacementRule>> placement;
};

/// Parses the file; `file_name` is for error texts. Fails with Errc::usage.
[[nodiscard]] Result<FairSchedulerFile> read_fair_scheduler_xml(std::string_view text, std::string_view file_name);

/// Parses one amount; `missing` has the values of types that the new style leaves out. Fails with Errc::usage.
[[nodiscard]] Result<ConfiguredResource> read_configured_resource(std::string_view text, const Resource& missing);

}  // namespace heddle::config
