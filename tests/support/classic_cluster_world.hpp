// A JobTracker and TaskTrackers, all real, with scripted children, in virtual time. Processes are started by a launcher
// that spawns an actor for each child; the actor does what the test's script says about its attempt.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/job_tracker/job_tracker.hpp"
#include "actors/task_child/map_locations.hpp"
#include "actors/task_tracker/task_tracker.hpp"
#include "tests/support/actor_world.hpp"
#include "tests/support/child_launcher.hpp"
#include "tests/support/classic_packages.hpp"

namespace heddle::tests {

using namespace std::chrono_literals;

/// What a scripted child does with an attempt.
enum class ChildDeed : std::uint8_t { succeeds, fails, dies, hangs };

/// A host: its TaskTracker, and the processes that it started.
struct ClassicHost {
  std::string name;
  ChildLauncher launcher;
  ChildFiles files;
  TaskTrackerActor tracker;
  std::map<std::int64_t, caf::actor> children;  // by process
  std::set<std::int64_t> ended;                 // processes
};

struct BackgroundNow final : ports::Background {
  void run(std::function<void()> work) override { work(); }
};

struct ClassicParts {
  BackgroundNow background;
  std::vector<std::unique_ptr<ClassicHost>> hosts;
};

struct ClassicWorld : ClassicParts, ActorWorld {
  using Script = std::function<ChildDeed(const AttemptLaunch&, const std::string& host)>;

  Peer& client = peer("client");
  JobTrackerActor job_tracker;
  Script script = [](const AttemptLaunch&, const std::string&) { return ChildDeed::succeeds; };
  std::vector<AttemptLaunch> runs;                       // that children got, in order
  std::map<TaskAttemptId, actors::MapLocations> copied;  // by reduce attempt
  std::vector<OutputWork> commits;                       // job cleanups that commit and succeeded
  std::vector<OutputWork> aborts;

  explicit ClassicWorld(actors::JobTrackerSettings settings = {}) {
    actors::JobTrackerPorts ports;
    ports.background = &background;
    job_tracker = adopt(actors::spawn_job_tracker(system(), settings, tools(), ports));
    publish("jt:1", job_tracker);
    settle();
  }
  ClassicHost& add_host(const std::string& name, std::int32_t map_slots) {
    hosts.push_back(std::make_unique<ClassicHost>());
    ClassicHost& host = *hosts.back();
    host.name = name;
    start_tracker(host, map_slots, 1);
    return host;
  }
  void start_tracker(ClassicHost& host, std::int32_t map_slots, std::int64_t incarnation) {
    actors::TaskTrackerSettings settings;
    settings.job_tracker_address = "jt:1";
    settings.name = settings.host = host.name;
    settings.incarnation = incarnation;
    settings.rack = "/r";
    settings.map_slots = map_slots;
    settings.reduce_slots = 1;
    settings.program = "/program";
    actors::TaskTrackerPorts ports;
    ports.address = host.name + ":1";
    ports.launcher = &host.launcher;
    ports.files = &host.files;
    host.tracker = adopt(actors::spawn_task_tracker(system(), settings, tools(), ports));
    settle();
  }
  JobId submit(const JobPackage& package, const JobRules& rules = {}) {
    SubmitJob message{1, package};
    message.rules = rules;
    say(client, job_tracker, message);
    return client.last<JobAccepted>().job;
  }
  /// Lets time pass in steps, in which processes start and end, until the job has ended or the time is over.
  bool run_until_end(Duration span, Duration step = 50ms) {
    for (Duration passed{0}; passed < span; passed += step) {
      for (int round = 0; round < 50 && move_processes(); ++round) settle();
      if (client.count<JobFinished>() > 0) return true;
      advance(step);
    }
    return client.count<JobFinished>() > 0;
  }
  /// Processes that run.
  [[nodiscard]] std::size_t processes() const {
    std::size_t count = 0;
    for (const auto& host : hosts) count += host->launcher.contexts.size() - host->ended.size();
    return count;
  }
  /// Ends processes that were stopped, connects children that were started. True if something moved.
  bool move_processes() {
    bool has_moved = !exits.empty();
    for (const auto& each : std::exchange(exits, {})) end_process(*each.host, each.process, each.exit_code, 0);
    for (const auto& host : hosts) {
      for (std::size_t i = 0; i < host->launcher.contexts.size(); ++i) {
        const auto process = static_cast<std::int64_t>(i) + 1;
        if (host->ended.contains(process)) continue;
        if (host->launcher.stopped.contains(process)) {
          end_process(*host, process, 143, 15);
          has_moved = true;
        } else if (!host->children.contains(process)) {
          connect_child(*host, process);
          has_moved = true;
        }
      }
    }
    return has_moved;
  }
  void end_process(ClassicHost& host, std::int64_t process, std::int32_t exit_code, std::int32_t signal) {
    if (!host.ended.insert(process).second) return;
    host.launcher.ends.at(process)(process, {exit_code, signal});
    if (const auto child = host.children.find(process); child != host.children.end())
      caf::anon_send_exit(child->second, caf::exit_reason::kill);
    settle();
  }

private:
  /// A process that ends by itself.
  struct Exit {
    ClassicHost* host = nullptr;
    std::int64_t process = 0;
    std::int32_t exit_code = 0;
  };

