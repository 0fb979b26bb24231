#include "ports/output_commit.hpp"

#include <cstddef>

namespace heddle::ports {

Result<Done> set_up_outputs(OutputCommit& commit, const std::vector<std::string>& paths,
                            std::int32_t application_attempt) {
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto made = commit.set_up(paths[i], paths, application_attempt);
    if (made) continue;
    auto error = made.error();
    const std::vector<std::string> ours(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(i));
    if (ours.empty()) return error;
    if (const auto removed = commit.abort(ours, application_attempt); !removed)
      error.text += "; output folders that heddle had created before remain: " + removed.error().text;
    return error;
  }
  return Done{};
}

}  // namespace heddle::ports
