// A SlotTaskRunner with real slot threads in a folder of its own, the functions that its tasks call, and words for what
// a test hands in and waits for: stages, shuffles, reports. Waiting is on reports only.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ports/output_commit.hpp"
#include "tests/support/scratch_folder.hpp"
#include "work/shuffle/shuffle_index.hpp"
#include "work/tasks/slot_task_runner.hpp"
#include "work/tasks/task_context.hpp"

namespace heddle::work {

class RealClock final : public ports::Clock {
public:
  [[nodiscard]] Instant now() const override {
    return Instant{std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch())};
  }
};

/// Hands out the files of the map outputs as they stand.
class LocalFetch final : public ports::ShuffleFetch {
public:
  bool fetch(const ports::FetchRequest& request, const std::function<bool(ports::FetchedSegment)>& on_segment,
             ports::FetchFailure& failure) override {
    const auto& [locations, partition, stop] = request;
    for (std::size_t map = 0; map < locations.place_of_map.size(); ++map) {
      if (locations.place_of_map[map] == ports::ShuffleLocations::not_wanted ||
          locations.place_of_map[map] == ports::ShuffleLocations::expected)
        continue;
      const auto& place = locations.places[static_cast<std::size_t>(locations.place_of_map[map])];
      auto index = read_shuffle_index(place.directory, locations.shuffle, static_cast<std::int32_t>(map));
      if (!index) {
        failure = {static_cast<std::int32_t>(map), place, index.error().text, is_lost};
        if (on_failure) on_failure();
        return false;
      }
      ports::FetchedSegment segment;
      segment.map = static_cast<std::int32_t>(map);
      segment.path = index->data_path;
      segment.offset = index->offsets[static_cast<std::size_t>(partition)];
      segment.length = index->length(partition);
      {
        const std::lock_guard lock{mutex_};
        fetched.push_back(segment.map);
      }
      if (!on_segment(std::move(segment))) return false;
    }
    if (on_fetched) on_fetched();
    return true;
  }
  bool is_lost = true;  // what a failure says about the output
  std::function<void()> on_failure;
  std::function<void()> on_fetched;   // called at the end of each fetch without failure
  std::vector<std::int32_t> fetched;  // maps, in order; read it while no task fetches

private:
  std::mutex mutex_;  // tasks of several slots fetch at the same time
};

/// Collects reports; waits for a number of ends.
class Reports {
public:
  void add(std::vector<ports::TaskReport> reports) {
    const std::lock_guard lock{mutex_};
    ++batches;
    for (auto& report : reports) {
      if (report.outcome.state != TaskState::running) ends.push_back(std::move(report));
      else if (report.outcome.text.empty()) running.push_back(report.index);
      else waits.push_back(report.outcome.text);
    }
    changed_.notify_all();
  }
  void wait_for_ends(std::size_t count) {
    std::unique_lock lock{mutex_};
    BOOST_REQUIRE(changed_.wait_for(lock, std::chrono::seconds{60}, [&] { return ends.size() >= count; }));
  }
  void wait_for_running(std::size_t count) {
    std::unique_lock lock{mutex_};
    BOOST_REQUIRE(changed_.wait_for(lock, std::chrono::seconds{60}, [&] { return running.size() >= count; }));
  }
  /// Attempts that the processor makes wait for a report interval are reported as running too.
  void wait_for_running_task(std::int32_t index) {
    std::unique_lock lock{mutex_};
    BOOST_REQUIRE(changed_.wait_for(lock, std::chrono::seconds{60},
                                    [&] { return std::find(running.begin(), running.end(), index) != running.end(); }));
  }
  std::vector<ports::TaskReport> ends;
  std::vector<std::int32_t> running;
  std::vector<std::string> waits;
  std::size_t batches = 0;

private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

inline void do_nothing(TaskContext&) {}
inline void throw_sometimes(TaskContext& task) {
  if (task.index() % 1000 == 7 && task.attempt() == 0) throw std::runtime_error{"as asked"};
}
inline void wait_until_killed(TaskContext& task) {
  while (!task.is_killed()) std::this_thread::yield();
}
inline void wait_if_first(TaskContext& task) {
  if (task.index() == 0) wait_until_killed(task);
}
inline void count_words(TaskContext& task) {
  std::map<std::string, int> counts;
  for (std::string_view line : task.lines()) {
    std::istringstream words{std::string{line}};
    for (std::string word; words >> word;) ++counts[word];
  }
  for (const auto& [word, count] : counts) task.emit(word, std::to_string(count));
  task.add_to_counter("words", "distinct", static_cast<std::int64_t>(counts.size()));
}
inline void throw_after_a_line(TaskContext& task) {
  task.emit("a line");
  throw std::runtime_error{"the table has no row"};
}
inline void throw_a_number(TaskContext&) { throw 7; }
inline void say_devices(TaskContext& task) {
  for (const auto& address : task.devices("gpu")) task.emit(address);
  if (!task.devices("fpga").empty()) throw std::runtime_error("nobody asked for it");
}
inline void read_and_wait(TaskContext& task) {
  for ([[maybe_unused]] std::string_view line : task.lines()) {}
  wait_until_killed(task);
}
inline void count_lines_and_wait(TaskContext& task) {
  for (const std::string_view line : task.lines()) {
    task.emit(line);
    task.add_to_counter("Mine", "lines", 1);
  }
  wait_until_killed(task);
}
inline void sum_counts(TaskContext& task) {
  std::map<std::string, std::int64_t> sums;
  for (const auto& record : task.records()) sums[std::string{record.key}] += std::stoll(std::string{record.value});
  for (const auto& [word, sum] : sums) task.emit(word, std::to_string(sum));
}

struct SlotTaskFixture {
  /// Tasks fetch by `other_fetch` where there is one.
  explicit SlotTaskFixture(std::int32_t slots = 2, const std::function<void(SlotTaskRunnerSettings&)>& change = {},
                           ports::ShuffleFetch* other_fetch = nullptr) {
    functions.add("do_nothing", do_nothing);
    functions.add("throw_sometimes", throw_sometimes);
    functions.add("wait_until_killed", wait_until_killed);
    functions.add("wait_if_first", wait_if_first);
    functions.add("count_words", count_words);
    functions.add("sum_counts", sum_counts);
    functions.add("say_devices", say_devices);
    functions.add("read_and_wait", read_and_wait);
    functions.add("count_lines_and_wait", count_lines_and_wait);
    functions.add("throw_after_a_line", throw_after_a_line);
    functions.add("throw_a_number", throw_a_number);
    SlotTaskRunnerSettings settings;
    settings.slots = slots;
    settings.work_directory = folder / "work";
    settings.log_directory = folder / "logs";
    settings.shuffle_writer.directory = folder / "shuffle";
    settings.kill_grace_ms = 20;
    if (change) change(settings);
    std::filesystem::create_directories(settings.work_directory);
    std::filesystem::create_directories(settings.shuffle_writer.directory);
    std::filesystem::create_directories(folder / "out/_temporary/1");  // the Driver's part of an output
    ports::ShuffleFetch& used = other_fetch != nullptr ? *other_fetch : fetch;
    runner = std::make_unique<SlotTaskRunner>(settings, functions, used, clock);
    runner->start([this](std::vector<ports::TaskReport> batch) { reports.add(std::move(batch)); });
  }
  ~SlotTaskFixture() { runner->stop(); }

