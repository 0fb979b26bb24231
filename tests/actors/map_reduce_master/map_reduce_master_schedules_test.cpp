// Goal: whatever order the messages of its parties arrive in, however late or often, and whichever of them die, a
// MapReduceMaster starts no container and no attempt twice, meets no impossible event, and ends its job. The same holds
// if it is killed and the next one reads its history: tasks that have finished there do not run again. Method: random
// schedules of fake parties in virtual time with faults, then a calm phase.
#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/random_stream.hpp"
#include "ports/output_commit.hpp"
#include "tests/actors/map_reduce_master/master_world.hpp"
#include "tests/support/resource_manager_in_memory.hpp"
#include "tests/support/schedule_count.hpp"

namespace heddle::actors {
namespace map_reduce_master_schedules_test {
namespace {

MapReduceMasterStart impatient(std::int32_t attempt = 1) {
  MapReduceMasterStart start;
  start.attempt.attempt = attempt;
  start.task_timeout = 20s;
  start.exit_timeout = 10s;
  start.unanswered_max = 1000;
  start.machines.job.map_failures_percent = 34;
  start.history.folder = "/history";
  return start;
}

/// A task child in its container, as its node and the test see it.
struct Child {
  std::optional<TaskAttemptId> attempt;  // that it got
  bool is_announced = false;             // the node has told the start of the container
  bool is_silent = false;
  bool wants_commit = false;
  bool has_ended = false;  // it has sent its last report
};

class Schedule {
public:
  explicit Schedule(std::uint64_t seed)
      : random_{seed},
        maps_{1 + pick(3)},
        reduces_{pick(3)},
        masters_max_{chance(3) ? 2 + pick(2) : 1},
        world_{impatient()} {
    begin_job();
  }

  JobStatus run() {
    for (int step = 0; step < 150 && !is_over(); ++step) take_step(true);
    cluster_.return_nodes();
    world_.commit.failure.clear();
    work_in_background(world_.background.held.size());
    for (int calm = 0; !is_over(); ++calm) {
      BOOST_REQUIRE_MESSAGE(calm < 3000, "the job does not end; " << describe());
      take_step(false);
    }
    for (int step = 0; step < 10; ++step) repeat_message();  // too late
    const auto end = world_.client.last<JobFinished>();
    BOOST_TEST(world_.client.count<JobFinished>() == 1);
    check_states(end.status);
    BOOST_TEST(world_.events().count("role_failed") == 0);
    if (end.status == JobStatus::succeeded) check_outputs();
    return end.status;
  }

  /// How often a master registered again.
  [[nodiscard]] int registrations_lost() const { return registrations_lost_; }
  /// How many masters were started.
  [[nodiscard]] std::int32_t masters() const { return masters_; }
  /// Tasks that a later master had not to run again.
  [[nodiscard]] std::size_t kept_tasks() const { return kept_tasks_; }

private:
  std::int32_t pick(std::uint64_t count) { return static_cast<std::int32_t>(random_.below(count)); }
  bool chance(std::uint64_t rarity) { return random_.below(rarity) == 0; }
  [[nodiscard]] bool is_over() const { return world_.client.count<JobFinished>() > 0; }

  [[nodiscard]] std::string describe() const {
    std::string text = std::to_string(maps_) + " maps, " + std::to_string(reduces_) + " reduces, master " +
                       std::to_string(masters_) + "; ";
    for (const auto& [container, child] : children_)
      text += "container " + std::to_string(container) + " has " +
              (child.attempt ? to_string(*child.attempt) : std::string{"no attempt"}) +
              (child.is_silent ? ", silent" : "") + (child.wants_commit ? ", wants to commit" : "") +
              (child.has_ended ? ", ended; " : "; ");
    for (const auto& call : world_.commit.calls) text += call + "; ";
    return text + cluster_.describe();
  }

  /// An event that a machine refuses ends the job in state ERROR, also if the end has another text or none.
  void check_states(JobStatus status) const {
    BOOST_TEST((status != JobStatus::succeeded || world_.events().count("map_reduce_state") > 0));
    for (const auto& line : world_.events().lines)
      if (line.find("\"event\":\"map_reduce_state\"") != std::string::npos)
        BOOST_TEST(line.find("\"state\":\"ERROR\"") == std::string::npos, line);
  }
  /// One winner for each task whose output is committed; at most a third of the maps may have failed.
  void check_outputs() {
    BOOST_TEST(world_.commit.commits == 1);
    const auto& winners = world_.commit.committed.front().task_attempts;
    const auto tasks = static_cast<std::size_t>(reduces_ > 0 ? reduces_ : maps_);
    BOOST_TEST(winners.size() <= tasks);
    BOOST_TEST(winners.size() + (reduces_ > 0 ? 0 : 1) >= tasks);
    BOOST_TEST(std::set<std::string>(winners.begin(), winners.end()).size() == winners.size());
  }

