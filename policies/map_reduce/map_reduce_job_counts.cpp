#include "policies/map_reduce/map_reduce_job_counts.hpp"

namespace heddle::policies {
namespace {

float mean(const std::vector<float>& values) {
  float sum = 0;
  for (const float value : values) sum += value;
  return values.empty() ? sum : sum / static_cast<float>(values.size());
}

}  // namespace

float job_progress(const MapReduceJobProgress& progress) {
  constexpr float edge = 0.05F;
  const float of_maps = progress.reduces.empty() ? 0.9F : progress.maps.empty() ? 0.0F : 0.45F;
  const float of_reduces = progress.reduces.empty() ? 0.0F : progress.maps.empty() ? 0.9F : 0.45F;
  return progress.setup * edge + progress.cleanup * edge + mean(progress.maps) * of_maps +
         mean(progress.reduces) * of_reduces;
}

void AttemptEndings::add(const AddCompletionEvent& ended) {
  const bool is_map = !ended.attempt.is_reduce;
  const std::pair task{ended.attempt.is_reduce, ended.attempt.index};
  const Places here{all_.size(), of_maps_.size()};
  all_.push_back(ended);
  if (is_map) of_maps_.push_back(ended);
  if (const auto former = success_of_task_.find(task); former != success_of_task_.end()) {
    all_[former->second.all].ending = AttemptEnding::obsolete;
    if (is_map) of_maps_[former->second.of_maps].ending = AttemptEnding::obsolete;
    success_of_task_.erase(former);
  }
  if (ended.ending == AttemptEnding::succeeded) success_of_task_.insert_or_assign(task, here);
}

void FetchFailures::on_notice(MapReduceAttempt reporter, const std::string& host,
                              const std::vector<MapReduceAttempt>& maps, std::int32_t fetching,
                              std::vector<FailFinishedMap>& effects) {
  for (const MapReduceAttempt& map : maps) {
    const std::int32_t notices = ++notices_[map];
    const float rate = fetching == 0 ? 1.0F : static_cast<float>(notices) / static_cast<float>(fetching);
    if (notices < settings_.notices || rate < settings_.of_reduces) continue;
    effects.push_back(FailFinishedMap{map, reporter, host});
    notices_.erase(map);
  }
}

}  // namespace heddle::policies
