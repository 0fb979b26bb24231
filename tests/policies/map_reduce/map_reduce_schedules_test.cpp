// Goal: with a cluster that starts, loses and doubles things in any order, the machines of job, tasks and attempts
// never get an event that they refuse, launch nothing twice, and end. Method: random schedules of a cluster in memory
// with faults, then a calm phase in which the job has to end.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "model/random_stream.hpp"
#include "tests/support/map_reduce_master_in_memory.hpp"

namespace heddle::policies {
namespace map_reduce_schedules_test {
namespace {

using AttemptEvent = MapReduceAttemptEvent;
using AttemptState = MapReduceAttemptState;
using JobEvent = MapReduceJobEvent;
using JobState = MapReduceJobState;

MapReduceJobSettings random_job(RandomStream& random) {
  MapReduceJobSettings settings;
  settings.maps = static_cast<std::int32_t>(random.below(4));
  settings.reduces = static_cast<std::int32_t>(random.below(3));
  settings.map_failures_percent = random.below(4) == 0 ? 50 : 0;
  settings.finish_when_reduces_done = random.below(4) > 0;
  settings.kills_rescheduled_maps = true;
  return settings;
}

/// Allocator, launcher, children, committer, users and nodes. Each step one of the things that can happen next.
class Cluster {
public:
  explicit Cluster(std::uint64_t seed) : random_{seed}, master_{random_job(random_)} {}

  void run() {
    for (int step = 0; step < 250 && !is_over_; ++step) take_step(true);
    int calm = 0;
    while (!is_over_) {
      BOOST_REQUIRE_MESSAGE(++calm < 5000,
                            "the job does not end: state " << job_state_names.at(static_cast<std::size_t>(state())));
      take_step(false);
    }
    BOOST_REQUIRE(state() != JobState::error);
    // A map may run again while the job commits; its output is no longer needed.
    if (state() == JobState::succeeded)
      for (const auto& [id, task] : master_.tasks())
        BOOST_REQUIRE((is_final(task.state()) || (!id.is_reduce && has_reduces())));
    ends[state()] += 1;
  }

  static std::map<JobState, int> ends;

private:
  using Step = std::function<void()>;
  [[nodiscard]] JobState state() const { return master_.job().state(); }
  std::uint64_t below(std::uint64_t count) { return random_.below(count); }

  [[nodiscard]] bool has_reduces() const { return master_.tasks().contains({true, 0}); }

  void take_step(bool with_faults) {
    master_.now += std::chrono::milliseconds{100 + static_cast<std::int64_t>(below(2000))};
    steps_.clear();
    list_progress();
    if (with_faults) list_faults();
    if (steps_.empty()) {
      BOOST_REQUIRE_MESSAGE(with_faults || master_.job().next_due(), "nothing can happen");
      if (!master_.job().next_due()) return;
      master_.now = *master_.job().next_due();
      master_.put(JobEvent::fail_wait_timedout);
    } else {
      const Step step = steps_[below(steps_.size())];
      step();
    }
    take_effects();
    const auto& errors = master_.errors();
    BOOST_REQUIRE_MESSAGE(errors.empty(), (errors.empty() ? std::string{} : errors.front()));
  }
  void add(Step step) { steps_.push_back(std::move(step)); }
  void put(MapReduceAttempt attempt, AttemptEvent event) { master_.put(attempt, event); }

  /// What each party owes.
  void list_progress() {
    switch (state()) {
      case JobState::created: add([this] { master_.put(map_reduce_job_input::Initialized{}); }); break;
      case JobState::inited: add([this] { master_.put(JobEvent::start); }); break;
      case JobState::setup: add([this] { master_.put(JobEvent::setup_completed); }); break;
      case JobState::committing: add([this] { master_.put(JobEvent::commit_completed); }); break;
      default: break;
    }
    if (abort_)
      add([this, final_state = *abort_] {
        abort_.reset();
        master_.put(map_reduce_job_input::AbortCompleted{final_state});
      });
    for (const MapReduceAttempt attempt : waiting_) add([this, attempt] { grant(attempt); });
    for (const MapReduceAttempt attempt : starting_)
      add([this, attempt] {
        starting_.erase(attempt);
        put(attempt, AttemptEvent::container_launched);
      });
    for (const MapReduceAttempt attempt : cleaning_)
      add([this, attempt] {
        cleaning_.erase(attempt);
        put(attempt, AttemptEvent::container_cleaned);
      });
    for (const MapReduceAttempt attempt : aborting_)
      add([this, attempt] {
        aborting_.erase(attempt);
        put(attempt, AttemptEvent::cleanup_done);
      });
    for (const MapReduceAttempt attempt : children_) list_child(attempt);
    for (const MapReduceAttempt attempt : exiting_) add([this, attempt] { end_container(attempt); });
  }

