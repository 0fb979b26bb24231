// The parties of a MapReduce job in memory: state machines and allocator of the product, ResourceManager, nodes,
// children and committer. Each message waits until a test delivers it. No container and no attempt is used twice.
#pragma once

#include <boost/test/unit_test.hpp>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/random_stream.hpp"
#include "policies/map_reduce/map_reduce_allocator.hpp"
#include "tests/support/map_reduce_master_in_memory.hpp"
#include "tests/support/resource_manager_in_memory.hpp"

namespace heddle::policies {

/// `actor`: the master drops stale messages, as the MapReduceMaster does. `dispatcher`: it passes on each message, in
/// the order of its sender, as Hadoop's dispatcher does.
enum class MessageFilter : std::uint8_t { actor, dispatcher };

class MapReduceParties {
public:
  using Seen = std::function<void(const MapReduceCell&)>;

  MapReduceParties(std::uint64_t seed, MessageFilter filter, Seen seen)
      : random_{seed},
        filter_{filter},
        settings_{settings(random_, std::move(seen))},
        master_{settings_},
        allocator_{of_allocator(master_), RackTable{}} {}
  /// The next master of a job that ended in REBOOT. It takes over the tasks that had succeeded; no container of the
  /// earlier one runs any more. `first_attempt`: number of its first attempts.
  MapReduceParties(MapReduceParties& earlier, std::int32_t first_attempt)
      : random_{earlier.below(std::uint64_t{1} << 32)},
        filter_{earlier.filter_},
        settings_{of_later_master(earlier.settings_, first_attempt)},
        master_{settings_},
        allocator_{of_allocator(master_), RackTable{}} {
    master_.now = earlier.master_.now;
    master_.recover(std::move(earlier.recorded_));
  }
  [[nodiscard]] MapReduceJobState state() const { return master_.job().state(); }
  /// For a failed test: the states of all machines, and the counts of the allocator.
  [[nodiscard]] std::string describe() const {
    std::string text = "job " + std::string{job_state_names.at(static_cast<std::size_t>(state()))};
    for (const auto& [id, task] : master_.tasks())
      text += "; " + to_string(id) + " " + std::string{task_state_names.at(static_cast<std::size_t>(task.state()))};
    for (const auto& [id, attempt] : master_.attempts())
      if (!is_final(attempt.state()))
        text +=
            "; " + to_string(id) + " " + std::string{attempt_state_names.at(static_cast<std::size_t>(attempt.state()))};
    const auto counts = allocator_.counts();
    return text + "; pending reduces " + std::to_string(counts.pending_reduces) + ", scheduled " +
           std::to_string(counts.scheduled_maps) + "+" + std::to_string(counts.scheduled_reduces) + ", assigned " +
           std::to_string(counts.assigned_maps) + "+" + std::to_string(counts.assigned_reduces) + "; " +
           resource_manager_.describe() + describe_containers();
  }

protected:
  /// The containers that run, with their attempts.
  [[nodiscard]] std::string describe_containers() const {
    std::string text;
    for (const auto& [container, id] : occupant_) {
      if (!resource_manager_.runs(container)) continue;
      const Party& party = parties_.at(id);
      text += "; container " + std::to_string(container.value) + " of " + to_string(id) + " " +
              std::string{attempt_state_names.at(static_cast<std::size_t>(state_of(id)))};
      if (!party.is_launched) text += ", not launched";
      if (party.is_hung) text += ", hung";
      if (party.wants_commit) text += party.may_commit ? ", may commit" : ", wants to commit";
      if (party.has_finished) text += ", finished";
      text += ", " + std::to_string(party.reports.size()) + " reports";
    }
    return text;
  }

  using AttemptEvent = MapReduceAttemptEvent;
  using AttemptState = MapReduceAttemptState;
  using JobEvent = MapReduceJobEvent;
  using JobState = MapReduceJobState;
  using Id = MapReduceAttempt;

  /// What the cluster knows of an attempt.
  struct Party {
    ContainerId container;
    std::string host;
    std::vector<AttemptEvent> reports;  // sent, not delivered; oldest first
    bool is_launched = false;           // its node got the order
    bool is_hung = false;
    bool wants_commit = false;  // it has sent commit_pending
    bool may_commit = false;
    bool has_finished = false;  // it has sent its last report
    bool is_watched = false, is_exit_watched = false, is_cleaning = false, is_cleaned = false, is_aborting = false;
  };

