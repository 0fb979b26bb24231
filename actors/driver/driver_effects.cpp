// All messages, monitors, timers and background work of the Driver.
#include <fmt/format.h>

#include <caf/send.hpp>
#include <exception>
#include <set>
#include <string_view>
#include <utility>

#include "actors/driver/driver.hpp"
#include "actors/driver/offer_flow.hpp"
#include "runtime/send_answer.hpp"

namespace heddle::actors {
namespace {

OutputPrepared prepare_outputs(ports::OutputCommit& commit, const std::vector<std::string>& paths, std::int32_t attempt,
                               JobId id) {
  const auto made = ports::set_up_outputs(commit, paths, attempt);
  if (!made) return refused_output(id, made.error());
  return {id, OutputFound::ready, {}};
}

OutputPrepared recover_outputs(ports::OutputCommit& commit, const std::vector<std::string>& paths, std::int32_t attempt,
                               JobId id) {
  const auto found = commit.recover(paths, attempt);
  if (!found) return refused_output(id, found.error());
  return {id, *found == ports::CommitState::committed ? OutputFound::committed : OutputFound::ready, {}};
}

}  // namespace

// -- executors ---------------------------------------------------------------------------------

template <class Message>
void Driver::send_to(const ExecutorActor& executor, Message& message) {
  std::visit([&](auto& each) { self_->send(executor, std::move(each)); }, message);
}

void Driver::apply(const Turn&, SendToExecutor& effect) {
  if (const auto row = executors_.find(effect.executor); row != executors_.end()) send_to(row->second, *effect.message);
}

void Driver::apply(const Turn&, ReplyToExecutor& effect) {
  send_to(caf::actor_cast<ExecutorActor>(self_->current_sender()), effect.message);
}

void Driver::apply(const Turn&, const ConnectExecutor& effect) {
  auto handle = caf::actor_cast<ExecutorActor>(self_->current_sender());
  self_->monitor(handle);
  executors_.insert_or_assign(effect.executor, std::move(handle));
}

void Driver::apply(const Turn&, const DisconnectExecutor& effect) { executors_.erase(effect.executor); }

// -- the source of executors ---------------------------------------------------------------------

void Driver::apply(const Turn&, SendToSource& effect) {
  std::visit([&](auto& each) { self_->send(source_, std::move(each)); }, effect.message);
}

void Driver::apply(const Turn&, RefuseSource& effect) {
  self_->send(caf::actor_cast<ExecutorSourceActor>(self_->current_sender()), std::move(effect.message));
}

void Driver::apply(const Turn&, const ConnectSource&) {
  source_ = caf::actor_cast<ExecutorSourceActor>(self_->current_sender());
  self_->monitor(source_);
}

bool Driver::is_from_former_source() const {
  const auto& sender = self_->current_sender();
  return source_ && sender && source_.address() != sender->address();
}

// -- clients -------------------------------------------------------------------------------------

bool Driver::has_sender() const { return self_->current_sender() != nullptr; }

void Driver::apply(const Turn&, ReplyToClient& effect) {
  const auto client = caf::actor_cast<ClientActor>(self_->current_sender());
  std::visit([&](auto& each) { self_->send(client, std::move(each)); }, effect.message);
}

void Driver::apply(const Turn&, const ConnectClient& effect) {
  clients_.insert_or_assign(effect.job, caf::actor_cast<ClientActor>(self_->current_sender()));
}

void Driver::apply(const Turn&, const DisconnectClient& effect) { clients_.erase(effect.job); }

void Driver::apply(const Turn&, SendToClient& effect) {
  const auto client = clients_.find(effect.job);
  if (client == clients_.end()) return;
  std::visit([&](auto& each) { self_->send(client->second, std::move(each)); }, effect.message);
}

void Driver::apply(const Turn&, const SendNotice& effect) {
  std::set<ClientActor> notified;  // a client may have many jobs
  for (const auto& [job, client] : clients_)
    if (notified.insert(client).second) self_->send(client, Notice{effect.text});
}

template <class Message>
void Driver::pass_on(const Message& message) {
  if (ports_.reporter && has_sender())
    caf::send_as(caf::actor_cast<caf::actor>(self_->current_sender()), ports_.reporter, message);
}

template void Driver::pass_on(const FollowJobs& message);
template void Driver::pass_on(const StopFollowing& message);

/// The clients would wait for ever.
void Driver::on_role_failed(const std::string& why) {
  for (const auto& [job, client] : clients_) {
    JobFinished end;
    end.job = job;
    end.text = "the driver failed: " + why;
    end.service_failed = true;
    self_->send(client, end);
  }
}

// -- itself ----------------------------------------------------------------------------------------

void Driver::apply(const Turn&, const ReviveSoon& effect) {
  if (effect.is_delayed) runtime::send_later(self_, std::chrono::milliseconds{1}, ReviveOffers{});
  else self_->send(DriverActor{self_}, ReviveOffers{});
}

void Driver::apply(const Turn& turn, const ArmTick&) { tick_.arm<DriverTick>(self_, turn.now, next_due(state_)); }

// -- packages and outputs: in the background ---------------------------------------------------------

namespace {

constexpr std::string_view work_on_output = "work on the output";

}  // namespace

void Driver::apply(const Turn&, const ReadPackage& effect) {
  ports_.background->run([read = ports_.read_package, effect, driver = DriverActor{self_}] {
    runtime::send_answer(driver, "reading '" + effect.path + "'", PackageRead{effect.job, {}, {}}, [&] {
      auto package = read(effect.path);
      return package ? PackageRead{effect.job, std::move(*package), {}}
                     : PackageRead{effect.job, {}, package.error().text};
    });
  });
}

void Driver::apply(const Turn&, const PrepareOutputs& effect) {
  ports_.background->run(
      [commit = ports_.commit, effect, attempt = state_.settings.application_attempt, driver = DriverActor{self_}] {
        runtime::send_answer(driver, work_on_output, OutputPrepared{effect.job, OutputFound::refused, {}}, [&] {
          return effect.is_known_to_others ? recover_outputs(*commit, effect.paths, attempt, effect.job)
                                           : prepare_outputs(*commit, effect.paths, attempt, effect.job);
        });
      });
}

void Driver::apply(const Turn&, CommitOutputs& effect) {
  ports_.background->run([commit = ports_.commit, outputs = std::move(effect.outputs), id = effect.job,
                          attempt = state_.settings.application_attempt, driver = DriverActor{self_}] {
    runtime::send_answer(driver, work_on_output, JobCommitted{id, FailureKind::output, {}}, [&] {
      const auto done = commit->commit(outputs, attempt);
      return done ? JobCommitted{id, FailureKind::none, done->notice} : failed_commit(id, done.error());
    });
  });
}

void Driver::apply(const Turn&, const AbortOutputs& effect) {
  ports_.background->run(
      [commit = ports_.commit, effect, attempt = state_.settings.application_attempt, driver = DriverActor{self_}] {
        runtime::send_answer(driver, work_on_output, JobCommitted{effect.job, FailureKind::output, {}}, [&] {
          const auto removed = commit->abort(effect.paths, attempt);
          return removed ? JobCommitted{effect.job, FailureKind::none, {}} : failed_commit(effect.job, removed.error());
        });
      });
}

void Driver::apply(const Turn&, const CommitDone& effect) { done_jobs_.push_back(effect.job); }

}  // namespace heddle::actors
