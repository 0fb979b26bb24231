// All messages that the MapReduceMaster sends, its monitors, its timer and its background work.
#include <fmt/format.h>

#include <algorithm>
#include <caf/send.hpp>
#include <exception>
#include <string_view>
#include <utility>

#include "actors/map_reduce_master/history_recovery.hpp"
#include "actors/map_reduce_master/map_reduce_master.hpp"
#include "runtime/net/connect_peer.hpp"
#include "runtime/send_answer.hpp"

namespace heddle::actors {
namespace {

constexpr Duration peer_patience = std::chrono::seconds{10};
constexpr std::string_view work_on_output = "work on the output";

HistoryOpened open_file(ports::JobHistory& history, const OpenHistory& wanted) {
  HistoryOpened answer;
  answer.job = wanted.job;
  if (!wanted.resumes) {
    const auto begun = history.begin(wanted.file);
    answer.is_open = begun.has_value();
    if (!begun) answer.text = begun.error().text;
    return answer;
  }
  const auto content = history.resume(wanted.file);
  answer.is_open = content.has_value();
  if (!content) {
    answer.text = content.error().text;
    return answer;
  }
  answer.text = content->fault;
  read_history(content->events, answer);
  return answer;
}

/// Sends HistoryEnded if the work fails.
template <class Work>
void work_on_history(const MapReduceMasterActor& master, JobId job, Work work) {
  try {
    if (const Result<Done> done = work(); !done) caf::anon_send(master, HistoryEnded{job, false, done.error().text});
  } catch (const std::exception& why) { caf::anon_send(master, HistoryEnded{job, false, why.what()}); }
}

OutputPrepared prepare(ports::OutputCommit& commit, const SetUpOutputs& wanted, std::int32_t attempt) {
  if (!wanted.has_earlier_master) {
    const auto made = ports::set_up_outputs(commit, wanted.paths, attempt);
    return made ? OutputPrepared{wanted.job, OutputFound::ready, {}} : refused_output(wanted.job, made.error());
  }
  auto found = commit.recover_tasks(wanted.paths, attempt, wanted.finished);
  if (!found) return refused_output(wanted.job, found.error());
  const bool is_committed = found->state == ports::CommitState::committed;
  return {wanted.job, is_committed ? OutputFound::committed : OutputFound::ready, {}, std::move(found->kept)};
}

}  // namespace

bool MapReduceMaster::has_sender() const { return self_->current_sender() != nullptr; }

void MapReduceMaster::arm_tick(Instant now) { tick_.arm<MapReduceMasterTick>(self_, now, state_.next_due()); }

void MapReduceMaster::apply_effects() {
  // apply() handles no message, so effects_ gets no new effects meanwhile.
  for (auto& effect : std::exchange(effects_, {})) std::visit([this](auto& each) { apply(each); }, effect);
}

// -- the client --------------------------------------------------------------------------------------

void MapReduceMaster::apply(const AdoptJobClient&) { client_ = caf::actor_cast<ClientActor>(self_->current_sender()); }

void MapReduceMaster::apply(AnswerSubmitter& effect) {
  const auto client = caf::actor_cast<ClientActor>(self_->current_sender());
  std::visit([&](auto& each) { self_->send(client, std::move(each)); }, effect.message);
}

void MapReduceMaster::apply(ReportToJobClient& effect) {
  if (!client_) return;
  std::visit([this](auto& each) { self_->send(client_, std::move(each)); }, effect.message);
}

void MapReduceMaster::on_role_failed(const std::string& why) {
  if (!client_ || !state_.job || state_.job->is_over) return;
  JobFinished end;
  end.job = state_.job->id;
  end.text = "the MapReduceMaster failed: " + why;
  end.service_failed = true;
  self_->send(client_, end);
}

// -- ResourceManager, ApplicationMaster, NodeManagers ---------------------------------------------------

void MapReduceMaster::begin() {
  if (state_.ports.publish) state_.start.address = state_.ports.publish(MapReduceMasterActor{self_});
  runtime::connect_peer<ApplicationMasterServiceActor>(self_, tools_.connector, state_.start.resource_manager_address,
                                                       peer_patience,
                                                       [this](const ApplicationMasterServiceActor& found) {
                                                         resource_manager_ = found;
                                                         on_resource_manager_found(static_cast<bool>(found));
                                                       });
}

void MapReduceMaster::apply(RequestContainers& effect) { self_->send(resource_manager_, std::move(effect.request)); }

void MapReduceMaster::apply(const ConnectNode& effect) {
  runtime::connect_peer<ContainerManagementActor>(
      self_, tools_.connector, effect.address, peer_patience,
      [this, address = effect.address](const ContainerManagementActor& found) {
        if (found) nodes_.insert_or_assign(address, found);
        on_node_found(address, static_cast<bool>(found));
      });
}

void MapReduceMaster::apply(SendToContainerHost& effect) {
  const auto node = nodes_.find(effect.address);
  if (node == nodes_.end()) return;
  std::visit([&](auto& each) { self_->send(node->second, std::move(each)); }, effect.message);
}

void MapReduceMaster::apply(const AdoptApplicationMaster&) {
  master_ = caf::actor_cast<ApplicationMasterActor>(self_->current_sender());
  self_->monitor(master_);
}

void MapReduceMaster::apply(const RegisterAgainAtCluster&) { self_->send(master_, RegistrationLost{}); }

void MapReduceMaster::apply(const LeaveMaster& effect) {
  self_->send(master_, effect.end);
  self_->quit();
}

void MapReduceMaster::apply(const LeaveJobToNextMaster&) { self_->quit(); }

// -- task children -------------------------------------------------------------------------------------

void MapReduceMaster::apply(const AdoptChild& effect) {
  children_.insert_or_assign(effect.container, caf::actor_cast<TaskChildActor>(self_->current_sender()));
}

void MapReduceMaster::apply(const ForgetTaskChild& effect) { children_.erase(effect.container); }

void MapReduceMaster::apply(SendToTaskChild& effect) {
  const auto child = children_.find(effect.container);
  if (child == children_.end()) return;
  std::visit([&](auto& each) { self_->send(child->second, std::move(each)); }, effect.message);
}

void MapReduceMaster::apply(const DismissChild& effect) {
  self_->send(caf::actor_cast<TaskChildActor>(self_->current_sender()), effect.message);
}

// -- background work -----------------------------------------------------------------------------------

void MapReduceMaster::apply(const ReadMasterPackage& effect) {
  state_.ports.background->run([read = state_.ports.read_package, effect, master = MapReduceMasterActor{self_}] {
    runtime::send_answer(master, "reading '" + effect.path + "'", PackageRead{effect.job, {}, {}}, [&] {
      auto package = read(effect.path);
      return package ? PackageRead{effect.job, std::move(*package), {}}
                     : PackageRead{effect.job, {}, package.error().text};
    });
  });
}

void MapReduceMaster::apply(const SetUpOutputs& effect) {
  state_.ports.background->run([commit = state_.ports.commit, effect, attempt = state_.start.attempt.attempt,
                                master = MapReduceMasterActor{self_}] {
    runtime::send_answer(master, work_on_output, OutputPrepared{effect.job, OutputFound::refused, {}},
                         [&] { return prepare(*commit, effect, attempt); });
  });
}

void MapReduceMaster::apply(CommitWinners& effect) {
  state_.ports.background->run([commit = state_.ports.commit, outputs = std::move(effect.outputs), id = effect.job,
                                attempt = state_.start.attempt.attempt, master = MapReduceMasterActor{self_}] {
    runtime::send_answer(master, work_on_output, JobCommitted{id, FailureKind::output, {}}, [&] {
      const auto done = commit->commit(outputs, attempt);
      return done ? JobCommitted{id, FailureKind::none, done->notice} : failed_commit(id, done.error());
    });
  });
}

void MapReduceMaster::apply(const RemoveOutputs& effect) {
  state_.ports.background->run([commit = state_.ports.commit, effect, attempt = state_.start.attempt.attempt,
                                master = MapReduceMasterActor{self_}] {
    runtime::send_answer(master, work_on_output, JobCommitted{effect.job, FailureKind::output, {}}, [&] {
      const auto removed = commit->abort(effect.paths, attempt);
      return removed ? JobCommitted{effect.job, FailureKind::none, {}} : failed_commit(effect.job, removed.error());
    });
  });
}

void MapReduceMaster::apply(const RemoveAttemptOutput& effect) {
  state_.ports.background->run([commit = state_.ports.commit, effect, attempt = state_.start.attempt.attempt,
                                master = MapReduceMasterActor{self_}] {
    runtime::send_answer(master, work_on_output, AttemptOutputRemoved{effect.attempt, {}}, [&] {
      AttemptOutputRemoved answer{effect.attempt, {}};
      for (const auto& path : effect.paths)
        if (const auto removed = commit->abort_attempt(path, attempt, effect.folder); !removed)
          answer.text = removed.error().text;
      return answer;
    });
  });
}

// -- job history -----------------------------------------------------------------------------------------

void MapReduceMaster::apply(const OpenHistory& effect) {
  state_.ports.background->run([history = state_.ports.history, effect, master = MapReduceMasterActor{self_}] {
    HistoryOpened failed;
    failed.job = effect.job;
    runtime::send_answer(master, "opening the job history", std::move(failed),
                         [&] { return open_file(*history, effect); });
  });
}

void MapReduceMaster::apply(AppendHistory& effect) {
  state_.ports.background->run([history = state_.ports.history, id = state_.start.attempt.application, job = effect.job,
                                events = std::move(effect.events), master = MapReduceMasterActor{self_}] {
    work_on_history(master, job, [&] { return history->append(id, events); });
  });
}

void MapReduceMaster::apply(const SyncHistory& effect) {
  state_.ports.background->run(
      [history = state_.ports.history, id = state_.start.attempt.application, job = effect.job,
       master = MapReduceMasterActor{self_}] { work_on_history(master, job, [&] { return history->sync(id); }); });
}

void MapReduceMaster::apply(const CloseHistory& effect) {
  state_.ports.background->run([history = state_.ports.history, id = state_.start.attempt.application, job = effect.job,
                                master = MapReduceMasterActor{self_}] {
    runtime::send_answer(master, "closing the job history", HistoryEnded{job, true, {}}, [&] {
      const auto closed = history->close(id);
      return HistoryEnded{job, true, closed ? std::string{} : closed.error().text};
    });
  });
}

}  // namespace heddle::actors