  void connect_child(ClassicHost& host, std::int64_t process) {
    const auto& spec = *host.launcher.contexts.at(static_cast<std::size_t>(process) - 1).spec;
    const std::int64_t number = std::get<TaskChildLaunch>(spec.role).child;
    const std::string token = spec.container.token;
    // Without arguments for the actor, spawn binds a reference to a null pointer in CAF (UBSan).
    const auto play = [this, &host, process](caf::event_based_actor* self, std::int64_t number,
                                             const std::string& token) -> caf::behavior {
      const auto end = [self, &host, number, token](const TaskAttemptId& attempt, const TaskOutcome& outcome) {
        AttemptDone done{number, attempt, outcome};
        if (!attempt.is_reduce) done.place = map_output_of(host, attempt);
        if (outcome.state == TaskState::finished) self->send(host.tracker, done);
        else self->send(host.tracker, AttemptFailed{number, attempt, outcome});
        self->send(host.tracker, GetTask{number, token});
      };
      return {
          [this, self, end, &host, process, number](const RunAttempt& message) {
            runs.push_back(message.launch);
            const auto& attempt = message.launch.attempt;
            const auto deed = script(message.launch, host.name);
            if (deed == ChildDeed::dies) exits.push_back({&host, process, 137});
            else if (deed == ChildDeed::fails) end(attempt, outcome_of(TaskState::failed));
            else if (deed == ChildDeed::succeeds && message.launch.type == AttemptType::map)
              self->send(host.tracker, CommitPending{number, attempt});
            else if (deed == ChildDeed::succeeds && message.launch.type == AttemptType::reduce)
              begin_copying(message), self->send(host.tracker, GetMapCompletions{number, attempt, 0});
            else if (deed == ChildDeed::succeeds) end(attempt, finish_special(message.launch));
          },
          [this, self, end, &host, number](const MapCompletions& message) {
            auto& locations = copied.at(message.attempt);
            locations.apply(message.rows);
            if (has_all(*locations.table())) end(message.attempt, outcome_of(TaskState::finished));
            else self->send(host.tracker, GetMapCompletions{number, message.attempt, locations.next()});
          },
          [end](const CommitAttempt& message) { end(message.attempt, outcome_of(TaskState::finished)); },
          [end](const KillAttempt& message) { end(message.attempt, outcome_of(TaskState::killed)); },
          [this, &host, process](const LeaveChild&) {
            exits.push_back({&host, process, 0});
          },
      };
    };
    auto child = system().spawn(play, number, token);
    host.children.emplace(process, adopt(child));
    caf::send_as(child, host.tracker, GetTask{number, token});
    settle();
  }
  static MapOutputLocation map_output_of(const ClassicHost& host, const TaskAttemptId& attempt) {
    return {NodeId{0}, Epoch{1}, host.name, "shuffle:" + std::to_string(attempt.attempt), "/files/shuffle"};
  }
  void begin_copying(const RunAttempt& message) {
    const auto& input = message.program.shuffle_inputs.at(0);
    copied.insert_or_assign(message.launch.attempt, actors::MapLocations{input.shuffle, input.maps});
  }
  static bool has_all(const ports::ShuffleLocations& table) {
    return std::all_of(table.place_of_map.begin(), table.place_of_map.end(),
                       [](std::int32_t place) { return place != ports::ShuffleLocations::expected; });
  }
  static TaskOutcome outcome_of(TaskState state) {
    TaskOutcome outcome;
    outcome.state = state;
    outcome.bytes_read = 100;
    if (state != TaskState::failed) return outcome;
    outcome.failure = FailureKind::command_exit;
    outcome.exit_code = 3;
    outcome.text = "exit code 3";
    return outcome;
  }
  TaskOutcome finish_special(const AttemptLaunch& launch) {
    if (launch.type == AttemptType::job_cleanup) (launch.output.is_commit ? commits : aborts).push_back(launch.output);
    return outcome_of(TaskState::finished);
  }

  std::vector<Exit> exits;
};

}  // namespace heddle::tests
