// A MapReduce job on a cluster in memory. Each step is one thing that can happen next, chosen at random. Faults lose,
// repeat and delay messages, and kill parties.
#pragma once

#include <array>
#include <boost/test/unit_test.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/map_reduce_parties.hpp"

namespace heddle::policies {

class MapReduceCluster : MapReduceParties {
public:
  using MapReduceParties::MapReduceParties;
  using MapReduceParties::state;
  /// The next master of a job that ended in REBOOT.
  MapReduceCluster(MapReduceCluster& earlier, std::int32_t first_attempt)
      : MapReduceParties{static_cast<MapReduceParties&>(earlier), first_attempt} {}

  /// Steps with faults, then a calm phase in which the job has to end, then late messages.
  void run() {
    troubles_job_ = below(3) == 0;
    reboots_ = below(6) == 0;
    for (int step = 0; step < 120 && !is_over_; ++step) take_step(true);
    resource_manager_.return_nodes();
    for (int calm = 0; !is_over_; ++calm) {
      BOOST_REQUIRE_MESSAGE(calm < 5000, "the job does not end: " << describe());
      take_step(false);
    }
    BOOST_REQUIRE(state() != JobState::error);
    // A map may run again while the job commits; its output is no longer needed.
    if (state() == JobState::succeeded)
      for (const auto& [id, task] : master_.tasks())
        BOOST_REQUIRE((is_final(task.state()) || (!id.is_reduce && has_reduces())));
    for (int step = 0; filter_ == MessageFilter::dispatcher && step < 15; ++step) take_step(true);
  }

private:
  enum class Deed : std::uint8_t {
    initialize,
    start,
    complete_setup,
    complete_commit,
    complete_abort,
    wait_over,  // of the job
    send_request,
    take_answer,
    get_container,  // of the ResourceManager
    work,
    report,
    time_out,
    exit,
    clean,
    remove_output,  // of a child and its node
    lose_answer,
    repeat_answer,
    restart_resource_manager,
    lose_node,
    return_nodes,  // faults
    fail_init,
    fail_setup,
    fail_commit,
    kill_job,
    reboot,
    repeat_abort,
    tell_job,
    late_start,
    fail_child,
    hang_child,
    break_connection,
    repeat_report,
    fail_launch,
    end_container,
    clean_unasked,
    repeat_clean,
    kill_attempt,
    fail_attempt,
    preempt,
    kill_task,
    speculate,
    copy_late,
    wait_long,
    repeat_setup,
    repeat_commit,
    tell_late,
    tell_attempt,
    race
  };
  struct Step {
    Deed deed;
    Id attempt;
  };

  // -- steps -------------------------------------------------------------------------------
  void take_step(bool with_faults) {
    master_.now += std::chrono::milliseconds{100 + static_cast<std::int64_t>(below(2000))};
    steps_.clear();
    list_duties();
    if (with_faults) list_faults();
    BOOST_REQUIRE_MESSAGE(!steps_.empty(), "nothing can happen");
    const Step step = steps_[below(steps_.size())];
    take(step);
    settle();
    const auto& errors = master_.errors();
    BOOST_REQUIRE_MESSAGE(errors.empty(), (errors.empty() ? std::string{} : errors.front()));
    allocator_.check_invariants();
  }
  void add(Deed deed, Id attempt = {}) { steps_.push_back({deed, attempt}); }
  /// With probability 1 / `rarity`.
  void add_rare(std::uint64_t rarity, Deed deed, Id attempt = {}) {
    if (below(rarity) == 0) add(deed, attempt);
  }

  /// What the parties owe each other.
  void list_duties() {
    if (state() == JobState::created) add(Deed::initialize);
    if (state() == JobState::inited) add(Deed::start);
    if (owes_setup_) add(Deed::complete_setup);
    if (owes_commit_) add(Deed::complete_commit);
    if (owes_abort_) add(Deed::complete_abort);
    if (const auto due = master_.job().next_due(); due && *due <= master_.now) add(Deed::wait_over);
    add(answer_ ? Deed::take_answer : Deed::send_request);
    for (const auto& grant : assignments_) add(Deed::get_container, grant.first);
    for (const auto& [id, party] : parties_) list_duties_of(id, party);
  }
  void list_duties_of(Id id, const Party& party) {
    if (!party.reports.empty()) add(Deed::report, id);
    const bool is_alive = resource_manager_.runs(party.container);
    const bool waits = party.wants_commit && !party.may_commit;
    if (is_alive && party.is_launched && !party.is_hung && !party.has_finished && !waits) add(Deed::work, id);
    // A child that does not get its permission to commit, or hangs, is found by its time limit.
    if (party.is_watched && (party.is_hung || (waits && party.reports.empty()))) add(Deed::time_out, id);
    if (party.is_exit_watched && (party.is_hung || !is_alive)) add(Deed::time_out, id);
    if (is_alive && party.has_finished && party.reports.empty()) add(Deed::exit, id);
    if (party.is_cleaning) add(Deed::clean, id);
    if (party.is_aborting) add(Deed::remove_output, id);
  }