  static MapReduceMachineSettings settings(RandomStream& random, Seen seen) {
    MapReduceMachineSettings made;
    made.job.maps = static_cast<std::int32_t>(random.below(4));
    made.job.reduces = static_cast<std::int32_t>(random.below(3));
    made.job.map_failures_percent = random.below(4) == 0 ? 50 : 0;
    made.job.finish_when_reduces_done = random.below(4) > 0;
    made.job.kills_rescheduled_maps = true;
    made.map_task.is_speculative = made.reduce_task.is_speculative = random.below(2) == 0;
    made.on_event = std::move(seen);
    return made;
  }
  static MapReduceMachineSettings of_later_master(MapReduceMachineSettings made, std::int32_t first_attempt) {
    made.map_task.first_attempt = made.reduce_task.first_attempt = first_attempt;
    return made;
  }
  static MapReduceAllocatorSettings of_allocator(const MapReduceMasterInMemory& master) {
    MapReduceAllocatorSettings made;
    for (const auto& [id, task] : master.tasks()) (id.is_reduce ? made.total_reduces : made.total_maps) += 1;
    made.mends_requests = true;
    return made;
  }

  std::uint64_t below(std::uint64_t count) { return random_.below(count); }
  [[nodiscard]] bool has_reduces() const { return master_.tasks().contains({true, 0}); }
  [[nodiscard]] AttemptState state_of(Id attempt) const { return master_.attempts().at(attempt).state(); }
  [[nodiscard]] bool is_running(Id attempt) const {
    return state_of(attempt) == AttemptState::running || state_of(attempt) == AttemptState::commit_pending;
  }
  [[nodiscard]] bool is_dispatcher() const { return filter_ == MessageFilter::dispatcher; }

  // -- the job -------------------------------------------------------------------------------
  void put_job(JobEvent event) { master_.put(event); }
  void put(Id attempt, AttemptEvent event) { master_.put(attempt, event); }
  void put_abort() { master_.put(map_reduce_job_input::AbortCompleted{*was_aborted_}); }
  void tell_job() {
    const auto chosen = below(3);
    if (chosen == 0) put_job(JobEvent::diagnostic_update);
    else if (chosen == 1) put_job(JobEvent::counter_update);
    else master_.put(map_reduce_job_input::NodesUpdated{{{NodeId{}, "h1", NodeCondition::lost}}});
  }
  /// The speculator decided while the task ran.
  void copy_late(MapReduceTaskId task) {
    if (master_.task(task).state() >= MapReduceTaskState::kill_wait)
      master_.put(task, map_reduce_task_input::Signal{MapReduceTaskEvent::add_spec_attempt});
  }

  // -- the ResourceManager ---------------------------------------------------------------------
  void send_request() {
    const auto& job = master_.job();
    allocator_.on_job_progress(job.ended_maps().all(), job.ended_reduces().all());
    const auto call = allocator_.next_call();
    answer_ = resource_manager_.allocate(call, random_);
    was_read_ = false;
    if (answer_) return;
    MapReduceEffects effects;
    allocator_.on_not_registered(master_.now, effects);
    last_answer_ = 0;
    was_read_ = true;
    resource_manager_.register_attempt();
    apply(effects);
  }
  void take_answer(const MapReduceAnswer& answer) {
    if (answer.response_id != next_response_id(last_answer_)) return;  // a repeated one
    last_answer_ = answer.response_id;
    was_read_ = true;
    for (const auto& granted : answer.granted) host_of_[granted.container] = granted.host;
    MapReduceEffects effects;
    allocator_.on_answer(master_.now, answer, effects);
    apply(effects);
    if (!answer.updated_nodes.empty()) master_.put(map_reduce_job_input::NodesUpdated{answer.updated_nodes});
    for (const auto& completed : answer.completed) forget_container(completed.container);
  }
  void apply(const MapReduceEffects& effects) {
    for (const auto& effect : effects) std::visit([this](const auto& one) { decide(one); }, effect);
  }
  void decide(const AssignContainer& one) {
    BOOST_REQUIRE_MESSAGE(occupant_.emplace(one.container, one.attempt).second, "a container is given twice");
    assignments_.emplace(one.attempt, one.container);
    if (!is_dispatcher()) get_container(one.attempt);
  }
  void decide(const NotifyContainerEnded& one) {
    if (is_dispatcher() && assignments_.contains(one.attempt)) get_container(one.attempt);
    if (one.killed) master_.put(one.attempt, map_reduce_attempt_input::Killed{});
    else put(one.attempt, AttemptEvent::container_completed);
  }
  void decide(const KillMapReduceAttempt& one) {
    if (is_dispatcher() && assignments_.contains(one.attempt)) get_container(one.attempt);
    master_.put(one.attempt, map_reduce_attempt_input::Killed{one.reschedule});
  }
  void decide(const NotifyUpdatedNodes&) {}
  void decide(const KillJob&) { put_job(JobEvent::kill); }

