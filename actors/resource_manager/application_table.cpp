#include "actors/resource_manager/application_table.hpp"

#include "model/assert.hpp"

namespace heddle::actors {

const char* to_string(ApplicationPhase phase) {
  switch (phase) {
    case ApplicationPhase::accepted: return "accepted";
    case ApplicationPhase::launched: return "launched";
    case ApplicationPhase::running: return "running";
    case ApplicationPhase::ended: return "ended";
  }
  return "ended";
}

void Application::enter(ApplicationPhase next) {
  const bool is_legal = phase != ApplicationPhase::ended &&
                        (next == ApplicationPhase::ended || next == ApplicationPhase::accepted ||
                         (next == ApplicationPhase::launched && phase == ApplicationPhase::accepted) ||
                         (next == ApplicationPhase::running && phase == ApplicationPhase::launched));
  HEDDLE_ASSERT(is_legal,
                heddle::to_string(id) + " went from " + actors::to_string(phase) + " to " + actors::to_string(next));
  phase = next;
}

void Application::begin_attempt(Instant now) {
  enter(ApplicationPhase::accepted);
  ++attempt;
  master_container = ContainerId{};
  peers.master = false;
  peers.allocator = false;
  last_heard = now;
  progress = 0;
  answers = {};
  waits.others_since.reset();
  waits.containers_since.reset();
  ends.clear();
}

std::optional<Instant> Application::next_due(Duration master_timeout) const {
  std::optional<Instant> due = leave_by;
  if (has_master()) due = earlier(due, last_heard + master_timeout);
  if (is_master_wait_open()) due = earlier(due, accepted_at + explained_wait);
  if (waits.others_since) due = earlier(due, *waits.others_since + explained_wait);
  if (waits.containers_since) due = earlier(due, *waits.containers_since + explained_wait);
  return due;
}

Application& ApplicationTable::add(const SubmitApplication& message, bool has_client) {
  const ApplicationId id{cluster_start_, ++last_number_};
  Application application;
  application.id = id;
  application.submission = message;
  application.peers.client = has_client;
  return applications_.insert_or_assign(id, std::move(application)).first->second;
}

Application* ApplicationTable::find(const ApplicationId& id) {
  const auto row = applications_.find(id);
  return row == applications_.end() ? nullptr : &row->second;
}

Application* ApplicationTable::find_attempt(const AttemptId& id) {
  Application* application = find(id.application);
  return application != nullptr && application->is_live() && application->attempt == id.attempt ? application : nullptr;
}

std::vector<ApplicationId> ApplicationTable::forget_ended(std::size_t kept) {
  std::vector<ApplicationId> forgotten;
  for (auto row = applications_.begin(); row != applications_.end() && applications_.size() > kept;) {
    if (row->second.is_live() || !row->second.containers.empty()) {
      ++row;
    } else {
      deadlines_.remove(row->first);
      forgotten.push_back(row->first);
      row = applications_.erase(row);
    }
  }
  return forgotten;
}

void ApplicationTable::schedule(const Application& application) {
  if (const auto due = application.next_due(master_timeout_)) deadlines_.set(application.id, *due);
  else deadlines_.remove(application.id);
}

Application* ApplicationTable::take_due(Instant now) {
  while (const auto id = deadlines_.take_due(now)) {
    Application& application = applications_.at(*id);
    const auto due = application.next_due(master_timeout_);
    if (due && *due <= now) return &application;
    if (due) deadlines_.set(*id, *due);  // the master has sent a message since this deadline was set
  }
  return nullptr;
}

void ApplicationTable::check_invariants() const {
  for (const auto& [id, application] : applications_) {
    HEDDLE_ASSERT(application.failures <= application.attempts_max, heddle::to_string(id) + " has failed too often");
    HEDDLE_ASSERT(application.phase != ApplicationPhase::running || application.answers.id >= 0,
                  "a running master has registered");
  }
}

}  // namespace heddle::actors
