// Goal: every attempt handed in is reported once, with what became of it, in batches and in time.
// Method: real slot threads; waiting on reports only.
#include "work/slot_task_runner.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "ports/output_commit.hpp"
#include "work/shuffle_index.hpp"
#include "work/task_context.hpp"

namespace {

using namespace heddle;
using namespace heddle::work;

class RealClock final : public ports::Clock {
public:
  [[nodiscard]] Instant now() const override {
    return Instant{std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch())};
  }
};

/// Hands out the files of the map outputs as they stand.
class LocalFetch final : public ports::ShuffleFetch {
public:
  bool fetch(const ports::ShuffleLocations& locations, std::int32_t partition, const std::function<bool(ports::FetchedSegment)>& on_segment,
             ports::FetchFailure& failure) override {
    for (std::size_t map = 0; map < locations.place_of_map.size(); ++map) {
      if (locations.place_of_map[map] == ports::ShuffleLocations::not_wanted) continue;
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
      if (!on_segment(std::move(segment))) return false;
    }
    return true;
  }
  bool is_lost = true;  // what a failure says about the output
  std::function<void()> on_failure;
};

/// Collects reports; waits for a number of ends.
class Reports {
public:
  void add(std::vector<ports::TaskReport> reports) {
    const std::lock_guard lock{mutex_};
    ++batches;
    for (auto& report : reports) {
      if (report.outcome.state == TaskState::running) running.push_back(report.index);
      else ends.push_back(std::move(report));
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
  std::vector<ports::TaskReport> ends;
  std::vector<std::int32_t> running;
  std::size_t batches = 0;

private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

void do_nothing(TaskContext&) {}
void throw_sometimes(TaskContext& task) {
  if (task.index() % 1000 == 7 && task.attempt() == 0) throw std::runtime_error{"as asked"};
}
void wait_until_killed(TaskContext& task) {
  while (!task.is_killed()) std::this_thread::yield();
}
void wait_if_first(TaskContext& task) {
  if (task.index() == 0) wait_until_killed(task);
}
void count_words(TaskContext& task) {
  std::map<std::string, int> counts;
  for (std::string_view line : task.lines()) {
    std::istringstream words{std::string{line}};
    for (std::string word; words >> word;) ++counts[word];
  }
  for (const auto& [word, count] : counts) task.emit(word, std::to_string(count));
  task.add_to_counter("words", "distinct", static_cast<std::int64_t>(counts.size()));
}
void say_devices(TaskContext& task) {
  for (const auto& address : task.devices("gpu")) task.emit(address);
  if (!task.devices("fpga").empty()) throw std::runtime_error("nobody asked for it");
}
void read_and_wait(TaskContext& task) {
  for ([[maybe_unused]] std::string_view line : task.lines()) {}
  wait_until_killed(task);
}
void sum_counts(TaskContext& task) {
  std::map<std::string, std::int64_t> sums;
  for (const auto& record : task.records()) sums[std::string{record.key}] += std::stoll(std::string{record.value});
  for (const auto& [word, sum] : sums) task.emit(word, std::to_string(sum));
}

struct Fixture {
  explicit Fixture(std::int32_t slots = 2, const std::function<void(SlotTaskRunnerSettings&)>& change = {}) {
    folder = std::filesystem::temp_directory_path() / ("heddle-slots-" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    functions.add("do_nothing", do_nothing);
    functions.add("throw_sometimes", throw_sometimes);
    functions.add("wait_until_killed", wait_until_killed);
    functions.add("wait_if_first", wait_if_first);
    functions.add("count_words", count_words);
    functions.add("sum_counts", sum_counts);
    functions.add("say_devices", say_devices);
    functions.add("read_and_wait", read_and_wait);
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
    runner = std::make_unique<SlotTaskRunner>(settings, functions, fetch, clock);
    runner->start([this](std::vector<ports::TaskReport> batch) { reports.add(std::move(batch)); });
  }
  ~Fixture() {
    runner->stop();
    std::filesystem::remove_all(folder);
  }

  /// A map stage of one task over one line "b a b", with its output in shuffle `id`.
  StageWork map_stage(std::int64_t id, TaskBody body) {
    const auto path = write_file("input.txt", "b a b\n");
    auto work = stage(id, {std::move(body)});
    TextInput input;
    input.paths = {path};
    work.inputs = {input};
    work.shuffle_output = ShuffleOutput{ShuffleId{id}, 1, {}};
    return work;
  }
  void run_map(const StageWork& work) { run(work, 1, 0, {{0, {folder / "input.txt", 0, 6, {}}}}); }
  void place_shuffle(std::int64_t id, const std::filesystem::path& directory) {
    ports::ShuffleLocations locations;
    locations.shuffle = ShuffleId{id};
    MapOutputLocation place;
    place.directory = directory;
    place.node = NodeId{id};
    locations.places = {place};
    locations.place_of_map = {0};
    runner->set_locations(std::make_shared<const ports::ShuffleLocations>(locations));
  }
  /// A reduce stage of one task that copies these shuffles, of one map each.
  StageWork reduce_stage(const std::vector<std::int64_t>& shuffles) {
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

  StageWork stage(std::int64_t id, std::vector<TaskBody> bodies, std::int32_t tasks = 1) {
    StageWork work;
    work.key = {JobId{0}, StageId{id}, 0};
    work.name = "stage";
    work.bodies = std::move(bodies);
    work.tasks = tasks;
    return work;
  }
  void run(const StageWork& work, std::int32_t count, std::int32_t attempt = 0, std::vector<TaskSplit> splits = {}) {
    runner->install_stage(std::make_shared<const StageWork>(work));
    runner->run({work.key, 0, count, attempt, std::move(splits)});
  }
  std::string write_file(const std::string& name, const std::string& content) {
    std::ofstream{folder / name} << content;
    return folder / name;
  }
  std::string part(const StageWork& work, std::int32_t index) {
    const auto path = std::filesystem::path{work.output->path} / "_temporary/1/_temporary" / ports::task_attempt_name(work.key, index, 0);
    std::string name = std::to_string(index);
    std::ifstream file{path / ("part-" + std::string(5 - name.size(), '0') + name)};
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::filesystem::path folder;
  FunctionRegistry functions;
  LocalFetch fetch;
  RealClock clock;
  Reports reports;
  std::unique_ptr<SlotTaskRunner> runner;
};

CommandBody shell(const std::string& script) {
  CommandBody body;
  body.arguments = {"sh", "-c", script};
  return body;
}

// TSM-15 needs it: records read so far, and for how long.
BOOST_AUTO_TEST_CASE(an_attempt_that_runs_says_how_many_records_it_has_read) {
  Fixture f{1};
  BOOST_TEST(f.runner->running().empty());
  const auto work = f.map_stage(1, FunctionBody{"read_and_wait"});
  f.run_map(work);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (f.runner->running().empty() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  const auto running = f.runner->running();
  BOOST_REQUIRE(running.size() == 1U);
  BOOST_TEST((running[0].stage == work.key));
  BOOST_TEST(running[0].index == 0);
  BOOST_TEST(running[0].records == 1);
  BOOST_TEST(running[0].run_us >= 0);
  f.runner->kill(work.key, 0, 0, "enough");
  f.reports.wait_for_ends(1);
  BOOST_TEST(f.runner->running().empty());
}

BOOST_AUTO_TEST_CASE(every_attempt_of_a_large_range_is_reported_once_in_batches) {
  Fixture f;
  constexpr std::int32_t count = 200'000;
  const auto begin = std::chrono::steady_clock::now();
  f.run(f.stage(1, {FunctionBody{"do_nothing"}}, count), count);
  f.reports.wait_for_ends(count);
  const auto took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  BOOST_TEST_MESSAGE("no-op tasks per second: " << count / took);
  std::vector<int> seen(count, 0);
  for (const auto& end : f.reports.ends) {
    ++seen[static_cast<std::size_t>(end.index)];
    BOOST_REQUIRE(end.outcome.state == TaskState::finished);
  }
  BOOST_TEST((std::count(seen.begin(), seen.end(), 1) == count));
  BOOST_TEST(f.reports.batches < static_cast<std::size_t>(count / 20));
}

BOOST_AUTO_TEST_CASE(exactly_the_tasks_that_throw_fail_with_their_text) {
  Fixture f;
  f.run(f.stage(1, {FunctionBody{"throw_sometimes"}}, 5000), 5000);
  f.reports.wait_for_ends(5000);
  int failed = 0;
  for (const auto& end : f.reports.ends) {
    if (end.outcome.state != TaskState::failed) continue;
    ++failed;
    BOOST_TEST(end.index % 1000 == 7);
    BOOST_TEST((end.outcome.failure == FailureKind::exception));
    BOOST_TEST(end.outcome.text == "as asked");
  }
  BOOST_TEST(failed == 5);
}

BOOST_AUTO_TEST_CASE(a_long_task_delays_nobody_and_is_reported_as_running) {
  Fixture f;
  const auto work = f.stage(1, {FunctionBody{"wait_if_first"}}, 1000);
  f.run(work, 1000);
  f.reports.wait_for_ends(999);
  f.reports.wait_for_running(1);
  BOOST_TEST(f.reports.running[0] == 0);
  f.runner->kill(work.key, 0, 0, "enough");
  f.reports.wait_for_ends(1000);
  BOOST_TEST((f.reports.ends.back().outcome.state == TaskState::killed));
  BOOST_TEST(f.reports.ends.back().outcome.text == "enough");
}

BOOST_AUTO_TEST_CASE(queued_attempts_can_be_taken_back_from_the_end_and_killed) {
  Fixture f{1};
  const auto work = f.stage(1, {FunctionBody{"wait_if_first"}}, 10);
  f.run(work, 10);
  f.reports.wait_for_running(1);
  const auto back = f.runner->retract(4);
  BOOST_REQUIRE(back.size() == 1U);
  BOOST_TEST(back[0].first_index == 6);
  BOOST_TEST(back[0].count == 4);
  f.runner->kill(work.key, 3, 0, "other attempt won");
  f.reports.wait_for_ends(1);
  BOOST_TEST(f.reports.ends[0].index == 3);
  f.runner->kill(work.key, 0, 0, "enough");
  f.reports.wait_for_ends(6);
  std::vector<int> order;
  for (const auto& end : f.reports.ends) order.push_back(end.index);
  BOOST_TEST(order == (std::vector<int>{3, 0, 1, 2, 4, 5}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(all_attempts_can_be_dropped_and_slots_go_on_with_others) {
  Fixture f;
  f.run(f.stage(1, {FunctionBody{"wait_until_killed"}}, 10), 10);
  f.reports.wait_for_running(2);
  f.runner->drop_all("nobody waits for them");
  f.run(f.stage(2, {FunctionBody{"do_nothing"}}, 10), 10);
  const auto of_second = [&f] {
    return std::count_if(f.reports.ends.begin(), f.reports.ends.end(), [](const auto& end) { return end.stage.stage.value == 2; });
  };
  f.reports.wait_for_ends(12);  // what ran says that it was killed; what waited says nothing
  BOOST_TEST(of_second() == 10);
  BOOST_TEST(f.reports.ends.size() == 12U);
}

BOOST_AUTO_TEST_CASE(commands_know_who_they_are_and_say_how_they_ended) {
  Fixture f;
  auto work = f.stage(
      1, {shell("echo $HEDDLE_TASK_INDEX of $HEDDLE_TASK_COUNT try $HEDDLE_TASK_ATTEMPT; echo no >&2; exit $HEDDLE_TASK_INDEX")}, 3);
  work.keep_standard_output = true;
  f.run(work, 3, 2);
  f.reports.wait_for_ends(3);
  for (const auto& end : f.reports.ends) {
    BOOST_TEST(end.outcome.exit_code == end.index);
    BOOST_TEST(end.outcome.standard_error == "no\n");
    std::ifstream log{f.folder / "logs/1.0" / (std::to_string(end.index) + ".2.stdout")};
    std::string line;
    std::getline(log, line);
    BOOST_TEST(line == std::to_string(end.index) + " of 3 try 2");
    BOOST_TEST((end.outcome.state == (end.index == 0 ? TaskState::finished : TaskState::failed)));
  }
}

BOOST_AUTO_TEST_CASE(tasks_know_the_addresses_of_the_devices_that_they_hold) {
  Fixture f;
  const std::vector<TaskBody> bodies{shell("echo $HEDDLE_DEVICES_GPU $HEDDLE_DEVICES_MY_CARD_2"), FunctionBody{"say_devices"}};
  for (std::int64_t id = 1; id <= 2; ++id) {
    auto work = f.stage(id, {bodies[static_cast<std::size_t>(id - 1)]}, 2);
    work.keep_standard_output = true;
    f.runner->install_stage(std::make_shared<const StageWork>(work));
    f.runner->run({work.key, 0, 2, 0, {}, {{{{"gpu", {"0", "1"}}, {"my-card.2", {"x"}}}}, {{{"gpu", {"2", "3"}}}}}});
  }
  f.reports.wait_for_ends(4);
  for (const auto& end : f.reports.ends) BOOST_TEST((end.outcome.state == TaskState::finished), end.outcome.text);
  const auto said = [&f](const std::string& name) {
    std::stringstream text;
    text << std::ifstream{f.folder / "logs" / name}.rdbuf();
    return text.str();
  };
  BOOST_TEST(said("1.0/0.0.stdout") == "0,1 x\n");
  BOOST_TEST(said("1.0/1.0.stdout") == "2,3\n");
  BOOST_TEST(said("2.0/0.0.stdout") == "0\n1\n");
  BOOST_TEST(said("2.0/1.0.stdout") == "2\n3\n");
}

BOOST_AUTO_TEST_CASE(a_running_command_is_killed_with_its_group) {
  Fixture f;
  const auto work = f.stage(1, {shell("trap '' TERM; sleep 1000 & wait; sleep 1000")});
  f.run(work, 1);
  f.reports.wait_for_running(1);
  f.runner->kill(work.key, 0, 0, "cancelled");
  f.reports.wait_for_ends(1);
  BOOST_TEST((f.reports.ends[0].outcome.state == TaskState::killed));
}

BOOST_AUTO_TEST_CASE(words_are_counted_through_a_shuffle_by_functions_and_by_commands) {
  const std::string text = "b a b\nc a b\n";
  for (const bool by_commands : {false, true}) {
    Fixture f;
    const auto path = f.write_file("input.txt", text);
    ShuffleDescription shuffle;
    auto map = f.stage(1, {}, 2);
    map.bodies = {by_commands ? TaskBody{shell("tr -s ' ' '\\n'")} : TaskBody{FunctionBody{"count_words"}}};
    TextInput input;
    input.paths = {path};
    map.inputs = {input};
    map.shuffle_output = ShuffleOutput{ShuffleId{5}, 2, shuffle};
    f.run(map, 2, 0, {{0, {path, 0, 6, {}}}, {0, {path, 6, 6, {}}}});
    f.reports.wait_for_ends(2);
    for (const auto& end : f.reports.ends) BOOST_REQUIRE_MESSAGE(end.outcome.state == TaskState::finished, end.outcome.text);

    ports::ShuffleLocations locations;
    locations.shuffle = ShuffleId{5};
    MapOutputLocation place;
    place.directory = f.folder / "shuffle";
    locations.places = {place};
    locations.place_of_map = {0, 0};
    f.runner->set_locations(std::make_shared<const ports::ShuffleLocations>(locations));
    auto reduce = f.stage(2, {}, 2);
    reduce.bodies = {by_commands ? TaskBody{shell("uniq -c | sed 's/ *\\([0-9]*\\) \\(.*\\)/\\2\\t\\1/'")}
                                 : TaskBody{FunctionBody{"sum_counts"}}};
    reduce.shuffle_inputs.resize(1);
    reduce.shuffle_inputs[0].shuffle = ShuffleId{5};
    reduce.shuffle_inputs[0].maps = 2;
    reduce.output.emplace();
    reduce.output->path = f.folder / "out";
    f.run(reduce, 2);
    f.reports.wait_for_ends(4);
    for (const auto& end : f.reports.ends) BOOST_REQUIRE_MESSAGE(end.outcome.state == TaskState::finished, end.outcome.text);
    std::vector<std::string> lines;
    for (int i = 0; i < 2; ++i) {
      std::istringstream part{f.part(reduce, i)};
      for (std::string line; std::getline(part, line);) lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
    BOOST_TEST(lines == (std::vector<std::string>{"a\t2", "b\t3", "c\t1"}), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_missing_map_output_is_a_fetch_failure_that_names_it) {
  Fixture f;
  auto reduce = f.stage(2, {IdentityBody{}}, 1);
  reduce.shuffle_inputs.resize(1);
  reduce.shuffle_inputs[0].shuffle = ShuffleId{9};
  reduce.shuffle_inputs[0].maps = 1;
  ports::ShuffleLocations locations;
  locations.shuffle = ShuffleId{9};
  MapOutputLocation place;
  place.directory = f.folder / "nowhere";
  place.node = NodeId{4};
  locations.places = {place};
  locations.place_of_map = {0};
  f.runner->set_locations(std::make_shared<const ports::ShuffleLocations>(locations));
  f.run(reduce, 1);
  f.reports.wait_for_ends(1);
  const auto& outcome = f.reports.ends[0].outcome;
  BOOST_TEST((outcome.failure == FailureKind::fetch_failed));
  BOOST_TEST(outcome.failed_map == 0);
  BOOST_TEST((outcome.failed_shuffle == ShuffleId{9}));
  BOOST_TEST((outcome.failed_at.node == NodeId{4}));
}

BOOST_AUTO_TEST_CASE(a_map_output_that_has_moved_is_read_from_its_new_place) {
  Fixture f;
  f.run_map(f.map_stage(5, IdentityBody{}));
  f.reports.wait_for_ends(1);
  f.place_shuffle(5, f.folder / "nowhere");
  f.fetch.on_failure = [&f] { f.place_shuffle(5, f.folder / "shuffle"); };
  const auto reduce = f.reduce_stage({5});
  f.run(reduce, 1);
  f.reports.wait_for_ends(2);
  BOOST_TEST((f.reports.ends[1].outcome.state == TaskState::finished), f.reports.ends[1].outcome.text);
  BOOST_TEST(f.reports.ends[1].outcome.records_read == 1);
}

BOOST_AUTO_TEST_CASE(a_broken_map_output_of_the_second_input_is_named_by_its_own_shuffle) {
  Fixture f;
  for (const std::int64_t id : {5, 6}) {
    f.run_map(f.map_stage(id, shell("tr ' ' '\\n'")));
    f.reports.wait_for_ends(static_cast<std::size_t>(id - 4));
    f.place_shuffle(id, f.folder / "shuffle");
  }
  const auto index = read_shuffle_index(f.folder / "shuffle", ShuffleId{6}, 0);
  BOOST_REQUIRE(index);
  std::fstream file{index->data_path, std::ios::in | std::ios::out | std::ios::binary};
  file.seekp(index->offsets.back() - 1);
  file.put('#');
  file.close();
  f.run(f.reduce_stage({5, 6}), 1);
  f.reports.wait_for_ends(3);
  const auto& outcome = f.reports.ends[2].outcome;
  BOOST_TEST((outcome.failure == FailureKind::fetch_failed), outcome.text);
  BOOST_TEST((outcome.failed_shuffle == ShuffleId{6}));
  BOOST_TEST(outcome.failed_map == 0);
  BOOST_TEST((outcome.failed_at.node == NodeId{6}));
}

BOOST_AUTO_TEST_CASE(a_fetch_that_fails_for_want_of_something_here_loses_no_map_output) {
  Fixture f;
  f.fetch.is_lost = false;
  f.place_shuffle(5, f.folder / "nowhere");
  f.run(f.reduce_stage({5}), 1);
  f.reports.wait_for_ends(1);
  BOOST_TEST((f.reports.ends[0].outcome.failure == FailureKind::input));
}

BOOST_AUTO_TEST_CASE(a_combiner_works_on_what_is_shuffled_and_its_failure_fails_the_attempt) {
  for (const bool fails : {false, true}) {
    Fixture f;
    auto map = f.map_stage(5, shell("tr ' ' '\\n'"));
    map.shuffle_output->description.combiner = shell(fails ? "cat; echo no idea >&2; exit 3" : "uniq");
    f.run_map(map);
    f.reports.wait_for_ends(1);
    const auto& outcome = f.reports.ends[0].outcome;
    if (fails) {
      BOOST_TEST((outcome.failure == FailureKind::shuffle_write));
      BOOST_TEST(outcome.text.find("combiner: sh exited with code 3: no idea") != std::string::npos, outcome.text);
      BOOST_TEST(!read_shuffle_index(f.folder / "shuffle", ShuffleId{5}, 0).has_value());
      continue;
    }
    BOOST_REQUIRE_MESSAGE(outcome.state == TaskState::finished, outcome.text);
    f.place_shuffle(5, f.folder / "shuffle");
    const auto reduce = f.reduce_stage({5});
    f.run(reduce, 1);
    f.reports.wait_for_ends(2);
    BOOST_TEST(f.part(reduce, 0) == "a\nb\n");
  }
}

BOOST_AUTO_TEST_CASE(a_slow_host_holds_its_tasks_until_their_time_has_passed) {
  Fixture f{1, [](SlotTaskRunnerSettings& settings) { settings.slowness = 5.0; }};
  f.run(f.stage(1, {shell("sleep 0.02")}), 1);
  f.reports.wait_for_ends(1);
  BOOST_TEST(f.reports.ends[0].outcome.run_us >= 100'000);
}

BOOST_AUTO_TEST_CASE(what_attempts_say_is_kept_in_files_that_are_bounded) {
  Fixture f{1, [](SlotTaskRunnerSettings& settings) { settings.log_bytes_max = 1000; }};
  auto work = f.stage(1, {shell("head -c 5000 /dev/zero | tr '\\0' x; echo err >&2; exit 1")});
  work.keep_standard_output = true;
  f.run(work, 1);
  f.reports.wait_for_ends(1);
  std::stringstream text;
  text << std::ifstream{f.folder / "logs/1.0/0.0.stdout"}.rdbuf();
  BOOST_TEST(text.str().size() < 1200U);
  BOOST_TEST(text.str().find("output cut off here") != std::string::npos);
  BOOST_TEST(std::filesystem::file_size(f.folder / "logs/1.0/0.0.stderr") == 4U);
}

BOOST_AUTO_TEST_CASE(bodies_are_piped_one_into_the_next) {
  Fixture f;
  const auto path = f.write_file("input.txt", "b a b\n");
  auto work = f.stage(1, {shell("tr ' ' '\\n'"), IdentityBody{}, FunctionBody{"count_words"}, shell("sort -r")});
  TextInput input;
  input.paths = {path};
  work.inputs = {input};
  work.output.emplace();
  work.output->path = f.folder / "out";
  f.run(work, 1, 0, {{0, {path, 0, 6, {}}}});
  f.reports.wait_for_ends(1);
  BOOST_REQUIRE_MESSAGE(f.reports.ends[0].outcome.state == TaskState::finished, f.reports.ends[0].outcome.text);
  BOOST_TEST(f.part(work, 0) == "b\t2\na\t1\n");
}

}  // namespace
