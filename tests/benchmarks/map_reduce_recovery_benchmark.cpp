// Time in which a second MapReduceMaster takes over a job whose maps have all ended: from its start until it requests
// the container of the first reduce; one line for each format of the history. Contains the reading of the history file
// and the replay of its tasks; not the start of the process and the work of the ResourceManager.
// The argument is the number of maps (10,000).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "actors/map_reduce_master/history_values.hpp"
#include "actors/map_reduce_master/map_reduce_master.hpp"
#include "tests/support/actor_world.hpp"
#include "tests/support/classic_packages.hpp"
#include "work/history/job_history_files.hpp"

namespace {

using namespace heddle;
using Clock = std::chrono::steady_clock;

constexpr ApplicationId application{1000, 1};
constexpr std::int64_t start_time = 1'700'000'000'000;

class NoOutput final : public ports::OutputCommit {
public:
  Result<Done> set_up(const std::string&, const std::vector<std::string>&, std::int32_t) override { return Done{}; }
  Result<ports::OutputCommitted> commit(const std::vector<OutputWinners>&, std::int32_t) override {
    return ports::OutputCommitted{};
  }
  Result<ports::CommitState> recover(const std::vector<std::string>&, std::int32_t) override {
    return ports::CommitState::not_committed;
  }
  Result<ports::OutputRecovered> recover_tasks(const std::vector<std::string>&, std::int32_t,
                                               const std::vector<std::string>&) override {
    return ports::OutputRecovered{};
  }
  Result<Done> abort(const std::vector<std::string>&, std::int32_t) override { return Done{}; }
  Result<Done> abort_attempt(const std::string&, std::int32_t, const std::string&) override { return Done{}; }
};

class AtOnce final : public ports::Background {
public:
  void run(std::function<void()> work) override { work(); }
};

/// What a first master has written: each map with one attempt and the counters of a streaming job.
std::vector<history::Event> history_of(std::int32_t maps) {
  std::vector<history::Event> events;
  events.emplace_back(history::JobSubmitted{application, "words", "me", start_time, "", "default"});
  events.emplace_back(history::JobInited{application, start_time, maps, 1});
  TaskOutcome outcome;
  outcome.records_read = outcome.bytes_read = 1'000'000;
  for (std::size_t i = 0; i < task_counter_names.size(); ++i)
    set_counter(outcome.task_counters, static_cast<TaskCounter>(i), 123'456'789);
  const auto counters = actors::history_counters(outcome);
  for (std::int32_t map = 0; map < maps; ++map) {
    const history::TaskName task{application, false, map};
    const history::AttemptName attempt{task, 0};
    const std::string host = "host-" + std::to_string(map % 1000);
    const MapOutputLocation place{NodeId{map % 1000}, Epoch{1}, host, host + ":13562", "/data/application/shuffle"};
    events.emplace_back(history::TaskStarted{task, AttemptType::map, start_time, host});
    events.emplace_back(history::AttemptStarted{attempt,
                                                AttemptType::map,
                                                start_time,
                                                host + ":4444",
                                                -1,
                                                -1,
                                                {{application, 1}, ContainerId{map + 2}},
                                                "NODE_LOCAL",
                                                "VIRGIN"});
    events.emplace_back(history::MapAttemptFinished{attempt, AttemptType::map, start_time + 1, start_time + 1, host, -1,
                                                    "/default-rack", actors::place_text(place), counters});
    events.emplace_back(history::TaskFinished{task, AttemptType::map, start_time + 1, counters, attempt});
  }
  return events;
}

bool has_asks(const tests::Peer& cluster) {
  const auto requests = cluster.all<AllocateRequest>();
  return std::any_of(requests.begin(), requests.end(), [](const auto& request) { return !request.asks.empty(); });
}

/// Seconds until the second master requests a container; negative if it does not.
double take_over(ports::JobHistory& files, const ports::JobHistoryFile& file, std::int32_t maps) {
  NoOutput commit;
  AtOnce background;
  tests::ActorWorld world;
  auto& cluster = world.peer("rm:1");
  auto& client = world.peer("client");
  SubmitJob job;
  job.package = tests::map_reduce_package(std::vector<std::vector<std::string>>(static_cast<std::size_t>(maps)), 1);
  job.earlier_drivers = 1;
  actors::MapReduceMasterStart start;
  start.attempt = {application, 2};
  start.resource_manager_address = "rm:1";
  start.address = "master:1";
  start.map = start.reduce = {512, 1};
  start.history.folder = file.folder;
  start.history.format = file.format;
  actors::MapReduceMasterPorts ports;
  ports.commit = &commit;
  ports.background = &background;
  ports.history = &files;
  auto tools = world.tools();
  tools.checks_invariants = false;
  const auto begun = Clock::now();
  const auto master = world.adopt(actors::spawn_map_reduce_master(world.system(), start, tools, ports));
  world.settle();
  world.say(world.peer("application"), master, StartAllocating{{8192, 4}, "secret"});
  world.say(client, master, std::move(job));
  for (std::int32_t answer = 1; answer <= 3 && !has_asks(cluster); ++answer) {
    AllocateResponse response;
    response.response_id = answer;
    response.cluster_nodes = 1000;
    response.headroom = {8192, 4};
    world.say(cluster, master, response);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  return has_asks(cluster) ? seconds : -1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::int32_t maps = argc > 1 ? std::atoi(argv[1]) : 10'000;
  const auto folder = std::filesystem::temp_directory_path() / "heddle-recovery-benchmark";
  const auto events = history_of(maps);
  bool is_good = true;
  for (int round = 0; round < 3; ++round)
    for (const auto format : {ports::JobHistoryFormat::avro_json, ports::JobHistoryFormat::avro_binary}) {
      work::JobHistoryFiles files;
      const ports::JobHistoryFile file{application, format, folder.string(), "me", "words", start_time};
      is_good = is_good && files.begin(file) && files.append(application, events) && files.close(application);
      const double seconds = take_over(files, file, maps);
      is_good = is_good && seconds >= 0;
      std::printf("second_master_%s %.0f ms\n", format == ports::JobHistoryFormat::avro_json ? "json" : "binary",
                  seconds * 1e3);
    }
  std::filesystem::remove_all(folder);
  return is_good ? 0 : 1;
}