  void list_faults() {
    add_rare(20, answer_ ? Deed::lose_answer : Deed::lose_node);
    if (answer_) add_rare(10, Deed::repeat_answer);
    add_rare(60, Deed::restart_resource_manager);
    add_rare(10, Deed::return_nodes);
    list_faults_of_job();
    if (parties_.empty()) return;
    const auto any = std::next(parties_.begin(), static_cast<std::ptrdiff_t>(below(parties_.size())));
    list_faults_of(any->first, any->second);
  }
  void list_faults_of_job() {
    if (state() == JobState::created) add_rare(15, Deed::fail_init);
    if (owes_setup_ && state() == JobState::setup) add_rare(10, Deed::fail_setup);
    if (owes_commit_) add_rare(5, Deed::fail_commit);
    const bool is_late = state() >= JobState::committing;
    add_rare(troubles_job_ && is_late ? 4 : 300, Deed::kill_job);
    add_rare(troubles_job_ && is_late ? 6 : reboots_ ? 50 : 1000, Deed::reboot);
    if (master_.job().next_due()) add_rare(3, Deed::wait_long);
    if (!is_dispatcher()) return;
    const bool is_short = state() != JobState::running && state() != JobState::created;
    add_rare(state() == JobState::fail_wait ? 1 : is_short ? 4 : 30, Deed::tell_job);
    if (was_set_up_ && (state() == JobState::kill_abort || state() >= JobState::failed))
      add_rare(6, Deed::repeat_setup);
    if (was_committed_ && state() >= JobState::fail_abort && state() != JobState::kill_wait &&
        state() != JobState::succeeded)
      add_rare(2, Deed::repeat_commit);
    if (was_aborted_) add_rare(3, Deed::repeat_abort);
    if (state() == JobState::fail_abort) add_rare(3, Deed::wait_over);
    if ((state() == JobState::killed || state() == JobState::reboot) && is_over_) add_rare(3, Deed::late_start);
  }
  void list_faults_of(Id id, const Party& party) {
    const bool is_alive = resource_manager_.runs(party.container);
    const bool can_have_more = master_.task(task_of(id)).attempts() < 10;
    const bool may_fail = !party.has_finished || (is_dispatcher() && !party.reports.empty());
    if (is_alive && may_fail && party.is_launched) {
      add_rare(3, Deed::fail_child, id);
      add_rare(6, Deed::hang_child, id);
    }
    if (!party.reports.empty()) {
      add_rare(3, Deed::repeat_report, id);
      add_rare(6, Deed::break_connection, id);
      if (party.reports.front() == AttemptEvent::container_launched) add_rare(3, Deed::fail_launch, id);
    }
    if (is_alive) add_rare(4, Deed::end_container, id);
    if (party.is_watched || party.is_exit_watched) add_rare(6, Deed::time_out, id);
    if (can_have_more) {
      add_rare(state() == JobState::fail_wait || state() == JobState::kill_wait ? 1 : 6, Deed::kill_attempt, id);
      add_rare(12, Deed::fail_attempt, id);
      add_rare(4, Deed::speculate, id);
    }
    add_rare(30, Deed::kill_task, id);
    if (!is_dispatcher()) return;
    add_rare(6, Deed::tell_attempt, id);
    if (state_of(id) == AttemptState::succeeded || state_of(id) == AttemptState::success_container_cleanup)
      add_rare(3, Deed::tell_late, id);
    add_rare(4, Deed::copy_late, id);
    if (party.is_cleaned) add_rare(3, Deed::repeat_clean, id);
    if (!can_have_more) return;
    if (state_of(id) == AttemptState::running || state_of(id) == AttemptState::kill_task_cleanup)
      add_rare(8, Deed::preempt, id);
    if (is_alive) add_rare(8, Deed::clean_unasked, id);
    add_rare(3, Deed::race, id);
  }

