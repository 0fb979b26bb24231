#include "heddle/job_builder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/files/stage_order.hpp"

namespace heddle {
namespace {

Error wrong(const std::string& stage, const std::string& text) {
  return {Errc::usage, fmt::format("stage '{}': {}", stage, text)};
}

Result<Done> check_input(const TextInput& input) {
  if (input.paths.empty()) return Error{Errc::usage, "an input needs at least one path"};
  if (std::find(input.paths.begin(), input.paths.end(), "") != input.paths.end())
    return Error{Errc::usage, "an input path is empty"};
  return Done{};
}

/// A function must be registered in this program; a command needs a program name.
Result<Done> check_body(const TaskBody& body) {
  if (const auto* called = std::get_if<FunctionBody>(&body)) {
    if (auto found = work::FunctionRegistry::of_program().find(called->name); !found) return found.error();
  }
  const auto* command = std::get_if<CommandBody>(&body);
  if (command != nullptr && (command->arguments.empty() || command->arguments.front().empty()))
    return Error{Errc::usage, "a command needs at least the name of a program"};
  return Done{};
}

Result<Done> check_shuffle(const ShuffleDescription& shuffle, std::int32_t partitions) {
  if (partitions < 1)
    return Error{Errc::usage, fmt::format("a shuffle has {} partitions; at least 1 is required", partitions)};
  if (shuffle.key.separator.empty()) return Error{Errc::usage, "the separator of a key must not be empty"};
  if (shuffle.key.fields < 0)
    return Error{Errc::usage,
                 fmt::format("a key has {} fields; use 1 or more, or 0 for the whole line", shuffle.key.fields)};
  return Done{};
}

}  // namespace

TextInput text(std::string path) { return text(std::vector<std::string>{std::move(path)}); }

TextInput text(std::initializer_list<std::string> paths) { return text(std::vector<std::string>{paths}); }

TextInput text(std::vector<std::string> paths) {
  TextInput input;
  input.paths = std::move(paths);
  return input;
}

TextInput key_value_text(std::string path, std::string separator) {
  auto input = text(std::move(path));
  input.format = InputFormat::key_value;
  input.key_value_separator = std::move(separator);
  return input;
}

// -- bodies ------------------------------------------------------------------------

Result<std::vector<TaskBody>> Body::parts() const {
  std::vector<TaskBody> parts;
  for (const auto& step : steps_) {
    if (const auto* body = std::get_if<TaskBody>(&step)) {
      parts.push_back(*body);
    } else {
      const auto& call = std::get<Call>(step);
      auto name = work::FunctionRegistry::of_program().name_of(call.function);
      if (name.empty())
        return Error{Errc::not_found,
                     "the task function is not registered; add HEDDLE_TASK(NAME) after its definition"};
      parts.emplace_back(FunctionBody{std::move(name), call.argument});
    }
    if (auto checked = check_body(parts.back()); !checked) return checked.error();
  }
  if (parts.empty())
    return Error{Errc::usage, "the pipeline is empty; use heddle::unchanged() to pass records through"};
  return parts;
}

Body function(work::TaskFunction function, std::string argument) { return {function, std::move(argument)}; }

Body function(std::string name, std::string argument) {
  return Body{TaskBody{FunctionBody{std::move(name), std::move(argument)}}};
}

Body command(std::vector<std::string> words) {
  CommandBody body;
  body.arguments = std::move(words);
  return Body{TaskBody{std::move(body)}};
}

Body unchanged() { return Body{TaskBody{IdentityBody{}}}; }

Body pipeline(const std::vector<Body>& bodies) {
  Body all{TaskBody{IdentityBody{}}};
  all.steps_.clear();
  for (const auto& body : bodies) all.steps_.insert(all.steps_.end(), body.steps_.begin(), body.steps_.end());
  return all;
}

// -- stages ------------------------------------------------------------------------

JobBuilder::JobBuilder(std::string name) : name_{std::move(name)} {}

JobBuilder::Stage& JobBuilder::add(std::string name, Body body) {
  stages_.push_back(Stage{{}, {}, std::move(body), {}});
  stages_.back().description.name = std::move(name);
  return stages_.back();
}

JobBuilder& JobBuilder::stage(std::string name, TextInput input, Body body) {
  return stage(std::move(name), std::vector<TextInput>{std::move(input)}, std::move(body));
}

JobBuilder& JobBuilder::stage(std::string name, std::vector<TextInput> inputs, Body body) {
  auto& added = add(std::move(name), std::move(body));
  added.description.inputs = std::move(inputs);
  if (added.description.inputs.empty())
    blame(wrong(added.description.name, "it has no input; pass heddle::tasks(n) for a stage without input").text);
  return *this;
}

JobBuilder& JobBuilder::stage(std::string name, Tasks tasks, Body body) {
  auto& added = add(std::move(name), std::move(body));
  added.description.partitions = tasks.count;
  if (tasks.count < 1)
    blame(wrong(added.description.name, fmt::format("it has {} tasks; at least 1 is required", tasks.count)).text);
  return *this;
}

JobBuilder& JobBuilder::stage(std::string name, After parent, Body body) {
  auto& added = add(std::move(name), std::move(body));
  added.after = parent.names();
  if (added.after.size() != 1)
    blame(wrong(added.description.name,
                fmt::format("it has {} parents; a stage without a shuffle has exactly one", added.after.size()))
              .text);
  return *this;
}

JobBuilder& JobBuilder::shuffle_stage(std::string name, ShuffleOptions options, Body body) {
  auto& added = add(std::move(name), std::move(body));
  added.after = options.after.names();
  added.description.partitions = options.partitions;
  ShuffleDescription shuffle;
  shuffle.key = options.key;
  shuffle.order = options.order;
  shuffle.partitioner_separator = options.key.separator;
  shuffle.comparator_separator = options.key.separator;
  if (added.after.empty()) blame(wrong(added.description.name, "a shuffle stage needs a parent; set .after").text);
  if (auto checked = check_shuffle(shuffle, options.partitions); !checked)
    blame(wrong(added.description.name, checked.error().text).text);
  added.description.shuffle = std::move(shuffle);
  added.combiner = std::move(options.combiner);
  return *this;
}

JobBuilder& JobBuilder::save_text(std::string folder, SaveOptions options) {
  if (stages_.empty()) {
    blame("save_text() applies to the last added stage; add a stage first");
    return *this;
  }
  auto& description = stages_.back().description;
  if (folder.empty()) blame(wrong(description.name, "save_text() needs the name of a folder").text);
  if (description.output)
    blame(wrong(description.name, "it calls save_text() twice; a stage writes to one folder").text);
  if (options.prefix.empty() || options.prefix.find('/') != std::string::npos)
    blame(wrong(description.name, "the prefix of save_text() must not be empty or contain a slash").text);
  TextOutput output;
  output.path = std::move(folder);
  output.gzip = options.gzip;
  output.part_prefix = std::move(options.prefix);
  output.separator = std::move(options.separator);
  description.output = std::move(output);
  return *this;
}

JobBuilder& JobBuilder::resources(StageResources resources) {
  if (stages_.empty()) {
    blame("resources() applies to the last added stage; add a stage first");
    return *this;
  }
  auto& description = stages_.back().description;
  if (resources.cores < 1 || resources.memory_mib < 0)
    blame(wrong(description.name, fmt::format("a task of {} cores and {} MiB; use 1 or more cores, 0 or more MiB",
                                              resources.cores, resources.memory_mib))
              .text);
  if (resources.executor_cores < 0 || resources.executor_memory_mib < 0)
    blame(wrong(description.name, fmt::format("an executor of {} cores and {} MiB; use 0 or more of each",
                                              resources.executor_cores, resources.executor_memory_mib))
              .text);
  description.cores = resources.cores;
  description.memory_mib = resources.memory_mib;
  description.executor_cores = resources.executor_cores;
  description.executor_memory_mib = resources.executor_memory_mib;
  return *this;
}

JobBuilder& JobBuilder::barrier() {
  if (stages_.empty()) blame("barrier() applies to the last added stage; add a stage first");
  else stages_.back().description.barrier = true;
  return *this;
}

JobBuilder& JobBuilder::pool(std::string name) {
  pool_ = std::move(name);
  return *this;
}

void JobBuilder::blame(std::string text) {
  if (fault_.empty()) fault_ = std::move(text);
}

// -- the graph -----------------------------------------------------------------------

Result<Done> JobBuilder::check(const Stage& stage) const {
  if (stage.description.name.empty()) return Error{Errc::usage, "a stage needs a name"};
  for (const auto& input : stage.description.inputs)
    if (auto checked = check_input(input); !checked) return wrong(stage.description.name, checked.error().text);
  return Done{};
}

Result<JobGraph> JobBuilder::build() const {
  if (!fault_.empty()) return Error{Errc::usage, fault_};
  if (stages_.empty()) return Error{Errc::usage, fmt::format("the job '{}' has no stages", name_)};
  std::vector<config::NamedStage> named;
  for (const auto& stage : stages_) {
    if (auto checked = check(stage); !checked) return checked.error();
    const auto in_stage = [&stage](const Error& error, const char* what) {
      return Error{error.code, fmt::format("stage '{}': {}{}", stage.description.name, what, error.text)};
    };
    auto made = config::NamedStage{stage.description, stage.after};
    auto bodies = stage.body.parts();
    if (!bodies) return in_stage(bodies.error(), "");
    made.description.bodies = std::move(*bodies);
    if (stage.combiner) {
      auto combiner = stage.combiner->parts();
      if (!combiner) return in_stage(combiner.error(), "combiner: ");
      if (combiner->size() != 1) return wrong(stage.description.name, "a combiner is one function or one command");
      made.description.shuffle->combiner = std::move(combiner->front());
    }
    named.push_back(std::move(made));
  }
  JobGraph graph;
  graph.name = name_;
  graph.pool = pool_;
  const auto fault = config::order_stages(std::move(named), graph.stages);
  if (fault.kind != config::StageOrderFault::Kind::none) return Error{Errc::usage, fault.text};
  return graph;
}

}  // namespace heddle
