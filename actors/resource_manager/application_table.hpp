// Which applications there are, how far each is, and what waits for its next answer.
//
//   accepted --master container assigned--> launched --registered--> running --finished--> ended
//      ^                                        |                       |
//      +------ attempt lost, tries left --------+-----------------------+---- none left ---> ended
#pragma once

#include <caf/actor_addr.hpp>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages/handles.hpp"
#include "model/time.hpp"

namespace heddle::actors {

enum class ApplicationPhase : std::uint8_t { accepted, launched, running, ended };

[[nodiscard]] const char* to_string(ApplicationPhase phase);

/// Response ids run from 0 to the largest int and begin again (YARN's numbers).
[[nodiscard]] constexpr std::int32_t next_response_id(std::int32_t response_id) {
  return response_id == std::numeric_limits<std::int32_t>::max() ? 0 : response_id + 1;
}

struct Application {
  ApplicationId id;
  ApplicationPhase phase = ApplicationPhase::accepted;
  SubmitApplication submission;
  ClientActor client;  // empty once it has left
  std::string token;
  std::int32_t attempt = 0;
  std::int32_t failures = 0;  // attempts that count against the limit
  std::int32_t attempts_max = 1;
  bool succeeded = false;
  Instant accepted_at;
  bool is_wait_explained = false;  // its client knows why it waits
  // of the current attempt
  ContainerId master_container;
  ApplicationMasterActor master;
  YarnAllocatorActor allocator;
  Instant last_heard;
  std::int32_t response_id = -1;  // of the last answer; -1: no master has registered
  std::optional<AllocateResponse> last_response;
  bool is_announced = false;  // AllocateSoon was said since the last answer
  std::optional<Instant>
      asked_extras_at;              // the last ask for kinds beside memory and cores; its wait is not explained yet
  std::optional<Instant> asked_at;  // since when it asks for containers and has none but its master's
  Resource asked;                   // of one of them
  bool is_container_wait_explained = false;  // its client knows why they do not come
  std::vector<ContainerEnd> ends;
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
};

class ApplicationTable {
public:
  explicit ApplicationTable(std::int64_t cluster_start) : cluster_start_{cluster_start} {}
  Application& add(const SubmitApplication& message, ClientActor client);
  void forget(ApplicationId id) { applications_.erase(id); }
  [[nodiscard]] Application* find(const ApplicationId& id);
  /// Only if this is the current attempt of an application that has not ended.
  [[nodiscard]] Application* find_attempt(const AttemptId& id);
  [[nodiscard]] std::map<ApplicationId, Application>& rows() { return applications_; }
  [[nodiscard]] const std::map<ApplicationId, Application>& rows() const { return applications_; }
  /// Forgets the oldest ended applications beyond `kept` that hold no container any more.
  void forget_ended(std::size_t kept);
  void check_invariants() const;

private:
  std::int64_t cluster_start_;
  std::int64_t last_number_ = 0;
  std::map<ApplicationId, Application> applications_;
};

}  // namespace heddle::actors
