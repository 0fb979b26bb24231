// The jobs of a Client that have no end yet, by request number.
//
//   held --told to a Driver--> submitted --JobAccepted--> accepted --JobFinished--> (removed)
//    ^                             |                          |
//    '---- the Driver is lost -----'--------------------------'
//
// From each phase: settling, once no Driver will tell the end; then removed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "messages/driver.hpp"

namespace heddle::actors {

enum class RequestPhase : std::uint8_t { held, submitted, accepted, settling };

struct ClientRequest {
  SubmitJob job;  // as the next Driver would be told it; without graph and splits where there is none
  std::vector<std::string> output_paths;
  RequestPhase phase = RequestPhase::held;
  JobId id;  // once it is accepted
  [[nodiscard]] bool was_submitted() const { return job.earlier_drivers > 0; }
};

class RequestTable {
public:
  using Requests = std::map<std::int64_t, ClientRequest>;

  [[nodiscard]] bool is_empty() const { return requests_.empty(); }
  [[nodiscard]] std::size_t size() const { return requests_.size(); }
  [[nodiscard]] const Requests& all() const { return requests_; }
  [[nodiscard]] bool has_accepted() const;
  /// The request whose job has this id; none if it is not accepted.
  [[nodiscard]] const ClientRequest* find(JobId id) const;
  [[nodiscard]] const ClientRequest* find(std::int64_t request) const;
  [[nodiscard]] std::vector<std::int64_t> in(RequestPhase phase) const;

  void add(SubmitJob job);
  /// What the Driver is told. `is_last`: there will be no other Driver.
  [[nodiscard]] SubmitJob submit(std::int64_t request, bool is_last);
  void accept(std::int64_t request, JobId id);
  /// The Driver is lost: all that it was told waits for the next one.
  void hold_all();
  void settle(std::int64_t request);
  void remove(std::int64_t request) { requests_.erase(request); }
  void clear() { requests_.clear(); }

private:
  static void enter(ClientRequest& request, RequestPhase next);
  Requests requests_;
};

}  // namespace heddle::actors
