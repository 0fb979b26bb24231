#include "policies/stages/resource_profiles.hpp"

#include <algorithm>
#include <set>

namespace heddle::policies {
namespace {

template <class Amounts>
Amounts larger_of(const Amounts& a, const Amounts& b) {
  Amounts result = a;
  for (const auto& [name, amount] : b) {
    const auto [row, is_new] = result.try_emplace(name, amount);
    if (!is_new) row->second = std::max(row->second, amount);
  }
  return result;
}

}  // namespace

ResourceNeeds merged_needs(const ResourceNeeds& a, const ResourceNeeds& b) {
  return {larger_of(a.executor, b.executor), larger_of(a.task, b.task)};
}

ProfileId ResourceProfiles::intern(const ResourceNeeds& needs) {
  const auto place = std::find(known_.begin(), known_.end(), needs) - known_.begin();
  if (place == static_cast<std::ptrdiff_t>(known_.size())) known_.push_back(needs);
  return ProfileId{place};
}

Result<ProfileId> ResourceProfiles::choose(std::span<const ProfileId> named, bool merges) {
  const std::set<ProfileId> profiles(named.begin(), named.end());
  if (profiles.empty()) return standard;
  if (profiles.size() == 1) return *profiles.begin();
  if (!merges)
    return Error{Errc::usage,
                 "Multiple ResourceProfiles specified in the RDDs for this stage, either resolve the conflicting "
                 "ResourceProfiles "
                 "yourself or enable spark.scheduler.resource.profileMergeConflicts and understand how Spark handles "
                 "the merging them."};
  ResourceNeeds needs;
  for (const ProfileId profile : profiles) needs = merged_needs(needs, at(profile));
  return intern(needs);
}

}  // namespace heddle::policies
