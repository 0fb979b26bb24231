#include "apps/session/settled_output.hpp"

#include <utility>

#include "apps/roles/file_systems_of.hpp"
#include "apps/roles/role_settings.hpp"
#include "work/output/output_commit.hpp"

namespace heddle::apps {

SettledOutput settle_output(const OutputOwner& owner, const std::vector<std::string>& paths, std::int32_t attempt) {
  if (paths.empty()) return {};
  auto settings = commit_settings(owner.settings, owner.application);
  settings.journal = owner.journal;
  if (owner.writer) settings.owner = *owner.writer;
  auto files = file_systems_of(owner.settings, PathRules::local, owner.is_interrupted);
  work::FileOutputCommit commit{files, std::move(settings)};
  const auto found = commit.recover(paths, attempt);
  if (found && *found == ports::CommitState::committed) return {true, {}};
  const auto removed = commit.abort(paths, attempt);
  return {false, removed ? std::string{} : removed.error().text};
}

}  // namespace heddle::apps