  void take_step(bool with_faults) {
    if (world_.background.is_held && chance(3)) work_in_background(world_.background.held.size());
    register_again();
    answer_request();
    follow_node();
    if (with_faults && chance(3)) make_fault();
    else if (answer_ && !with_faults) deliver_answer();
    else if (!children_.empty() && !chance(4)) move(any_child(), with_faults);
    else if (answer_ && !chance(3)) deliver_answer();
    else if (chance(2)) world_.say(world_.cluster, world_.master, AllocationAvailable{});
    else world_.advance(std::chrono::milliseconds{100 + pick(1500)});
  }

  // -- masters ----------------------------------------------------------------------------------
  void begin_job() {
    const bool is_registered = chance(2);
    if (is_registered) world_.register_application();
    const std::vector<std::vector<std::string>> hosts(static_cast<std::size_t>(maps_));
    SubmitJob message;
    message.request = 7;
    message.package = reduces_ > 0 ? tests::map_reduce_package(hosts, reduces_) : tests::map_only_package(hosts);
    message.earlier_drivers = masters_ - 1;
    world_.say(world_.client, world_.master, message);
    if (!is_registered) world_.register_application();
  }
  /// The master is killed, with a part of its work on files undone. Its containers end, and the next one reads the
  /// history.
  void replace_master() {
    follow_node();
    caf::anon_send_exit(world_.master, caf::exit_reason::kill);
    world_.settle();
    work_in_background(random_.below(world_.background.held.size() + 1));
    if (is_over()) return;
    children_.clear();
    world_.client.clear();
    cluster_.begin_attempt();
    answer_.reset();
    last_answer_ = {};
    requests_ = static_cast<std::size_t>(world_.cluster.count<AllocateRequest>());
    known_losses_ = world_.application.count<RegistrationLost>();
    world_.history.earlier.events = world_.history.events;
    world_.commit.was_committed = world_.commit.commits > 0;
    keep_finished_tasks();
    ++masters_;
    world_.start_master(impatient(masters_));
    begin_job();
  }
  void work_in_background(std::size_t count) {
    world_.background.release(count);
    world_.settle();
  }
  /// Reads the history as the next master has to. Some outputs are gone.
  void keep_finished_tasks() {
    std::map<history::TaskName, history::AttemptName> winners;
    for (const auto& event : world_.history.events) {
      if (const auto* ended = std::get_if<history::TaskFinished>(&event)) {
        winners.insert_or_assign(ended->task, *ended->winner);
      } else if (const auto* failed = std::get_if<history::TaskFailed>(&event)) {
        winners.erase(failed->task);
      } else if (const auto* lost = std::get_if<history::AttemptUnsuccessful>(&event)) {
        const auto row = winners.find(lost->attempt.task);
        if (row != winners.end() && row->second == lost->attempt) winners.erase(row);
      }
    }
    kept_.clear();
    for (const auto& [task, winner] : winners) {
      const auto folder =
          ports::task_attempt_name(StageKey{{}, StageId{reduces_ > 0 ? 1 : 0}, 0}, task.task, winner.attempt);
      if ((task.is_reduce || reduces_ == 0) && chance(6)) world_.commit.missing.insert(folder);
      if (!world_.commit.missing.contains(folder)) kept_.insert({task.is_reduce, task.task});
    }
    kept_tasks_ += kept_.size();
  }
  /// A map that was kept runs again only if its output was lost later.
  void check_not_kept(const TaskAttemptId& attempt) {
    if (!kept_.contains({attempt.is_reduce, attempt.task})) return;
    const std::string loss = "map " + std::to_string(attempt.task) + " runs again: its output was lost";
    bool is_lost = false;
    for (const auto& notice : world_.client.all<Notice>()) is_lost = is_lost || notice.text == loss;
    BOOST_REQUIRE_MESSAGE(!attempt.is_reduce && reduces_ > 0 && is_lost,
                          to_string(attempt) << " runs, but its task had finished; " << describe());
  }

