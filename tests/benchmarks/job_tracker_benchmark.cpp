// The JobTracker actor under the heartbeats of 1,000 TaskTrackers, all in this process. A TaskTracker has two map
// slots; each attempt that it gets has succeeded at its next heartbeat, which it sends at once; one without work waits
// until it is woken. Measured: from the submission of 100 jobs of 1,000 maps, each map with three hosts, until all have
// ended. Then the same after 10,000 jobs of one map have ended. Event log and job histories are files in a temporary
// folder, as in a local cluster; a second cluster without both shows what they cost. Arguments: jobs (100), maps
// (1000), trackers (1000), ended jobs (10000). Lines that begin with a name have the figures of docs/performance.md.
#include <unistd.h>

#include <atomic>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "actors/job_tracker/job_tracker.hpp"
#include "apps/roles/background_thread.hpp"
#include "messages/registration.hpp"
#include "model/random_stream.hpp"
#include "runtime/event_log/event_log_writer.hpp"
#include "runtime/system_settings.hpp"
#include "runtime/world/real_clock.hpp"
#include "tests/support/classic_packages.hpp"
#include "work/history/job_history_files.hpp"

namespace {

using namespace heddle;

constexpr int trackers_per_rack = 40;

/// A folder that goes with the object.
class TemporaryFolder {
public:
  TemporaryFolder() : path_{std::filesystem::temp_directory_path() / ("heddle-bench-" + std::to_string(::getpid()))} {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

std::atomic<std::int64_t> beats{0};

std::string host_name(int host) { return "h" + std::to_string(host); }

/// Speaks as a TaskTracker whose attempts succeed at once.
class InstantTracker {
public:
  InstantTracker(caf::event_based_actor* self, JobTrackerActor tracker, int number)
      : self_{self}, tracker_{std::move(tracker)} {
    beat_.tracker = beat_.host = host_name(number);
    beat_.incarnation = number + 1;
    beat_.rack = "/r" + std::to_string(number / trackers_per_rack);
    beat_.build_id = "build";
    beat_.map_slots = 2;
    beat_.reduce_slots = 1;
    beat_.is_initial_contact = true;
  }
  void send_heartbeat() {
    if (std::exchange(is_pending_, true)) return;
    ++beats;
    self_->send(tracker_, beat_);
  }
  void handle(const HeartbeatResponse& response) {
    is_pending_ = false;
    beat_.is_initial_contact = false;
    beat_.response_id = response.response_id;
    beat_.attempts.clear();
    for (const auto& launch : response.launches) {
      TaskAttemptStatus status;
      status.attempt = launch.attempt;
      status.state = TaskAttemptState::succeeded;
      status.outcome = TaskOutcome{};
      beat_.attempts.push_back(std::move(status));
    }
    if (!beat_.attempts.empty() || std::exchange(is_woken_, false)) send_heartbeat();
  }
  void wake() {
    is_woken_ = is_pending_;
    send_heartbeat();
  }

private:
  caf::event_based_actor* self_;
  JobTrackerActor tracker_;
  TrackerHeartbeat beat_;
  bool is_pending_ = false;
  bool is_woken_ = false;
};

caf::behavior instant_tracker(caf::event_based_actor* self, const JobTrackerActor& tracker, int number) {
  auto state = std::make_shared<InstantTracker>(self, tracker, number);
  state->send_heartbeat();
  return {
      [state](const HeartbeatResponse& response) { state->handle(response); },
      [state](const HeartbeatSoon&) { state->wake(); },
  };
}

/// Ends of jobs, for the main thread.
class Ends {
public:
  void add() {
    const std::lock_guard lock{mutex_};
    ++count_;
    changed_.notify_all();
  }
  void wait_for(std::int64_t count) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return count_ >= count; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t count_ = 0;
};

caf::behavior client(caf::event_based_actor*, Ends* ends) {
  return {
      [ends](const JobFinished& message) {
        if (message.status != JobStatus::succeeded) std::printf("a job failed: %s\n", message.text.c_str());
        ends->add();
      },
      [](const JobAccepted&) {},
      [](const JobProgress&) {},
      [](const Notice&) {},
  };
}

JobPackage package_of(int maps, int trackers, RandomStream& random) {
  std::vector<std::vector<std::string>> hosts(static_cast<std::size_t>(maps));
  for (auto& each : hosts)
    for (int copy = 0; copy < 3; ++copy)
      each.push_back(host_name(static_cast<int>(random.below(static_cast<std::uint64_t>(trackers)))));
  return tests::map_only_package(hosts);
}

class Cluster {
public:
  /// `folder`: of event log and histories; empty: there are none.
  Cluster(caf::actor_system& system, int trackers, const std::string& folder) : system_{system}, trackers_{trackers} {
    actors::JobTrackerSettings settings;
    settings.cluster_start = 1000;
    settings.build_id = "build";
    actors::JobTrackerPorts ports;
    ports.background = &background_;
    if (!folder.empty()) {
      settings.history.folder = folder + "/history";
      ports.history = &history_;
      log_ = std::make_unique<runtime::EventLogWriter>(
          runtime::EventLogWriter::open_file(folder + "/events.jsonl").value());
    }
    ports::EventSink* events = log_ ? static_cast<ports::EventSink*>(log_.get()) : &no_events_;
    tracker_ = actors::spawn_job_tracker(system, settings, {&clock_, events, RandomStream{1}, {}}, ports);
    client_ = system.spawn(client, &ends_);
    for (int i = 0; i < trackers; ++i) system.spawn(instant_tracker, tracker_, i);
  }
  /// Runs so many jobs; returns the wall time and the heartbeats.
  std::pair<double, std::int64_t> run(int jobs, int maps) {
    const auto package = package_of(maps, trackers_, random_);
    const auto beats_before = beats.load();
    const auto start = std::chrono::steady_clock::now();
    for (int job = 0; job < jobs; ++job) caf::send_as(client_, tracker_, SubmitJob{++submitted_, package});
    ends_.wait_for(submitted_);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return {spent.count(), beats.load() - beats_before};
  }

private:
  caf::actor_system& system_;
  int trackers_;
  runtime::RealClock clock_;
  runtime::NoEvents no_events_;
  std::unique_ptr<runtime::EventLogWriter> log_;
  work::JobHistoryFiles history_;
  apps::BackgroundThread background_;
  RandomStream random_{7};
  Ends ends_;
  JobTrackerActor tracker_;
  caf::actor client_;
  std::int64_t submitted_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int at, int otherwise) { return argc > at ? std::atoi(argv[at]) : otherwise; };
  const int jobs = argument(1, 100), maps = argument(2, 1000), trackers = argument(3, 1000),
            ended = argument(4, 10'000);
  caf::actor_system_config config;
  register_messages(config);
  runtime::apply(config, {});
  caf::actor_system system{config};
  const TemporaryFolder folder;
  Cluster bare{system, trackers, {}};
  const auto [unlogged, unlogged_beats] = bare.run(jobs, maps);
  std::printf("heartbeats_without_logs %.0f heartbeats/s\n", static_cast<double>(unlogged_beats) / unlogged);
  Cluster cluster{system, trackers, folder.path().string()};
  const auto [first, first_beats] = cluster.run(jobs, maps);
  std::printf("heartbeats %.0f heartbeats/s (%lld, %d jobs of %d maps, %d trackers, %.2f s)\n",
              static_cast<double>(first_beats) / first, static_cast<long long>(first_beats), jobs, maps, trackers,
              first);
  for (int done = 0; done < ended; done += jobs) cluster.run(jobs, 1);
  const auto [second, second_beats] = cluster.run(jobs, maps);
  std::printf("cost_after_ended_jobs %.2f x (%d ended jobs)\n",
              second / static_cast<double>(second_beats) / (first / static_cast<double>(first_beats)), ended);
  std::fflush(stdout);
  std::filesystem::remove_all(folder.path());
  std::_Exit(0);
}
