// Describes a job in C++: its stages and the edges between them, the same graph as a job file. Building reads no file;
// Session::run checks the inputs and runs the job.
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

/// Text input from files, folders and globs: one record per line, one task per split. Paths are relative to the working
/// folder. Set further fields of TextInput for other formats, split sizes in bytes, or folders inside folders
/// (`recursive`).
///   heddle::text("logs/*.gz")   heddle::text({"a.txt", "b.txt"})
[[nodiscard]] TextInput text(std::string path);
[[nodiscard]] TextInput text(std::initializer_list<std::string> paths);
[[nodiscard]] TextInput text(std::vector<std::string> paths);
/// Text input whose lines are split at their first separator into key and value: "a\t1" is key "a", value "1".
[[nodiscard]] TextInput key_value_text(std::string path, std::string separator = "\t");

/// Number of tasks of a stage without input. TaskContext::index() gives each task its number, 0 to count - 1.
struct Tasks {
  std::int32_t count = 1;
};
/// `count` tasks without input, at least 1.
[[nodiscard]] inline Tasks tasks(std::int32_t count) { return {count}; }

/// Names of parent stages: "count", or {"left", "right"}. A parent may be added to the job before or after its child.
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
/// One parent: heddle::after("count").
[[nodiscard]] inline After after(std::string stage) { return {std::move(stage)}; }

/// The work of a stage: one function or command, or a pipeline of several.
class Body {
public:
  /// A function registered with HEDDLE_TASK. TaskContext::argument() returns `argument`.
  Body(work::TaskFunction function) : Body{function, {}} {}  // NOLINT: implicit on purpose
  Body(work::TaskFunction function, std::string argument) : steps_{Call{function, std::move(argument)}} {}
  explicit Body(TaskBody body) : steps_{std::move(body)} {}
  /// The steps in the order in which records pass them. Errors: not_found for a function that is not registered, usage
  /// for a command without a program name or an empty pipeline.
  [[nodiscard]] Result<std::vector<TaskBody>> parts() const;

private:
  struct Call {
    work::TaskFunction function;
    std::string argument;
  };
  friend Body pipeline(const std::vector<Body>& bodies);
  std::vector<std::variant<Call, TaskBody>> steps_;
};
/// A registered function with an argument for all tasks of the stage, which TaskContext::argument() returns.
[[nodiscard]] Body function(work::TaskFunction function, std::string argument);
/// A function by the name under which HEDDLE_TASK registered it, or a built-in function (work/tasks/aggregate.hpp).
[[nodiscard]] Body function(std::string name, std::string argument = {});
/// A command: program name, then arguments. It reads records as lines on stdin and writes records as lines on stdout.
/// heddle starts it without a shell; for a shell write command({"sh", "-c", "…"}).
[[nodiscard]] Body command(std::vector<std::string> words);
/// Passes records through unchanged.
[[nodiscard]] Body unchanged();
/// Commands and functions in one task; each reads the output of the one before it.
[[nodiscard]] Body pipeline(const std::vector<Body>& bodies);

/// How a stage gathers the records of its parents by key.
struct ShuffleOptions {
  After after{};                // parent stages, at least one
  std::int32_t partitions = 1;  // number of tasks, at least 1; records with equal keys go to the same task
  /// Where the key of a line ends: its first `fields` fields. A record from emit(key, value) has its key already.
  KeyFormat key{};
  ShuffleDescription::Order order = ShuffleDescription::Order::sorted;  // by the bytes of the key
  std::optional<Body> combiner{};  // reduces the output of one map task before it is sent; may run several times
};

/// How a stage writes its output files.
struct SaveOptions {
  bool gzip = false;
  std::string prefix = "part-";  // of file names: part-00000, …; not empty, without "/"
  std::string separator = "\t";  // between key and value
};

/// Size of the tasks of a stage, and of the executors that run them.
struct StageResources {
  std::int32_t cores = 1;  // task slots per task, at least 1
  /// Memory per task in MiB; 0: no requirement. An executor divides its memory equally between its slots, and a task
  /// takes as many slots as its memory needs. Example: with 4 slots and 4096 MiB, a task of 1500 MiB takes 2 slots.
  std::int64_t memory_mib = 0;
  /// Size of the executors for stages with these values; such executors run no other stages. 0: from the settings.
  /// Needs heddle.dynamic_allocation.enabled on a cluster.
  std::int32_t executor_cores = 0;
  std::int64_t executor_memory_mib = 0;
};

/// Collects the stages of a job. Calls can be chained, because build() reports the first error. A copyable value.
class JobBuilder {
public:
  /// `name` is shown in the summary and in errors.
  explicit JobBuilder(std::string name);

  /// A stage that reads files, one task per split. `name` must be unique in the job.
  JobBuilder& stage(std::string name, TextInput input, Body body);
  JobBuilder& stage(std::string name, std::vector<TextInput> inputs, Body body);
  /// A stage without input, whose tasks produce records.
  JobBuilder& stage(std::string name, Tasks tasks, Body body);
  /// A stage that processes the records of one parent, partition by partition, in the same tasks as the parent.
  JobBuilder& stage(std::string name, After parent, Body body);
  /// A stage that gathers the records of its parents by key. If several stages gather the records of a parent with
  /// equal options, the parent runs once for all of them.
  JobBuilder& shuffle_stage(std::string name, ShuffleOptions options, Body body);

  /// The last added stage writes its records as lines to `folder`, which must not exist: part-00000, …, and _SUCCESS
  /// after all parts are complete.
  JobBuilder& save_text(std::string folder, SaveOptions options = {});
  /// Task and executor size of the last added stage.
  JobBuilder& resources(StageResources resources);
  /// Makes the last added stage a barrier stage: all its tasks run at the same time; if one fails, all run again.
  JobBuilder& barrier();
  /// The pool in which the job shares task slots with other jobs (heddle.scheduler.mode FAIR).
  JobBuilder& pool(std::string name);

  /// Returns the graph with parents before children. Otherwise the first error, usage or not_found, with the name of
  /// the stage. Example: "stage 'a': it has 0 tasks; at least 1 is required".
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
  std::string fault_;  // the first error; empty: none
};

}  // namespace heddle