  void get_container(Id attempt) {
    const auto given = assignments_.extract(attempt).mapped();
    auto& party = parties_[attempt];
    party.container = given;
    party.host = host_of_.at(given);
    master_.put(attempt, map_reduce_attempt_input::Assigned{given, party.host, {1024, 1}});
  }
  void forget_container(ContainerId container) {
    const auto row = occupant_.find(container);
    if (row == occupant_.end()) return;
    Party& party = parties_[row->second];
    if (row->second.is_reduce) master_.put(map_reduce_job_input::CopyObserved{row->second, false});
    if (party.is_cleaning) clean(row->second);
  }
  void clean(Id attempt) {
    Party& party = parties_[attempt];
    party.is_cleaning = false;
    party.is_cleaned = true;
    resource_manager_.end(party.container, container_exit_status::killed_by_application_master);
    put(attempt, AttemptEvent::container_cleaned);
  }

  // -- children --------------------------------------------------------------------------------
  void work(Id attempt) {
    Party& party = parties_[attempt];
    const bool has_output = attempt.is_reduce || !has_reduces();
    AttemptEvent next = AttemptEvent::update;
    if (below(2) == 0) next = has_output && !party.wants_commit ? AttemptEvent::commit_pending : AttemptEvent::done;
    party.wants_commit = party.wants_commit || next == AttemptEvent::commit_pending;
    party.has_finished = next == AttemptEvent::done;
    party.reports.push_back(next);
  }
  void report(Id attempt, bool is_last_copy) {
    Party& party = parties_[attempt];
    const AttemptEvent event = party.reports.front();
    if (is_last_copy) party.reports.erase(party.reports.begin());
    const bool is_start = event == AttemptEvent::container_launched || event == AttemptEvent::container_launch_failed;
    const bool is_expected = is_start ? state_of(attempt) == AttemptState::assigned : is_running(attempt);
    if (!is_dispatcher() && !is_expected) return;
    // A repeated report of a start is dropped: the node numbers its answers.
    if (is_start && !is_last_copy) return;
    if (attempt.is_reduce && is_expected)
      master_.put(map_reduce_job_input::CopyObserved{attempt, event != AttemptEvent::commit_pending});
    if (event == AttemptEvent::update) return update(attempt);
    put(attempt, event);
    if (event == AttemptEvent::done && is_dispatcher()) report_after_end(attempt);
    if (event == AttemptEvent::commit_pending)
      party.may_commit = party.may_commit || (master_.task(task_of(attempt)).committing_attempt() == attempt.attempt &&
                                              state_of(attempt) == AttemptState::commit_pending && below(10) > 0);
  }
  /// Of another thread of the child.
  void report_after_end(Id attempt) {
    const auto chosen = below(12);
    if (state_of(attempt) != AttemptState::success_finishing_container) return;
    if (chosen == 0) put(attempt, AttemptEvent::commit_pending);
    else if (chosen == 1) put(attempt, AttemptEvent::failmsg);
    else if (chosen == 2) update(attempt);
  }
  void update(Id attempt) {
    map_reduce_attempt_input::Updated report{0.5F, {}};
    // A reduce may not know yet that the output it reports is lost.
    const bool is_late = below(3) == 0;
    if (attempt.is_reduce)
      for (const auto& completion : master_.job().completion_events().of_maps())
        if ((completion.ending == AttemptEnding::succeeded ||
             (is_late && completion.ending == AttemptEnding::obsolete)) &&
            below(2) == 0)
          report.fetch_failed_maps.push_back(completion.attempt);
    allocator_.on_attempt_progress(attempt, report.progress);
    master_.put(attempt, report);
  }
  void put_timeout(Id attempt) {
    Party& party = parties_[attempt];
    const bool is_life = party.is_watched;
    party.is_watched = party.is_exit_watched = false;
    if (is_life && !is_dispatcher() && !is_running(attempt)) return;
    put(attempt, AttemptEvent::timed_out);
  }
  /// Two events of different senders that are under way at the same time.
  void race(Id attempt) {
    Party& party = parties_[attempt];
    const bool is_live = party.is_watched;
    const bool is_exiting = party.is_exit_watched;
    if (!is_live && !is_exiting) return;
    const auto first = below(3);
    if (first == 0) master_.put(attempt, map_reduce_attempt_input::Killed{});
    else if (first == 1) put(attempt, AttemptEvent::failmsg_by_client);
    else put(attempt, AttemptEvent::timed_out);
    settle();
    if (below(2) == 0) put(attempt, AttemptEvent::timed_out);
    else master_.put(attempt, map_reduce_attempt_input::Killed{});
  }