  // -- the ResourceManager ------------------------------------------------------------------
  void answer_request() {
    const auto requests = world_.cluster.all<AllocateRequest>();
    if (requests.size() == requests_ || answer_) return;
    requests_ = requests.size();
    const auto& request = requests.back();
    policies::MapReduceCall call{
        request.response_id, {}, request.release, request.exclusion_add, request.exclusion_remove};
    for (const auto& ask : request.asks)
      call.asks.push_back({static_cast<policies::MapReducePriority>(ask.priority), ask.place, ask.resource,
                           static_cast<std::int32_t>(ask.count)});
    for (const auto& release : request.release) children_.erase(release.value);
    const auto found = cluster_.allocate(call, random_);
    answer_.emplace();
    if (!found) {
      answer_->registration = AttemptRegistration::not_registered;
      return;
    }
    answer_->response_id = found->response_id;
    answer_->completed = found->completed;
    answer_->updated_nodes = found->updated_nodes;
    answer_->cluster_nodes = found->cluster_nodes;
    answer_->headroom = found->headroom;
    for (const auto& granted : found->granted)
      answer_->allocated.push_back(
          {granted.container, NodeId{1}, granted.host, "node:1", granted.priority, granted.resource});
  }
  /// The ApplicationMaster registers once more.
  void register_again() {
    const auto lost = world_.application.count<RegistrationLost>();
    if (lost == known_losses_) return;
    known_losses_ = lost;
    ++registrations_lost_;
    cluster_.register_attempt();
    world_.register_application();
  }
  /// The ResourceManager starts anew. It forgets the registration; the answer under way is lost.
  void restart_cluster() {
    cluster_.restart(!answer_);
    std::erase_if(children_, [this](const auto& row) { return !cluster_.runs(ContainerId{row.first}); });
    if (!answer_) return;
    answer_.emplace();
    answer_->registration = AttemptRegistration::not_registered;
  }
  void deliver_answer() {
    last_answer_ = *std::exchange(answer_, std::nullopt);
    world_.say(world_.cluster, world_.master, last_answer_);
  }

  // -- nodes ------------------------------------------------------------------------------------
  void follow_node() {
    const auto starts = world_.node.all<StartContainer>();
    for (; starts_ < starts.size(); ++starts_) {
      const ContainerId container = starts[starts_].container;
      BOOST_REQUIRE_MESSAGE(started_.insert(container).second, "a container is started twice");
      if (cluster_.runs(container)) children_[container.value];
    }
    const auto stops = world_.node.all<StopContainer>();
    for (; stops_ < stops.size(); ++stops_)
      end_child(stops[stops_].container, container_exit_status::killed_by_application_master);
  }
  void end_child(ContainerId container, std::int32_t exit_status) {
    cluster_.end(container, exit_status);
    children_.erase(container.value);
  }

  // -- children ---------------------------------------------------------------------------------
  std::int64_t any_child() {
    return std::next(children_.begin(), static_cast<std::ptrdiff_t>(random_.below(children_.size())))->first;
  }
  template <class Message>
  void say(std::int64_t container, const Message& message) {
    const auto deliver = [this, container, message] { world_.say(world_.child(container), world_.master, message); };
    deliver();
    sent_.push_back(deliver);
  }
  void move(std::int64_t container, bool with_faults) {
    Child& child = children_.at(container);
    if (!child.is_announced && chance(2)) {
      child.is_announced = true;
      const ContainerStarted started{ContainerId{container}};
      world_.say(world_.node, world_.master, started);
      sent_.emplace_back([this, started] { world_.say(world_.node, world_.master, started); });
      return;
    }
    if (child.is_silent && with_faults) return;
    if (child.is_silent) return world_.advance(1s);
    if (!child.attempt) return ask_for_task(container, child);
    if (child.has_ended) return end_child(ContainerId{container}, 0);
    work(container, child, with_faults);
  }
  void ask_for_task(std::int64_t container, Child& child) {
    say(container, GetTask{container, "secret"});
    const auto& peer = world_.child(container);
    if (peer.count<LeaveChild>() > 0) return end_child(ContainerId{container}, 0);
    BOOST_TEST_REQUIRE(peer.count<RunAttempt>() == 1);
    child.attempt = peer.last<RunAttempt>().launch.attempt;
    check_not_kept(*child.attempt);
    BOOST_REQUIRE_MESSAGE(given_.insert(*child.attempt).second, "an attempt is given twice");
  }
  void work(std::int64_t container, Child& child, bool with_faults) {
    const auto attempt = *child.attempt;
    const bool has_output = attempt.is_reduce || reduces_ == 0;
    if (with_faults && chance(8)) return fail(container, child);
    if (attempt.is_reduce && chance(3)) return read_maps(container, attempt, with_faults);
    if (chance(3)) {
      AttemptProgress message{container, attempt, 0.5F};
      set_counter(message.counters.task, TaskCounter::map_input_records, 1);
      return say(container, message);
    }
    if (has_output && !child.wants_commit) {
      child.wants_commit = true;
      return say(container, CommitPending{container, attempt});
    }
    if (has_output && world_.child(container).count<CommitAttempt>() == 0) return;
    child.has_ended = true;
    AttemptDone done{container, attempt, {}};
    if (!has_output) done.place = MasterWorld::map_output(attempt.task);
    say(container, done);
  }
  void fail(std::int64_t container, Child& child) {
    child.has_ended = true;
    TaskOutcome outcome;
    outcome.state = TaskState::failed;
    outcome.failure = FailureKind::command_exit;
    outcome.text = "exit code 3";
    say(container, AttemptFailed{container, *child.attempt, outcome});
  }
  void read_maps(std::int64_t container, const TaskAttemptId& reduce, bool with_faults) {
    const auto answers = world_.child(container).all<MapCompletions>();
    if (answers.empty() || !with_faults) return say(container, GetMapCompletions{container, reduce, 0});
    for (const auto& row : answers.back().rows)
      if (row.ending == AttemptEnding::succeeded && chance(2))
        return say(container, FetchFailed{container, reduce, {reduce.job, false, row.map, row.attempt}});
  }

