// Which applications there are, how far each is, and what waits for its next answer.
//
//   accepted --master container assigned--> launched --registered--> running --finished--> ended
//      ^                                        |                       |
//      +------ attempt lost, tries left --------+-----------------------+---- none left ---> ended
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages/resource_manager.hpp"
#include "messages/yarn_allocator.hpp"
#include "model/due_heap.hpp"
#include "model/time.hpp"

namespace heddle::actors {

enum class ApplicationPhase : std::uint8_t { accepted, launched, running, ended };

[[nodiscard]] const char* to_string(ApplicationPhase phase);

/// Response ids run from 0 to the largest int and begin again (YARN's numbers).
[[nodiscard]] constexpr std::int32_t next_response_id(std::int32_t response_id) {
  return response_id == std::numeric_limits<std::int32_t>::max() ? 0 : response_id + 1;
}

/// An application that waits longer for its master or its containers is told why.
constexpr Duration explained_wait = std::chrono::seconds{5};

/// What an application waits for, until its client has been told why.
struct ApplicationWaits {
  bool is_master_explained = false;
  bool are_containers_explained = false;
  std::optional<Instant> extras_since;      // the last ask for kinds beside memory and cores; of the current attempt
  std::optional<Instant> containers_since;  // the first ask, while it has only its master; of the current attempt
  Resource asked;                           // one of those containers
};

/// Which peers of an application are connected.
struct ApplicationPeers {
  bool client = false;
  bool master = false;     // of the current attempt
  bool allocator = false;  // the same
};

/// What the allocator of the current attempt was answered.
struct AllocateAnswers {
  std::int32_t id = -1;  // of the last answer; -1: no master has registered
  std::optional<AllocateResponse> last;
  bool is_announced = false;  // AllocationAvailable was sent since the last answer
  bool has_grants = true;     // the scheduler may have grants that were not handed over
};

struct Application {
  ApplicationId id;
  ApplicationPhase phase = ApplicationPhase::accepted;
  SubmitApplication submission;
  ApplicationPeers peers;
  std::string token;
  std::int32_t attempt = 0;
  std::int32_t failures = 0;  // attempts that count against the limit
  std::int32_t attempts_max = 1;
  bool succeeded = false;
  Instant accepted_at;
  ApplicationWaits waits;
  // of the current attempt
  ContainerId master_container;
  Instant last_heard;
  AllocateAnswers answers;
  std::vector<CompletedContainer> ends;
  std::vector<LostNode> lost_nodes;
  // of all attempts
  std::set<NodeId> nodes;            // where anything was started
  std::set<ContainerId> containers;  // granted, not known to have ended
  std::optional<Instant> leave_by;   // a master that has finished is stopped then

  [[nodiscard]] AttemptId attempt_id() const { return {id, attempt}; }
  [[nodiscard]] bool is_live() const { return phase != ApplicationPhase::ended; }
  void enter(ApplicationPhase next);
  /// A new attempt starts with nothing of the former one.
  void begin_attempt(Instant now);
  [[nodiscard]] bool has_master() const {
    return phase == ApplicationPhase::launched || phase == ApplicationPhase::running;
  }
  /// Its client has not been told why it has no master.
  [[nodiscard]] bool is_master_wait_open() const {
    return phase == ApplicationPhase::accepted && !waits.is_master_explained && peers.client;
  }
  /// The earliest instant at which time alone changes something.
  [[nodiscard]] std::optional<Instant> next_due(Duration master_timeout) const;
};

class ApplicationTable {
public:
  explicit ApplicationTable(std::int64_t cluster_start, Duration master_timeout = std::chrono::hours{24})
      : cluster_start_{cluster_start}, master_timeout_{master_timeout} {}
  Application& add(const SubmitApplication& message, bool has_client);
  void forget(ApplicationId id) {
    applications_.erase(id);
    deadlines_.remove(id);
  }
  [[nodiscard]] Application* find(const ApplicationId& id);
  /// Only if this is the current attempt of an application that has not ended.
  [[nodiscard]] Application* find_attempt(const AttemptId& id);
  [[nodiscard]] std::map<ApplicationId, Application>& rows() { return applications_; }
  [[nodiscard]] const std::map<ApplicationId, Application>& rows() const { return applications_; }
  /// Forgets the oldest ended applications beyond `kept` that hold no container any more.
  /// Returns their ids.
  std::vector<ApplicationId> forget_ended(std::size_t kept);
  /// Called after each change that brings a deadline of the application forward.
  void schedule(const Application& application);
  /// The earliest deadline; not later.
  [[nodiscard]] std::optional<Instant> next_due() { return deadlines_.next_due(); }
  /// One application whose deadline has come; it is scheduled anew by the caller.
  [[nodiscard]] Application* take_due(Instant now);
  void check_invariants() const;

private:
  std::int64_t cluster_start_;
  Duration master_timeout_;
  std::int64_t last_number_ = 0;
  std::map<ApplicationId, Application> applications_;
  DueHeap<ApplicationId> deadlines_;
};

}  // namespace heddle::actors
