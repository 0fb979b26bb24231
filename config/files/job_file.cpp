#include "config/files/job_file.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "config/files/stage_order.hpp"
#include "config/files/toml_reader.hpp"
#include "config/text/text_file.hpp"
#include "config/text/units.hpp"

namespace heddle::config {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::array<std::string_view, 4> job_keys{"name", "pool", "settings", "stage"};
constexpr std::array<std::string_view, 16> stage_keys{
    "name",  "input",    "after",  "partitions", "tasks",  "shuffle", "command",        "environment",
    "files", "function", "output", "cores",      "memory", "barrier", "executor_cores", "executor_memory"};
constexpr std::array<std::string_view, 10> input_keys{
    "text",     "key_value", "lines", "xml", "begin", "end", "lines_per_split", "split_bytes_min", "split_bytes_max",
    "separator"};
constexpr std::array<std::string_view, 9> shuffle_keys{
    "key_fields", "separator",          "order",    "partitioner",      "partitioner_options",
    "comparator", "comparator_options", "combiner", "combiner_function"};
constexpr std::array<std::string_view, 3> output_keys{"text", "gzip", "prefix"};
constexpr std::array<std::string_view, 2> order_words{"none", "sorted"};
constexpr std::array<std::string_view, 2> partitioner_words{"hash", "key_field"};
constexpr std::array<std::string_view, 2> comparator_words{"bytes", "key_field"};

/// A stage and its table in the file.
struct FileStage {
  const toml::table* table = nullptr;
  NamedStage named;
};

std::optional<CommandBody> read_command(TomlReader& reader, const toml::node& node) {
  CommandBody body;
  const auto* array = node.as_array();
  if (array == nullptr) {
    reader.fail(node,
                "a command must be an array of texts: [\"grep\", \"-c\", \"x\"]; for a shell, [\"sh\", \"-c\", \"…\"]");
    return std::nullopt;
  }
  body.arguments = reader.texts_of(node, "command");
  if (body.arguments.empty() || body.arguments.front().empty()) {
    reader.fail(node, "a command needs at least the name of a program");
    return std::nullopt;
  }
  return body;
}

void read_commands(TomlReader& reader, const toml::node& node, StageDescription& stage) {
  const auto* array = node.as_array();
  const bool is_pipeline = array != nullptr && !array->empty() && array->front().is_array();
  if (!is_pipeline) {
    if (auto body = read_command(reader, node)) stage.bodies.emplace_back(std::move(*body));
    return;
  }
  for (const auto& element : *array)
    if (auto body = read_command(reader, element)) stage.bodies.emplace_back(std::move(*body));
}

void read_body(TomlReader& reader, const toml::table& table, StageDescription& stage) {
  const auto* command = table.get("command");
  const auto* function = table.get("function");
  if (command != nullptr && function != nullptr)
    reader.fail(*function, "a stage has a command or a function, not both");
  if (command != nullptr) read_commands(reader, *command, stage);
  if (function != nullptr) {
    for (auto& name : reader.texts(table, "function")) stage.bodies.emplace_back(FunctionBody{std::move(name)});
  }
  std::vector<std::pair<std::string, std::string>> environment;
  if (const auto* variables = reader.table(table, "environment"))
    for (const auto& [key, value] : *variables) environment.emplace_back(key.str(), reader.text(*variables, key.str()));
  const auto files = reader.texts(table, "files");
  for (auto& body : stage.bodies) {
    auto* words = std::get_if<CommandBody>(&body);
    if (words == nullptr) continue;
    words->environment = environment;
    words->files = files;
  }
  if (stage.bodies.empty()) stage.bodies.emplace_back(IdentityBody{});
}

TextInput read_input(TomlReader& reader, const toml::table& table) {
  constexpr std::array<std::pair<std::string_view, InputFormat>, 4> formats{{{"text", InputFormat::text},
                                                                             {"key_value", InputFormat::key_value},
                                                                             {"lines", InputFormat::n_line},
                                                                             {"xml", InputFormat::stream_xml}}};
  reader.check_keys(table, input_keys);
  TextInput input;
  int named = 0;
  for (const auto& [key, format] : formats) {
    if (table.get(key) == nullptr) continue;
    ++named;
    input.format = format;
    input.paths = reader.texts(table, key);
  }
  if (named != 1)
    reader.fail(table, "an input needs its paths under exactly one of the keys text, key_value, lines and xml");
  for (const auto& path : input.paths)
    if (path.empty()) reader.fail(table, "an input path is empty");
  if (named == 1 && input.paths.empty()) reader.fail(table, "an input needs at least one path");
  input.lines_per_split = reader.integer(table, "lines_per_split", 1, 1, count_max);
  input.split_bytes_min = reader.size(table, "split_bytes_min", 1, SettingUnit::bytes);
  input.split_bytes_max = reader.size(table, "split_bytes_max", INT64_MAX, SettingUnit::bytes);
  if (input.split_bytes_max == 0) reader.fail(table, "split_bytes_max must be at least 1");
  input.xml_begin = reader.text(table, "begin");
  input.xml_end = reader.text(table, "end");
  if (input.format == InputFormat::stream_xml && (input.xml_begin.empty() || input.xml_end.empty()))
    reader.fail(table, "an xml input needs begin and end");
  input.key_value_separator = reader.text(table, "separator", "\t");
  return input;
}

std::optional<TaskBody> read_combiner(TomlReader& reader, const toml::table& table) {
  if (const auto* command = table.get("combiner"))
    if (auto body = read_command(reader, *command)) return TaskBody{std::move(*body)};
  if (table.get("combiner_function") != nullptr) return TaskBody{FunctionBody{reader.text(table, "combiner_function")}};
  return std::nullopt;
}

ShuffleDescription read_shuffle(TomlReader& reader, const toml::table& table) {
  reader.check_keys(table, shuffle_keys);
  ShuffleDescription shuffle;
  shuffle.key.separator = reader.text(table, "separator", "\t");
  if (shuffle.key.separator.empty()) reader.fail(table, "separator must not be empty");
  shuffle.key.fields = static_cast<std::int32_t>(reader.integer(table, "key_fields", 1, 0, count_max));
  shuffle.order = static_cast<ShuffleDescription::Order>(reader.choice(table, "order", 1, order_words));
  shuffle.partitioner = static_cast<PartitionerKind>(reader.choice(table, "partitioner", 0, partitioner_words));
  shuffle.partitioner_options = reader.text(table, "partitioner_options");
  shuffle.partitioner_separator = shuffle.key.separator;
  shuffle.comparator = static_cast<ComparatorKind>(reader.choice(table, "comparator", 0, comparator_words));
  shuffle.comparator_options = reader.text(table, "comparator_options");
  shuffle.comparator_separator = shuffle.key.separator;
  shuffle.combiner = read_combiner(reader, table);
  return shuffle;
}

TextOutput read_output(TomlReader& reader, const toml::table& table) {
  reader.check_keys(table, output_keys);
  TextOutput output;
  output.path = reader.text(table, "text");
  if (output.path.empty()) reader.fail(table, "an output needs a folder under the key text");
  output.gzip = reader.flag(table, "gzip", false);
  output.part_prefix = reader.text(table, "prefix", "part-");
  if (output.part_prefix.empty() || output.part_prefix.find('/') != std::string::npos)
    reader.fail(table, "prefix must be a part of a file's name");
  return output;
}

FileStage read_stage(TomlReader& reader, const toml::table& table) {
  reader.check_keys(table, stage_keys);
  FileStage stage;
  stage.table = &table;
  auto& description = stage.named.description;
  description.name = reader.text(table, "name");
  if (description.name.empty()) reader.fail(table, "a stage needs a name");
  for (const auto* input : reader.tables(table, "input")) description.inputs.push_back(read_input(reader, *input));
  stage.named.after = reader.texts(table, "after");
  if (table.get("partitions") != nullptr && table.get("tasks") != nullptr)
    reader.fail(table, "partitions and tasks mean the same; use only one of them");
  const auto* count_key = table.get("tasks") != nullptr ? "tasks" : "partitions";
  description.partitions = static_cast<std::int32_t>(reader.integer(table, count_key, 0, 1, count_max));
  if (const auto* shuffle = reader.table(table, "shuffle")) description.shuffle = read_shuffle(reader, *shuffle);
  if (const auto* output = reader.table(table, "output")) description.output = read_output(reader, *output);
  description.cores = static_cast<std::int32_t>(reader.integer(table, "cores", 0, 1, 4096));
  description.memory_mib = reader.size(table, "memory", 0, SettingUnit::mib);
  description.executor_cores = static_cast<std::int32_t>(reader.integer(table, "executor_cores", 0, 1, 4096));
  description.executor_memory_mib = reader.size(table, "executor_memory", 0, SettingUnit::mib);
  description.barrier = reader.flag(table, "barrier", false);
  read_body(reader, table, description);
  return stage;
}

void check_stage(TomlReader& reader, const FileStage& stage) {
  const auto& [description, after] = stage.named;
  if (description.shuffle && after.empty()) reader.fail(*stage.table, "a shuffle needs parents: add after = [\"…\"]");
  if (!description.inputs.empty() && !after.empty())
    reader.fail(*stage.table, "a stage reads files (input) or other stages (after), not both");
  if (description.inputs.empty() && after.empty() && description.partitions == 0)
    reader.fail(*stage.table, "a stage needs input, after, or a number of tasks");
  if (!description.inputs.empty() && description.partitions != 0)
    reader.fail(*stage.table, "a stage with input has one task per split; its number cannot be set");
}

/// Returns the stages as a graph; reports an error at the stage or at its `after`.
std::vector<StageDescription> ordered_stages(TomlReader& reader, std::vector<FileStage> stages) {
  std::vector<const toml::table*> tables;
  std::vector<NamedStage> named;
  for (auto& stage : stages) {
    tables.push_back(stage.table);
    named.push_back(std::move(stage.named));
  }
  std::vector<StageDescription> ordered;
  const auto fault = order_stages(std::move(named), ordered);
  if (fault.kind == StageOrderFault::Kind::unknown_parent) reader.fail(*tables[fault.stage]->get("after"), fault.text);
  else if (fault.kind != StageOrderFault::Kind::none) reader.fail(*tables[fault.stage], fault.text);
  return ordered;
}

/// What the commands of a stage without input print is kept with the logs if no stage reads it and no output takes it,
/// as `heddle run --tasks` keeps it.
void keep_unread_output(std::vector<StageDescription>& stages) {
  std::vector<bool> is_read(stages.size(), false);
  for (const auto& stage : stages)
    for (const auto parent : stage.parents) is_read[static_cast<std::size_t>(parent)] = true;
  for (std::size_t at = 0; at < stages.size(); ++at) {
    auto& stage = stages[at];
    stage.keep_standard_output = !is_read[at] && !stage.output && stage.inputs.empty() && stage.parents.empty();
  }
}

}  // namespace

Result<JobFile> parse_job_file(const std::string& name, std::string_view content) {
  TomlReader reader{name, content};
  JobFile file;
  const auto& root = reader.root();
  reader.check_keys(root, job_keys);
  file.graph.name = reader.text(root, "name", "job");
  file.graph.pool = reader.text(root, "pool");
  if (const auto* settings = reader.table(root, "settings")) file.settings = read_setting_entries(reader, *settings);
  std::vector<FileStage> stages;
  for (const auto* table : reader.tables(root, "stage")) {
    stages.push_back(read_stage(reader, *table));
    check_stage(reader, stages.back());
  }
  if (stages.empty()) reader.fail(root, "a job needs at least one [[stage]]");
  if (!reader.error()) file.graph.stages = ordered_stages(reader, std::move(stages));
  if (reader.error()) return *reader.error();
  keep_unread_output(file.graph.stages);
  return file;
}

Result<JobFile> read_job_file(const std::string& path) {
  const auto content = read_text_file(path);
  if (!content) return content.error();
  return parse_job_file(path, *content);
}

}  // namespace heddle::config
