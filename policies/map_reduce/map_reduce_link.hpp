// What a MapReduce master makes of its calls to the ResourceManager: when it was heard last, whether a task may commit,
// when to give up. Order: what waits for the next beat runs in the order of its coming. Cost: constant. After Hadoop's
// RMCommunicator and RMContainerAllocator (spec CA-26, TK-3).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/time.hpp"

namespace heddle::policies {

struct MapReduceLinkSettings {
  Duration retry_max = std::chrono::minutes{6};  // without an answer; then the master ends, and another takes its place
  Duration commit_window = std::chrono::seconds{10};  // a task commits only if the ResourceManager was heard within it
};

enum class LinkFailure : std::uint8_t { unreachable, not_registered, attempt_unknown };
/// `end`: this master ends without a verdict on its job, so that the next attempt goes on with it.
enum class LinkVerdict : std::uint8_t { retry, register_again, end };

class MapReduceLink {
public:
  MapReduceLink(MapReduceLinkSettings settings, Instant now) : settings_{settings}, retrying_since_{now} {}

  /// An answer came; returns what waited for it.
  [[nodiscard]] std::vector<std::int64_t> on_answer(Instant now);
  [[nodiscard]] LinkVerdict on_failure(Instant now, LinkFailure failure) const;
  /// Remembers what has to run after the next answer.
  void run_at_next_answer(std::int64_t what) { waiting_.push_back(what); }

  [[nodiscard]] std::optional<Instant> last_heard() const { return last_heard_; }
  /// Two masters of one job, of which one does not know that it is cut off, must not both let a task commit.
  [[nodiscard]] bool may_commit(Instant now) const {
    return last_heard_ && now - *last_heard_ <= settings_.commit_window;
  }
  /// When failing calls alone end the master.
  [[nodiscard]] Instant next_due() const { return retrying_since_ + settings_.retry_max; }

private:
  MapReduceLinkSettings settings_;
  Instant retrying_since_;
  std::optional<Instant> last_heard_;
  std::vector<std::int64_t> waiting_;
};

}  // namespace heddle::policies
