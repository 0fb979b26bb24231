// Counts of a MapReduce master over the tasks of its job: progress, the list of completion events that reduces read,
// and maps whose output cannot be fetched. Order: completion events as they arrive; an earlier success is marked
// obsolete in place. Cost: constant per event or fetch failure. After Hadoop's JobImpl; progress and rates are float,
// as there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "policies/map_reduce/map_reduce_master_settings.hpp"
#include "policies/map_reduce/map_reduce_state_effects.hpp"

namespace heddle::policies {

struct MapReduceJobProgress {
  float setup = 0;
  float cleanup = 0;
  std::vector<float> maps;  // 1 for ended tasks
  std::vector<float> reduces;
};

/// Progress between 0 and 1: 5 % each for setup and cleanup; the rest is divided equally between maps and reduces, or
/// goes to the only kind that the job has.
[[nodiscard]] float job_progress(const MapReduceJobProgress& progress);

/// The job's list of completion events. Reduces read those of maps by index.
class AttemptEndings {
public:
  void add(const AddCompletionEvent& ended);
  [[nodiscard]] const std::vector<AddCompletionEvent>& all() const { return all_; }
  [[nodiscard]] const std::vector<AddCompletionEvent>& of_maps() const { return of_maps_; }

private:
  struct Places {
    std::size_t all = 0;
    std::size_t of_maps = 0;
  };
  std::vector<AddCompletionEvent> all_;
  std::vector<AddCompletionEvent> of_maps_;
  std::map<std::pair<bool, std::int32_t>, Places> success_of_task_;
};

class FetchFailures {
public:
  explicit FetchFailures(FetchFailureSettings settings = {}) : settings_{settings} {}

  /// `fetching`: number of running reduces that still fetch.
  void on_notice(MapReduceAttempt reporter, const std::string& host, const std::vector<MapReduceAttempt>& maps,
                 std::int32_t fetching, std::vector<FailFinishedMap>& effects);

private:
  FetchFailureSettings settings_;
  std::map<MapReduceAttempt, std::int32_t> notices_;
};

}  // namespace heddle::policies
