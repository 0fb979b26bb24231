// All messages that the JobTracker sends, its monitors, its timer and its background work.
#include <exception>
#include <utility>

#include "actors/job_tracker/job_tracker.hpp"
#include "runtime/send_answer.hpp"

namespace heddle::actors {

bool JobTracker::has_sender() const { return self_->current_sender() != nullptr; }

void JobTracker::arm_tick(Instant now) { tick_.arm<JobTrackerTick>(self_, now, state_.next_due()); }

void JobTracker::apply_effects() {
  for (auto& effect : effects_) std::visit([this](auto& each) { apply(each); }, effect);
  effects_.clear();
}

// -- clients -----------------------------------------------------------------------------------------

void JobTracker::apply(const AddJobClient& effect) {
  clients_.insert_or_assign(effect.job, caf::actor_cast<ClientActor>(self_->current_sender()));
}

void JobTracker::apply(const DropJobClient& effect) { clients_.erase(effect.job); }

void JobTracker::apply(AnswerClient& effect) {
  const auto client = caf::actor_cast<ClientActor>(self_->current_sender());
  std::visit([&](auto& each) { self_->send(client, std::move(each)); }, effect.message);
}

void JobTracker::apply(SendToJobClient& effect) {
  const auto client = clients_.find(effect.job);
  if (client == clients_.end()) return;
  std::visit([&](auto& each) { self_->send(client->second, std::move(each)); }, effect.message);
}

/// Fails all jobs, because their clients would wait for ever.
void JobTracker::on_role_failed(const std::string& why) {
  for (const auto& [job, client] : clients_) {
    JobFinished end;
    end.job = job;
    end.text = "the JobTracker failed: " + why;
    self_->send(client, end);
  }
}

void JobTracker::apply(const ReadJobPackage& effect) {
  state_.ports.background->run([read = state_.ports.read_package, effect, self = JobTrackerActor{self_}] {
    runtime::send_answer(self, "reading '" + effect.path + "'", PackageRead{effect.job, {}, {}}, [&] {
      auto package = read(effect.path);
      return package ? PackageRead{effect.job, std::move(*package), {}}
                     : PackageRead{effect.job, {}, package.error().text};
    });
  });
}

// -- TaskTrackers --------------------------------------------------------------------------------------

void JobTracker::apply(const AddTracker& effect) {
  const auto handle = caf::actor_cast<TaskTrackerActor>(self_->current_sender());
  if (!handle) return;
  auto& stored = trackers_[effect.tracker];
  if (stored == handle) return;
  if (stored) self_->demonitor(stored.address());
  stored = handle;
  self_->monitor(handle);
}

void JobTracker::apply(const DropTracker& effect) {
  const auto row = trackers_.find(effect.tracker);
  if (row == trackers_.end()) return;
  self_->demonitor(row->second.address());
  trackers_.erase(row);
}

void JobTracker::apply(AnswerTracker& effect) {
  const auto tracker = caf::actor_cast<TaskTrackerActor>(self_->current_sender());
  if (tracker) std::visit([&](auto& each) { self_->send(tracker, std::move(each)); }, effect.message);
}

void JobTracker::apply(const WakeTracker& effect) {
  const auto row = trackers_.find(effect.tracker);
  if (row != trackers_.end()) self_->send(row->second, HeartbeatSoon{});
}

}  // namespace heddle::actors