  void grant(MapReduceAttempt attempt) {
    waiting_.erase(attempt);
    const std::string host = "h" + std::to_string(below(3));
    const ContainerId container{++master_.containers};
    containers_[attempt] = container;
    master_.put(attempt, map_reduce_attempt_input::Assigned{container, host, {1024, 1}});
  }
  /// A child asks before it commits. Reduces copy until they commit.
  void list_child(MapReduceAttempt attempt) {
    const auto& machine = master_.attempts().at(attempt);
    const bool may_commit = master_.task(task_of(attempt)).committing_attempt() == attempt.attempt;
    if (machine.state() == AttemptState::running)
      add([this, attempt] {
        master_.put(map_reduce_job_input::CopyObserved{attempt, false});
        put(attempt, AttemptEvent::commit_pending);
      });
    if (machine.state() == AttemptState::commit_pending && may_commit)
      add([this, attempt] { put(attempt, AttemptEvent::done); });
  }
  void end_container(MapReduceAttempt attempt) {
    containers_.erase(attempt);
    exiting_.erase(attempt);
    put(attempt, AttemptEvent::container_completed);
  }

  void list_faults() {
    for (const MapReduceAttempt attempt : children_) {
      add([this, attempt] { update(attempt); });
      if (below(6) == 0) add([this, attempt] { put(attempt, AttemptEvent::failmsg); });
      if (below(8) == 0) add([this, attempt] { put(attempt, AttemptEvent::timed_out); });
      if (below(4) == 0) add([this, attempt] { put(attempt, AttemptEvent::commit_pending); });
    }
    for (const MapReduceAttempt attempt : exiting_) add([this, attempt] { put(attempt, AttemptEvent::timed_out); });
    for (const MapReduceAttempt attempt : starting_)
      if (below(6) == 0)
        add([this, attempt] {
          starting_.erase(attempt);
          put(attempt, AttemptEvent::container_launch_failed);
        });
    for (const auto& [attempt, container] : containers_)
      if (below(8) == 0) add([this, attempt = attempt] { end_container(attempt); });
    if (below(6) == 0 && !master_.attempts().empty()) list_fault_of_any_attempt();
    if (below(10) == 0 && state() < JobState::fail_wait) list_fault_of_job();
    for (const auto& [id, task] : master_.tasks())
      if (below(10) == 0 && task.attempts() < 8) add([this, id = id] { master_.speculate(id); });
  }
  void list_fault_of_any_attempt() {
    const auto any =
        std::next(master_.attempts().begin(), static_cast<std::ptrdiff_t>(below(master_.attempts().size())));
    const MapReduceAttempt attempt = any->first;
    if (master_.task(task_of(attempt)).attempts() >= 12) return;
    add([this, attempt] { master_.put(attempt, map_reduce_attempt_input::Killed{below(2) == 0}); });
    if (below(3) == 0) add([this, attempt] { put(attempt, AttemptEvent::failmsg_by_client); });
    if (below(6) == 0)
      add([this, task = task_of(attempt)] {
        master_.put(task, map_reduce_task_input::Signal{MapReduceTaskEvent::kill});
      });
    add([this] {
      master_.put(
          map_reduce_job_input::NodesUpdated{{{NodeId{}, "h" + std::to_string(below(3)), NodeCondition::lost}}});
    });
  }
  void list_fault_of_job() {
    const auto chance = below(10);
    if (chance < 2) add([this] { master_.put(JobEvent::kill); });
    if (chance == 2 && state() == JobState::setup) add([this] { master_.put(JobEvent::setup_failed); });
    if (chance == 3 && state() == JobState::committing) add([this] { master_.put(JobEvent::commit_failed); });
    if (chance == 4) add([this] { master_.put(JobEvent::am_reboot); });
    if (chance == 5 && state() == JobState::created)
      add([this] {
        master_.put(map_reduce_job_input::Initialized{true});
        master_.put(JobEvent::init_failed);
      });
  }
  /// Reduces copy, and report maps whose outputs they cannot fetch.
  void update(MapReduceAttempt attempt) {
    map_reduce_attempt_input::Updated report{0.5F, {}};
    if (attempt.is_reduce) {
      master_.put(map_reduce_job_input::CopyObserved{attempt, true});
      for (const auto& completion : master_.job().completion_events().of_maps())
        if (completion.ending == AttemptEnding::succeeded && below(2) == 0)
          report.fetch_failed_maps.push_back(completion.attempt);
    }
    master_.put(attempt, report);
  }

