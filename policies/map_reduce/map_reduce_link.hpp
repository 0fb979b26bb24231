// Connection of a MapReduce master to the ResourceManager: time of the last answer, permission of tasks to commit, end
// after failed calls. Order: actions for the next answer run in the order of addition. Cost: constant. After Hadoop's
// RMCommunicator and RMContainerAllocator (spec CA-26, TK-3).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/time.hpp"

namespace heddle::policies {

struct MapReduceLinkSettings {
  Duration retry_max = std::chrono::minutes{6};       // without an answer for this time the master ends and is replaced
  Duration commit_window = std::chrono::seconds{10};  // a task may commit only if the last answer is not older
};

enum class LinkFailure : std::uint8_t { unreachable, not_registered, attempt_unknown };
/// `end`: the master ends without a result of its job, so that the next application attempt continues.
enum class LinkVerdict : std::uint8_t { retry, register_again, end };

class MapReduceLink {
public:
  MapReduceLink(MapReduceLinkSettings settings, Instant now) : settings_{settings}, retrying_since_{now} {}

  /// The ResourceManager answered. Returns the actions that waited for it.
  [[nodiscard]] std::vector<std::int64_t> on_answer(Instant now);
  [[nodiscard]] LinkVerdict on_failure(Instant now, LinkFailure failure) const;
  /// Adds an action for the next answer.
  void run_at_next_answer(std::int64_t what) { waiting_.push_back(what); }

  [[nodiscard]] std::optional<Instant> last_heard() const { return last_heard_; }
  /// If two masters of one job run because one of them is disconnected, only one may let a task commit.
  [[nodiscard]] bool may_commit(Instant now) const {
    return last_heard_ && now - *last_heard_ <= settings_.commit_window;
  }
  /// When the master ends if calls keep failing.
  [[nodiscard]] Instant next_due() const { return retrying_since_ + settings_.retry_max; }

private:
  MapReduceLinkSettings settings_;
  Instant retrying_since_;
  std::optional<Instant> last_heard_;
  std::vector<std::int64_t> waiting_;
};

}  // namespace heddle::policies
