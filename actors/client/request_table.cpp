#include "actors/client/request_table.hpp"

#include <set>
#include <string>
#include <utility>

#include "model/assert.hpp"

namespace heddle::actors {
namespace {

bool is_legal(RequestPhase from, RequestPhase to) {
  switch (to) {
    case RequestPhase::held: return from == RequestPhase::submitted || from == RequestPhase::accepted;
    case RequestPhase::submitted: return from == RequestPhase::held;
    case RequestPhase::accepted: return from == RequestPhase::submitted;
    case RequestPhase::settling: return from != RequestPhase::settling;
  }
  return false;
}

}  // namespace

void RequestTable::enter(ClientRequest& request, RequestPhase next) {
  HEDDLE_ASSERT(is_legal(request.phase, next), "illegal transition between request phases");
  request.phase = next;
}

bool RequestTable::has_accepted() const { return !in(RequestPhase::accepted).empty(); }

const ClientRequest* RequestTable::find(JobId id) const {
  for (const auto& [number, request] : requests_)
    if (request.phase == RequestPhase::accepted && request.id == id) return &request;
  return nullptr;
}

const ClientRequest* RequestTable::find(std::int64_t request) const {
  const auto row = requests_.find(request);
  return row == requests_.end() ? nullptr : &row->second;
}

std::vector<std::int64_t> RequestTable::in(RequestPhase phase) const {
  std::vector<std::int64_t> found;
  for (const auto& [number, request] : requests_)
    if (request.phase == phase) found.push_back(number);
  return found;
}

void RequestTable::add(SubmitJob job) {
  ClientRequest request;
  for (const auto& stage : job.package.graph.stages)
    if (stage.output) request.output_paths.push_back(stage.output->path);
  if (!job.package_file.empty()) job.package = {};
  const auto number = job.request;
  request.job = std::move(job);
  requests_.insert_or_assign(number, std::move(request));
}

SubmitJob RequestTable::submit(std::int64_t request, bool is_last) {
  auto& row = requests_.at(request);
  enter(row, RequestPhase::submitted);
  auto message = is_last ? std::exchange(row.job, SubmitJob{request, {}, {}, row.job.earlier_drivers}) : row.job;
  message.earlier_job = row.id;
  ++row.job.earlier_drivers;
  return message;
}

void RequestTable::accept(std::int64_t request, JobId id) {
  auto& row = requests_.at(request);
  enter(row, RequestPhase::accepted);
  row.id = id;
}

void RequestTable::hold_all() {
  for (auto& [number, request] : requests_)
    if (request.phase != RequestPhase::held) enter(request, RequestPhase::held);
}

void RequestTable::settle(std::int64_t request) { enter(requests_.at(request), RequestPhase::settling); }

void RequestTable::check_invariants() const {
  std::set<JobId> jobs;
  for (const auto& [number, request] : requests_)
    HEDDLE_ASSERT(request.phase != RequestPhase::accepted || jobs.insert(request.id).second,
                  "request " + std::to_string(number) + " has the job id of another request");
}

}  // namespace heddle::actors