  // -- effects -----------------------------------------------------------------------------
  void take_effects() {
    for (const auto& effect : master_.take_outside()) std::visit([this](const auto& one) { take(one); }, effect);
    if (state() == JobState::killed && !abort_) is_over_ = true;  // before its start
  }
  template <class Effect>
  void take(const Effect&) {}
  void take(const RequestTaskContainer& one) { waiting_.insert(one.attempt); }
  void take(const DeallocateTaskContainer& one) {
    waiting_.erase(one.attempt);
    containers_.erase(one.attempt);
  }
  void take(const LaunchTaskContainer& one) {
    BOOST_REQUIRE_MESSAGE(launched_.insert(one.attempt).second, "an attempt is launched twice");
    BOOST_REQUIRE_MESSAGE(used_.insert(one.container).second, "a container is used twice");
    starting_.insert(one.attempt);
  }
  void take(const CleanUpTaskContainer& one) { cleaning_.insert(one.attempt); }
  void take(const UpdateChildWatch& one) {
    switch (one.change) {
      case ChildWatch::expect_child: break;
      case ChildWatch::watch_child: children_.insert(one.attempt); break;
      case ChildWatch::forget_child:
        children_.erase(one.attempt);
        if (one.attempt.is_reduce) master_.put(map_reduce_job_input::CopyObserved{one.attempt, false});
        break;
      case ChildWatch::watch_exit: exiting_.insert(one.attempt); break;
      case ChildWatch::forget_exit: exiting_.erase(one.attempt); break;
    }
  }
  void take(const AbortTaskOutput& one) { aborting_.insert(one.attempt); }
  void take(const AbortJobOutput& one) { abort_ = one.final_state; }
  void take(const EndMapReduceJob&) {
    BOOST_REQUIRE_MESSAGE(!is_over_, "the job ends twice");
    is_over_ = true;
  }

  RandomStream random_;
  MapReduceMasterInMemory master_;
  std::vector<Step> steps_;
  std::set<MapReduceAttempt> waiting_, starting_, cleaning_, aborting_, children_, exiting_;
  std::map<MapReduceAttempt, ContainerId> containers_;
  std::set<MapReduceAttempt> launched_;
  std::set<ContainerId> used_;
  std::optional<JobState> abort_;
  bool is_over_ = false;
};

std::map<JobState, int> Cluster::ends;

/// The last argument of the test program, or 2000.
std::uint64_t number_of_schedules() {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  const long given = suite.argc > 1 ? std::strtol(suite.argv[suite.argc - 1], nullptr, 10) : 0;
  return given > 0 ? static_cast<std::uint64_t>(given) : 2000;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(map_reduce_schedules)

BOOST_AUTO_TEST_CASE(no_schedule_of_a_cluster_reaches_an_impossible_transition) {
  Cluster::ends.clear();
  for (std::uint64_t seed = 1; seed <= number_of_schedules(); ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) { Cluster{seed}.run(); }
  }
  for (const JobState end : {JobState::succeeded, JobState::failed, JobState::killed, JobState::reboot})
    BOOST_TEST(Cluster::ends[end] > 5, job_state_names.at(static_cast<std::size_t>(end)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace map_reduce_schedules_test
}  // namespace heddle::policies