  /// A map stage of one task over one line "b a b", with its output in shuffle `id`.
  StageProgram map_stage(std::int64_t id, TaskBody body) {
    const auto path = write_file("input.txt", "b a b\n");
    auto work = stage(id, {std::move(body)});
    TextInput input;
    input.paths = {path};
    work.inputs = {input};
    work.shuffle_output = ShuffleOutput{ShuffleId{id}, 1, {}};
    return work;
  }
  void run_map(const StageProgram& work) { run(work, 1, 0, {{0, {folder / "input.txt", 0, 6, {}}}}); }
  void place_shuffle(std::int64_t id, const std::filesystem::path& directory,
                     std::vector<std::int32_t> place_of_map = {0}) {
    ports::ShuffleLocations locations;
    locations.shuffle = ShuffleId{id};
    MapOutputLocation place;
    place.directory = directory;
    place.node = NodeId{id};
    locations.places = {place};
    locations.place_of_map = std::move(place_of_map);
    runner->set_locations(std::make_shared<const ports::ShuffleLocations>(locations));
  }
  /// A reduce stage of one task that copies these shuffles, of one map each.
  StageProgram reduce_stage(const std::vector<std::int64_t>& shuffles) {
    auto work = stage(100, {IdentityBody{}});
    for (const auto id : shuffles) {
      work.shuffle_inputs.emplace_back();
      work.shuffle_inputs.back().shuffle = ShuffleId{id};
      work.shuffle_inputs.back().maps = 1;
    }
    work.output.emplace();
    work.output->path = folder / "out";
    return work;
  }

  StageProgram stage(std::int64_t id, std::vector<TaskBody> bodies, std::int32_t tasks = 1) {
    StageProgram work;
    work.key = {JobId{0}, StageId{id}, 0};
    work.name = "stage";
    work.bodies = std::move(bodies);
    work.tasks = tasks;
    return work;
  }
  void run(const StageProgram& work, std::int32_t count, std::int32_t attempt = 0, std::vector<TaskSplit> splits = {}) {
    runner->load_stage(std::make_shared<const StageProgram>(work));
    runner->run({work.key, 0, count, attempt, std::move(splits)});
  }
  std::string write_file(const std::string& name, const std::string& content) { return scratch.write(name, content); }
  std::string part(const StageProgram& work, std::int32_t index) {
    const auto path = std::filesystem::path{work.output->path} / "_temporary/1/_temporary" /
                      ports::task_attempt_name(work.key, index, 0);
    std::string name = std::to_string(index);
    std::ifstream file{path / ("part-" + std::string(5 - name.size(), '0') + name)};
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  ScratchFolder scratch;
  std::filesystem::path folder = scratch.path();
  FunctionRegistry functions;
  LocalFetch fetch;
  RealClock clock;
  Reports reports;
  std::unique_ptr<SlotTaskRunner> runner;
};

inline CommandBody shell(const std::string& script) {
  CommandBody body;
  body.arguments = {"sh", "-c", script};
  return body;
}

}  // namespace heddle::work
