// What a MapReduce master counts over the tasks of its job: progress, the list of endings that reduces read, and maps
// whose output cannot be fetched. Order: endings as they come, an earlier success is marked in its place. Cost:
// constant per ending or notice. After Hadoop's JobImpl; progress and rates are single precision, as there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "policies/map_reduce/map_reduce_task.hpp"

namespace heddle::policies {

struct MapReduceJobProgress {
  float setup = 0;
  float cleanup = 0;
  std::vector<float> maps;  // 1 where the task has ended
  std::vector<float> reduces;
};

/// Between 0 and 1: a twentieth each for setup and cleanup, the rest by halves for maps and reduces, or for the only
/// kind there is.
[[nodiscard]] float job_progress(const MapReduceJobProgress& progress);

/// The job's list of how attempts ended. Reduces read the maps' part by position.
class AttemptEndings {
public:
  void add(const TellAttemptEnded& ended);
  [[nodiscard]] const std::vector<TellAttemptEnded>& all() const { return all_; }
  [[nodiscard]] const std::vector<TellAttemptEnded>& of_maps() const { return of_maps_; }

private:
  struct Places {
    std::size_t all = 0;
    std::size_t of_maps = 0;
  };
  std::vector<TellAttemptEnded> all_;
  std::vector<TellAttemptEnded> of_maps_;
  std::map<std::pair<bool, std::int32_t>, Places> success_of_task_;
};

struct FetchFailureSettings {
  std::int32_t notices = 3;  // so many make a map suspect
  float of_reduces = 0.5F;   // if they are this part of the reduces that fetch
};

/// A finished map's output cannot be had: its attempt has failed after all.
struct FailFinishedMap {
  MapReduceAttempt map;
  MapReduceAttempt reporter;  // the reduce whose notice was the last
  std::string host;           // where the output should have been
  bool operator==(const FailFinishedMap&) const = default;
};

class FetchFailures {
public:
  explicit FetchFailures(FetchFailureSettings settings = {}) : settings_{settings} {}

  /// `fetching` is how many running reduces still fetch.
  void on_notice(MapReduceAttempt reporter, const std::string& host, const std::vector<MapReduceAttempt>& maps,
                 std::int32_t fetching, std::vector<FailFinishedMap>& effects);
  [[nodiscard]] std::int32_t notices_of(MapReduceAttempt map) const;

private:
  FetchFailureSettings settings_;
  std::map<MapReduceAttempt, std::int32_t> notices_;
};

}  // namespace heddle::policies
