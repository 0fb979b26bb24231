// Resource needs of executors and tasks that datasets ask for, numbered as profiles.
// Order: profiles are numbered in the order of their first use; equal needs have one number. Cost: linear in the known
// profiles. Source: Spark's DAGScheduler.mergeResourceProfilesForStage and ResourceProfileManager.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/container.hpp"
#include "model/result.hpp"

namespace heddle::policies {

/// Amounts by resource name: "cores", "memory", "gpu" of an executor; "cpus", "gpu" of a task.
struct ResourceNeeds {
  std::map<std::string, std::int64_t> executor;
  std::map<std::string, double> task;
  bool operator==(const ResourceNeeds&) const = default;
};

/// The larger amount of each resource.
[[nodiscard]] ResourceNeeds merged_needs(const ResourceNeeds& a, const ResourceNeeds& b);

class ResourceProfiles {
public:
  explicit ResourceProfiles(ResourceNeeds of_standard) : known_{std::move(of_standard)} {}

  static constexpr ProfileId standard{0};
  /// The number of these needs. New needs get the next number.
  ProfileId intern(const ResourceNeeds& needs);
  [[nodiscard]] const ResourceNeeds& at(ProfileId profile) const {
    return known_[static_cast<std::size_t>(profile.value)];
  }
  [[nodiscard]] std::size_t size() const { return known_.size(); }
  /// The profile of a stage whose datasets name these profiles. Several are an error unless `merges`.
  Result<ProfileId> choose(std::span<const ProfileId> named, bool merges);

private:
  std::vector<ResourceNeeds> known_;
};

}  // namespace heddle::policies
