#include "actors/job_tracker/output_claims.hpp"

#include <filesystem>

namespace heddle::actors {

std::optional<std::pair<std::string, JobId>> OutputClaims::add(JobId job, const std::vector<std::string>& outputs) {
  std::optional<std::pair<std::string, JobId>> taken;
  for (const auto& output : outputs) {
    auto path = std::filesystem::path{output}.lexically_normal();
    if (!path.has_filename()) path = path.parent_path();  // "/out/" is "/out"
    const auto row = job_of_path_.try_emplace(path.string(), job).first;
    if (row->second != job && !taken) taken.emplace(output, row->second);
  }
  return taken;
}

void OutputClaims::remove(JobId job) {
  std::erase_if(job_of_path_, [job](const auto& row) { return row.second == job; });
}

}  // namespace heddle::actors
