// A job in C++: stages and how they hang together. The same graph as a job file's; nothing is looked at or run before
// Session::run.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/job_graph.hpp"
#include "model/result.hpp"
#include "work/tasks/function_registry.hpp"

namespace heddle {

/// Files, folders and globs, a record a line, one task per split. More in the fields of TextInput.
[[nodiscard]] TextInput text(std::string path);
[[nodiscard]] TextInput text(std::initializer_list<std::string> paths);
[[nodiscard]] TextInput text(std::vector<std::string> paths);
/// The same, each line cut at its first separator into key and value.
[[nodiscard]] TextInput key_value_text(std::string path, std::string separator = "\t");

/// So many tasks that read nothing; each knows its number by TaskContext::index().
struct Tasks {
  std::int32_t count = 1;
};
[[nodiscard]] inline Tasks tasks(std::int32_t count) { return {count}; }

/// The names of earlier or later stages: "count", or {"left", "right"}.
class After {
public:
  After() = default;
  After(const char* stage) : names_{stage} {}             // NOLINT: implicit on purpose
  After(std::string stage) : names_{std::move(stage)} {}  // NOLINT: implicit on purpose
  After(std::initializer_list<const char*> names) : names_{names.begin(), names.end()} {}
  After(std::vector<std::string> names) : names_{std::move(names)} {}  // NOLINT: implicit on purpose
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

private:
  std::vector<std::string> names_;
};
[[nodiscard]] inline After after(std::string stage) { return {std::move(stage)}; }

/// What a stage does to its records.
class Body {
public:
  /// A function that HEDDLE_TASK has registered.
  Body(work::TaskFunction function) : Body{function, {}} {}  // NOLINT: implicit on purpose
  Body(work::TaskFunction function, std::string argument) : steps_{Call{function, std::move(argument)}} {}
  explicit Body(TaskBody body) : steps_{std::move(body)} {}
  /// Its parts in the order in which records pass them; an error names a function that is not registered.
  [[nodiscard]] Result<std::vector<TaskBody>> parts() const;

private:
  struct Call {
    work::TaskFunction function;
    std::string argument;
  };
  friend Body pipeline(const std::vector<Body>& bodies);
  std::vector<std::variant<Call, TaskBody>> steps_;
};
/// A registered function, or one by its name, and what its tasks read by TaskContext::argument().
[[nodiscard]] Body function(work::TaskFunction function, std::string argument);
[[nodiscard]] Body function(std::string name, std::string argument = {});
/// A command that is given records as lines on stdin and writes records as lines on stdout; no shell unless it is the
/// command.
[[nodiscard]] Body command(std::vector<std::string> words);
/// Records pass as they are.
[[nodiscard]] Body unchanged();
/// Commands and functions, each reading what the one before it wrote, within one task.
[[nodiscard]] Body pipeline(const std::vector<Body>& bodies);

/// How a stage gathers the records of others by key.
struct ShuffleOptions {
  After after{};
  std::int32_t partitions = 1;  // tasks; equal keys meet in one of them
  /// Lines of commands are cut here; of a function's emit(key, value) the key is the key.
  KeyFormat key{};
  ShuffleDescription::Order order = ShuffleDescription::Order::sorted;  // by key, as bytes
  std::optional<Body> combiner{};  // run over the records of one task before they travel; must not mind being run again
};

struct SaveOptions {
  bool gzip = false;
  std::string prefix = "part-";  // of the file's names: part-00000, …
  std::string separator = "\t";  // between a key and its value
};

/// What a stage's tasks take, and what the executors are that run them.
struct StageResources {
  std::int32_t cores = 1;  // slots that one task takes
  std::int64_t memory_mib =
      0;  // 0: not asked for; an executor's memory is its slots', evenly: a task takes as many as hold it
  // Of executors that are started for stages of this size and run no others; 0: as the settings say. Only where
  // executors come and go.
  std::int32_t executor_cores = 0;
  std::int64_t executor_memory_mib = 0;
};

/// Collects stages; what is wrong with them is told by build(), so that calls can be chained. A copyable value.
class JobBuilder {
public:
  explicit JobBuilder(std::string name);

  /// A stage that reads files, one task per split.
  JobBuilder& stage(std::string name, TextInput input, Body body);
  JobBuilder& stage(std::string name, std::vector<TextInput> inputs, Body body);
  /// A stage that makes its own records.
  JobBuilder& stage(std::string name, Tasks tasks, Body body);
  /// A stage that goes on with the records of one other, partition by partition, in the same tasks where it can.
  JobBuilder& stage(std::string name, After parent, Body body);
  /// A stage that gathers the records of others by key. A parent runs once for all that gather its records with equal
  /// options.
  JobBuilder& shuffle_stage(std::string name, ShuffleOptions options, Body body);

  /// The stage named last writes its records as lines into a folder that must not exist: part-00000, …, and _SUCCESS
  /// once all are there.
  JobBuilder& save_text(std::string folder, SaveOptions options = {});
  /// What a task of the stage named last takes.
  JobBuilder& resources(StageResources resources);
  /// The tasks of the stage named last run all at the same time; if one fails, all run again.
  JobBuilder& barrier();
  /// The fair pool that the job's tasks share slots in.
  JobBuilder& pool(std::string name);

  /// The graph, parents first; or the first thing that is wrong with it, as usage or not_found, and the stage where.
  [[nodiscard]] Result<JobGraph> build() const;
  [[nodiscard]] const std::string& name() const { return name_; }

private:
  struct Stage {
    StageDescription description;
    std::vector<std::string> after;
    Body body;
    std::optional<Body> combiner;
  };
  Stage& add(std::string name, Body body);
  [[nodiscard]] Result<Done> check(const Stage& stage) const;
  void blame(std::string text);

  std::string name_;
  std::string pool_;
  std::vector<Stage> stages_;
  std::string fault_;  // a call that came before any stage
};

}  // namespace heddle