  // -- the deeds ---------------------------------------------------------------------------
  void take(Step step) {
    const Id id = step.attempt;
    switch (step.deed) {
      case Deed::initialize: master_.put(map_reduce_job_input::Initialized{}); break;
      case Deed::start: put_job(JobEvent::start); break;
      case Deed::complete_setup:
        owes_setup_ = false;
        put_job(JobEvent::setup_completed);
        break;
      case Deed::complete_commit:
        owes_commit_ = false;
        put_job(JobEvent::commit_completed);
        break;
      case Deed::complete_abort:
        was_aborted_ = std::exchange(owes_abort_, std::nullopt);
        put_abort();
        break;
      case Deed::wait_over: put_job(JobEvent::fail_wait_timedout); break;
      case Deed::send_request: send_request(); break;
      case Deed::take_answer: take_answer(*std::exchange(answer_, std::nullopt)); break;
      case Deed::get_container: get_container(id); break;
      case Deed::work: work(id); break;
      case Deed::report: report(id, true); break;
      case Deed::time_out: put_timeout(id); break;
      case Deed::exit: resource_manager_.end(parties_[id].container, 0); break;
      case Deed::clean: clean(id); break;
      case Deed::remove_output:
        parties_[id].is_aborting = false;
        put(id, AttemptEvent::cleanup_done);
        break;
      default: take_fault(step); break;
    }
  }
  void take_fault(Step step) {
    switch (step.deed) {
      case Deed::lose_answer:
        answer_.reset();
        allocator_.on_call_failed();
        was_read_ = false;
        break;
      case Deed::repeat_answer: {
        const auto twice = *std::exchange(answer_, std::nullopt);
        take_answer(twice);
        take_answer(twice);
        break;
      }
      case Deed::restart_resource_manager:
        if (std::exchange(answer_, std::nullopt)) {
          allocator_.on_call_failed();
          was_read_ = false;
        }
        resource_manager_.restart(was_read_);
        break;
      case Deed::lose_node: resource_manager_.lose_node(below(ResourceManagerInMemory::nodes())); break;
      case Deed::return_nodes: resource_manager_.return_nodes(); break;
      case Deed::fail_init:
        master_.put(map_reduce_job_input::Initialized{true});
        put_job(JobEvent::init_failed);
        break;
      case Deed::fail_setup:
        owes_setup_ = false;
        put_job(JobEvent::setup_failed);
        break;
      case Deed::fail_commit:
        owes_commit_ = false;
        put_job(JobEvent::commit_failed);
        break;
      case Deed::kill_job: put_job(JobEvent::kill); break;
      case Deed::reboot: put_job(JobEvent::am_reboot); break;
      case Deed::repeat_abort: put_abort(); break;
      case Deed::repeat_setup: put_job(below(2) == 0 ? JobEvent::setup_completed : JobEvent::setup_failed); break;
      case Deed::repeat_commit: put_job(below(2) == 0 ? JobEvent::commit_completed : JobEvent::commit_failed); break;
      case Deed::wait_long: master_.now += std::chrono::seconds{60}; break;
      case Deed::tell_job: tell_job(); break;
      case Deed::late_start:
        if (state() == JobState::killed) put_job(JobEvent::start);
        else master_.put(map_reduce_job_input::Initialized{});
        break;
      default: take_fault_of(step.deed, step.attempt); break;
    }
  }
  void take_fault_of(Deed deed, Id id) {
    Party& party = parties_[id];
    std::ptrdiff_t starts = 1;
    switch (deed) {
      case Deed::fail_child:
        party.has_finished = true;
        if (party.reports.empty() || party.reports.front() != AttemptEvent::container_launched) starts = 0;
        if (is_dispatcher() && starts > 0 && below(2) == 0) {  // its node has not told its start
          party.reports.clear();
          starts = 0;
        }
        // Other threads of the child still report.
        party.reports.insert(is_dispatcher() && below(2) == 0 ? party.reports.begin() + starts : party.reports.end(),
                             AttemptEvent::failmsg);
        break;
      case Deed::hang_child: party.is_hung = true; break;
      case Deed::break_connection:  // the child ends, and what it had sent is lost
        party.reports.clear();
        resource_manager_.end(party.container, 1);
        break;
      case Deed::repeat_report:
        report(id, false);
        if (is_dispatcher()) report(id, true);  // with nothing between the two
        break;
      case Deed::fail_launch:
        party.reports = {AttemptEvent::container_launch_failed};
        party.has_finished = true;
        resource_manager_.end(party.container, container_exit_status::invalid);
        break;
      case Deed::end_container: {
        constexpr std::array<std::int32_t, 4> ends{1, 137, container_exit_status::preempted,
                                                   container_exit_status::aborted};
        resource_manager_.end(party.container, ends.at(below(ends.size())));
        break;
      }
      case Deed::clean_unasked:  // the launcher stops all containers
        if (is_running(id) || state_of(id) == AttemptState::success_finishing_container ||
            state_of(id) == AttemptState::fail_finishing_container)
          clean(id);
        break;
      case Deed::repeat_clean: put(id, AttemptEvent::container_cleaned); break;
      case Deed::kill_attempt: master_.put(id, map_reduce_attempt_input::Killed{below(2) == 0}); break;
      case Deed::fail_attempt: put(id, AttemptEvent::failmsg_by_client); break;
      case Deed::preempt: put(id, AttemptEvent::preempted); break;
      case Deed::kill_task: master_.put(task_of(id), map_reduce_task_input::Signal{MapReduceTaskEvent::kill}); break;
      case Deed::speculate: master_.speculate(task_of(id)); break;
      case Deed::copy_late: copy_late(task_of(id)); break;
      case Deed::tell_late: put(id, below(2) == 0 ? AttemptEvent::failmsg : AttemptEvent::timed_out); break;
      case Deed::tell_attempt: put(id, AttemptEvent::diagnostics_update); break;
      case Deed::race: race(id); break;
      default: break;
    }
  }

  std::vector<Step> steps_;
  bool troubles_job_ = false;  // it is often killed late
  bool reboots_ = false;       // the master is often lost while tasks run
};

}  // namespace heddle::policies
