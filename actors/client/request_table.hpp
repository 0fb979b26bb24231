// The unfinished jobs of a Client, by request number.
//
//   held --SubmitJob sent--> submitted --JobAccepted--> accepted --JobFinished--> (removed)
//    ^                             |                          |
//    '---- the Driver is lost -----'--------------------------'
//
// Each phase moves to settling when no Driver will report the end; then the request is removed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "messages/job_service.hpp"

namespace heddle::actors {

enum class RequestPhase : std::uint8_t { held, submitted, accepted, settling };

struct ClientRequest {
  SubmitJob job;  // message for the next Driver; without package if there is no next Driver
  std::vector<std::string> output_paths;
  RequestPhase phase = RequestPhase::held;
  JobId id;  // set since phase accepted
  [[nodiscard]] bool was_submitted() const { return job.earlier_drivers > 0; }
};

class RequestTable {
public:
  using Requests = std::map<std::int64_t, ClientRequest>;

  [[nodiscard]] bool is_empty() const { return requests_.empty(); }
  [[nodiscard]] std::size_t size() const { return requests_.size(); }
  [[nodiscard]] const Requests& all() const { return requests_; }
  [[nodiscard]] bool has_accepted() const;
  /// The request whose job has this id; null before JobAccepted.
  [[nodiscard]] const ClientRequest* find(JobId id) const;
  [[nodiscard]] const ClientRequest* find(std::int64_t request) const;
  [[nodiscard]] std::vector<std::int64_t> in(RequestPhase phase) const;

  /// Drops the package of a job that names a file with it.
  void add(SubmitJob job);
  /// Enters phase submitted and returns the message for the Driver. `is_last`: there is no next Driver, so the table
  /// drops its package.
  [[nodiscard]] SubmitJob submit(std::int64_t request, bool is_last);
  void accept(std::int64_t request, JobId id);
  /// The Driver is lost: all its requests enter phase held.
  void hold_all();
  void settle(std::int64_t request);
  void remove(std::int64_t request) { requests_.erase(request); }
  void clear() { requests_.clear(); }
  void check_invariants() const;

private:
  static void enter(ClientRequest& request, RequestPhase next);
  Requests requests_;
};

}  // namespace heddle::actors