  // -- faults -----------------------------------------------------------------------------------
  void repeat_message() {
    if (sent_.empty()) return;
    if (sent_.size() > 20) sent_.pop_front();
    sent_[random_.below(sent_.size())]();
  }
  void make_fault() {
    if (masters_ < masters_max_ && chance(8)) return replace_master();
    switch (pick(11)) {
      case 0:
      case 1: return repeat_message();
      case 2:
        if (last_answer_.response_id > 0 && last_answer_.registration == AttemptRegistration::registered)
          world_.say(world_.cluster, world_.master, last_answer_);
        return;
      case 3: return lose_node();
      case 4: return cluster_.return_nodes();
      case 5:
        if (chance(10)) world_.commit.failure = "no space";
        return;
      case 6:
        if (chance(15)) world_.say(world_.client, world_.master, CancelJob{JobId{1}, "cancelled by the user"});
        return;
      case 7:
        if (chance(6)) restart_cluster();
        return;
      case 8: world_.background.is_held = true; return;
      default: break;
    }
    if (children_.empty()) return;
    const auto container = any_child();
    Child& child = children_.at(container);
    if (chance(3)) child.is_silent = true;
    else if (!child.is_announced && !child.attempt) {
      world_.say(world_.node, world_.master, ContainerNotStarted{ContainerId{container}, "no memory"});
      end_child(ContainerId{container}, container_exit_status::invalid);
    } else end_child(ContainerId{container}, chance(2) ? 137 : container_exit_status::preempted);
  }
  void lose_node() {
    if (!chance(4)) return;
    cluster_.lose_node(random_.below(policies::ResourceManagerInMemory::nodes()));
    std::erase_if(children_, [this](const auto& row) { return !cluster_.runs(ContainerId{row.first}); });
  }

  RandomStream random_;
  std::int32_t maps_;
  std::int32_t reduces_;
  std::int32_t masters_max_;
  std::int32_t masters_ = 1;
  MasterWorld world_;
  policies::ResourceManagerInMemory cluster_;
  std::optional<AllocateResponse> answer_;  // under way
  AllocateResponse last_answer_;
  std::size_t requests_ = 0;
  int known_losses_ = 0;  // of registrations, which the application has answered
  int registrations_lost_ = 0;
  std::size_t starts_ = 0;
  std::size_t stops_ = 0;
  std::map<std::int64_t, Child> children_;  // by container
  std::set<ContainerId> started_;
  std::set<TaskAttemptId> given_;
  std::set<std::pair<bool, std::int32_t>> kept_;  // tasks that had finished before the master of now: is reduce, index
  std::size_t kept_tasks_ = 0;
  std::deque<std::function<void()>> sent_;  // messages that may arrive once more
};

}  // namespace

BOOST_AUTO_TEST_SUITE(map_reduce_master_schedules)

BOOST_AUTO_TEST_CASE(late_and_repeated_messages_start_nothing_twice) {
  std::map<JobStatus, int> ends;
  std::map<JobStatus, int> recovered;
  int registrations_lost = 0;
  std::size_t kept_tasks = 0;
  for (std::uint64_t seed = 1; seed <= tests::schedule_count(300); ++seed) BOOST_TEST_CONTEXT("seed " << seed) {
      Schedule schedule{seed};
      const auto end = schedule.run();
      (schedule.masters() > 1 ? recovered : ends)[end] += 1;
      registrations_lost += schedule.registrations_lost();
      kept_tasks += schedule.kept_tasks();
    }
  BOOST_TEST(registrations_lost > 20);
  BOOST_TEST(kept_tasks > 20U);
  for (const auto status : {JobStatus::succeeded, JobStatus::failed, JobStatus::cancelled}) {
    BOOST_TEST(ends[status] > 5, static_cast<int>(status));
    BOOST_TEST(recovered[status] > 0, "recovered: " << static_cast<int>(status));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace map_reduce_master_schedules_test
}  // namespace heddle::actors
