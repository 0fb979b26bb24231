// Applications: phase, attempt, peers and what the next AllocateResponse contains.
//
//   accepted --master container assigned--> launched --registered--> running --finished--> ended
//      ^                                        |                       |
//      +------ attempt lost, tries left --------+-----------------------+---- none left ---> ended
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages/allocator.hpp"
#include "messages/resource_manager.hpp"
#include "model/due_heap.hpp"
#include "model/time.hpp"

namespace heddle::actors {

enum class ApplicationPhase : std::uint8_t { accepted, launched, running, ended };

[[nodiscard]] const char* to_string(ApplicationPhase phase);

/// The progress to keep for one that an allocator reported: 0 to 1, and 0 for NaN. As in YARN.
[[nodiscard]] constexpr float bounded_progress(float reported) {
  if (!(reported > 0)) return 0;
  return reported < 1 ? reported : 1;
}

/// After waiting this long for its master or its first container, an application gets a Notice with the reason.
constexpr Duration explained_wait = std::chrono::seconds{5};

/// What an application waits for, and which of these waits its client was notified of.
struct ApplicationWaits {
  bool is_master_explained = false;
  bool are_containers_explained = false;
  std::optional<Instant> others_since;      // last request for resources other than memory and cores; current attempt
  std::optional<Instant> containers_since;  // first request, while only the master container exists; current attempt
  Resource asked;                           // size of one requested container
};

/// Which peers of an application are connected.
struct ApplicationPeers {
  bool client = false;
  bool master = false;     // of the current attempt
  bool allocator = false;  // of the current attempt
};

/// Answers to the allocator of the current attempt.
struct AllocateAnswers {
  std::int32_t id = -1;  // response id of the last answer; -1: no master has registered
  std::optional<AllocateResponse> last;
  bool is_announced = false;  // AllocationAvailable was sent since the last answer
  bool has_grants = true;     // the scheduler may have grants that are in no answer yet
};

struct Application {
  ApplicationId id;
  ApplicationPhase phase = ApplicationPhase::accepted;
  SubmitApplication submission;
  ApplicationPeers peers;
  std::string token;
  std::int32_t attempt = 0;
  std::int32_t failures = 0;  // attempts that count against attempts_max
  std::int32_t attempts_max = 1;
  bool succeeded = false;
  Instant accepted_at;
  ApplicationWaits waits;
  // state of the current attempt
  ContainerId master_container;
  Instant last_heard;
  float progress = 0;  // 0 to 1, of the last AllocateRequest
  AllocateAnswers answers;
  std::vector<CompletedContainer> ends;
  // state across attempts
  /// For the next answer, also if that is to the next attempt: its Driver may be the same (client mode), and map
  /// outputs on lost nodes are lost.
  std::map<NodeId, NodeUpdate> updated_nodes;
  std::set<NodeId> nodes;            // nodes on which a container was granted
  std::set<ContainerId> containers;  // granted and not reported as ended
  std::optional<Instant> leave_by;   // the container of a finished master is stopped at this time

  [[nodiscard]] AttemptId attempt_id() const { return {id, attempt}; }
  [[nodiscard]] bool is_live() const { return phase != ApplicationPhase::ended; }
  void enter(ApplicationPhase next);
  /// Starts the next attempt; resets all state of the current attempt.
  void begin_attempt(Instant now);
  [[nodiscard]] bool has_master() const {
    return phase == ApplicationPhase::launched || phase == ApplicationPhase::running;
  }
  /// The application waits for a master, and its client does not know the reason.
  [[nodiscard]] bool is_master_wait_open() const {
    return phase == ApplicationPhase::accepted && !waits.is_master_explained && peers.client;
  }
  /// The earliest deadline: master timeout, exit of a finished master, or a wait to explain.
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
  /// Null if the attempt is not the current one, or if the application has ended.
  [[nodiscard]] Application* find_attempt(const AttemptId& id);
  [[nodiscard]] std::map<ApplicationId, Application>& rows() { return applications_; }
  [[nodiscard]] const std::map<ApplicationId, Application>& rows() const { return applications_; }
  /// Removes the oldest ended applications above `kept` that have no containers left. Returns their ids.
  std::vector<ApplicationId> forget_ended(std::size_t kept);
  /// Call after each change that may bring a deadline of the application forward.
  void schedule(const Application& application);
  /// A lower bound of the next deadline: it may be early, never late.
  [[nodiscard]] std::optional<Instant> next_due() { return deadlines_.next_due(); }
  /// Removes and returns one application whose deadline has passed; the caller calls schedule() again.
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