  // -- effects of the machines ---------------------------------------------------------------
  void settle() {
    for (auto effects = master_.take_outside(); !effects.empty(); effects = master_.take_outside())
      for (const auto& effect : effects) std::visit([this](const auto& one) { follow(one); }, effect);
    if (state() == JobState::killed && !owes_abort_) is_over_ = true;  // before its start
  }
  template <class Effect>
  void follow(const Effect&) {}
  void follow(const RequestTaskContainer& one) {
    MapReduceEffects effects;
    const Resource resource{ResourceManagerInMemory::container_mib, 1};
    parties_.try_emplace(one.attempt);
    if (one.attempt.is_reduce) allocator_.on_reduce_request(one.attempt, resource, one.earlier_failed, effects);
    else allocator_.on_map_request(master_.now, one.attempt, resource, one.hosts, one.earlier_failed, effects);
    apply(effects);
  }
  void follow(const DeallocateTaskContainer& one) { allocator_.on_deallocate(one.attempt); }
  void follow(const CountHostFailure& one) { allocator_.on_attempt_failed(one.host); }
  void follow(const LaunchTaskContainer& one) {
    BOOST_REQUIRE_MESSAGE(launched_.insert(one.attempt).second, "an attempt is launched twice");
    BOOST_REQUIRE_MESSAGE(used_.insert(one.container).second, "a container is used twice");
    Party& party = parties_[one.attempt];
    if (!resource_manager_.runs(one.container)) return;  // its node is lost
    party.is_launched = true;
    party.reports.push_back(AttemptEvent::container_launched);
  }
  void follow(const CleanUpTaskContainer& one) { parties_[one.attempt].is_cleaning = true; }
  void follow(const UpdateChildWatch& one) {
    Party& party = parties_[one.attempt];
    switch (one.change) {
      case ChildWatch::expect_child: break;
      case ChildWatch::watch_child: party.is_watched = true; break;
      case ChildWatch::forget_child: party.is_watched = false; break;
      case ChildWatch::watch_exit: party.is_exit_watched = true; break;
      case ChildWatch::forget_exit: party.is_exit_watched = false; break;
    }
  }
  void follow(const AbortTaskOutput& one) { parties_[one.attempt].is_aborting = one.is_answered; }
  void follow(const SetUpJobOutput&) { owes_setup_ = was_set_up_ = true; }
  void follow(const CommitJobOutput&) { owes_commit_ = was_committed_ = true; }
  void follow(const AbortJobOutput& one) { owes_abort_ = one.final_state; }
  void follow(const EndMapReduceJob& one) {
    BOOST_REQUIRE_MESSAGE(!is_over_, "the job ends twice");
    is_over_ = true;
    if (one.state == JobState::reboot) record_tasks();
  }
  /// What the history has of the tasks that have succeeded. Some of their outputs are lost.
  void record_tasks() {
    for (const auto& [id, task] : master_.tasks()) {
      if (task.state() != MapReduceTaskState::succeeded) continue;
      auto& recorded = recorded_[id];
      recorded.adopts_output = id.is_reduce || !has_reduces();
      recorded.adoption_fails = recorded.adopts_output && below(3) == 0;
      for (const auto& [name, attempt] : master_.attempts())
        if (task_of(name) == id && attempt.launch_time())
          recorded.attempts.push_back({name, recorded_end(attempt.status()), attempt.host().value_or(""),
                                       attempt.launch_time(), attempt.finish_time()});
    }
  }
  static std::optional<AttemptState> recorded_end(MapReduceAttemptStatus status) {
    switch (status) {
      case MapReduceAttemptStatus::succeeded: return AttemptState::succeeded;
      case MapReduceAttemptStatus::failed: return AttemptState::failed;
      case MapReduceAttemptStatus::killed: return AttemptState::killed;
      default: return std::nullopt;
    }
  }

  RandomStream random_;
  MessageFilter filter_;
  MapReduceMachineSettings settings_;
  MapReduceMasterInMemory master_;
  MapReduceAllocator allocator_;
  ResourceManagerInMemory resource_manager_;
  std::optional<MapReduceAnswer> answer_;  // under way to the master
  std::int32_t last_answer_ = 0;
  bool was_read_ = true;  // the master got the last answer
  std::map<Id, Party> parties_;
  std::map<Id, ContainerId> assignments_;  // decided, not told to the attempt
  std::map<ContainerId, Id> occupant_;
  std::map<ContainerId, std::string> host_of_;
  std::set<Id> launched_;
  std::set<ContainerId> used_;
  std::optional<JobState> owes_abort_;
  std::optional<JobState> was_aborted_;
  std::map<MapReduceTaskId, map_reduce_task_input::Recovered> recorded_;  // if the job ended in REBOOT
  bool owes_setup_ = false;
  bool owes_commit_ = false;
  bool was_set_up_ = false;  // was to be set up
  bool was_committed_ = false;
  bool is_over_ = false;
};

}  // namespace heddle::policies
