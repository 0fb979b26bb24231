// `mapreduce`: the options of Hadoop Streaming and Hadoop's generic options, as ST-12 lists them.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "apps/cli/streaming_job.hpp"
#include "apps/cli/verb_parsers.hpp"
#include "config/files/settings_sources.hpp"
#include "config/files/topology_file.hpp"
#include "config/hadoop/hadoop_references.hpp"
#include "config/hadoop/hadoop_xml.hpp"
#include "config/hadoop/job_keys.hpp"
#include "config/table/framework.hpp"
#include "config/table/setting_rows.hpp"
#include "config/text/environment.hpp"
#include "config/text/text_file.hpp"

namespace heddle::apps {
namespace {

namespace options = boost::program_options;

using Text = std::string;
using Texts = std::vector<std::string>;

constexpr std::string_view framework_key = "mapreduce.framework.name";

struct RefusedOption {
  const char* name;
  bool has_value;
  const char* why;
};

constexpr std::array<RefusedOption, 8> refused_options{
    {{"fs", true, "heddle has no permanent cluster yet"},
     {"dfs", true, "heddle has no permanent cluster yet"},
     {"libjars", true, "heddle runs no Java"},
     {"archives", true, "heddle does not unpack archives; unpack them and use -files"},
     {"cacheArchive", true, "heddle does not unpack archives; unpack them and use -files"},
     {"mapdebug", true, "read the stderr file of the task attempt instead"},
     {"reducedebug", true, "read the stderr file of the task attempt instead"},
     {"writer", true, "heddle writes only text"}}};

/// Splits "-Dkey=value" into "-D" and "key=value", because Hadoop's generic options allow both forms.
Texts separate_definitions(std::span<const std::string> words) {
  Texts result;
  for (const auto& word : words) {
    if (word.size() > 2 && word.rfind("-D", 0) == 0 && word.find('=') != std::string::npos &&
        word.find('.') < word.find('=')) {
      result.emplace_back("-D");
      result.push_back(word.substr(2));
    } else {
      result.push_back(word);
    }
  }
  return result;
}

void define(StreamingRequest& request, const std::string& key, const std::string& value) {
  const auto name = config::present_hadoop_name(key);
  request.configuration[name] = value;
  request.keys_of_site.erase(name);
}

Result<Done> add_definition(StreamingRequest& request, const std::string& definition) {
  const auto entry = config::split_assignment(definition, "-D");
  if (!entry) return entry.error();
  define(request, entry->key, entry->value);
  return Done{};
}

/// The errors of a topology are reported when its session begins.
void read_site_files(const std::string& topology, StreamingRequest& request) {
  if (topology.empty()) return;
  const auto file = config::read_topology_file(topology);
  if (!file) return;
  for (const auto& entry : file->job_keys) {
    request.configuration[entry.key] = entry.value;
    request.keys_of_site.insert(entry.key);
  }
}

/// Order: site files of the topology, configuration files, -jobconf, -D. The last value of a key wins.
Result<Done> read_configuration(const OptionValues& values, StreamingRequest& request) {
  read_site_files(text_of(values, "topology"), request);
  for (const auto* option : {"conf", "additionalconfspec"})
    for (const auto& path : texts_of(values, option)) {
      const auto content = config::read_text_file(path);
      if (!content) return Error{Errc::usage, content.error().text};
      const auto entries = config::parse_hadoop_xml(path, *content);
      if (!entries) return entries.error();
      for (const auto& entry : *entries) define(request, entry.key, entry.value);
    }
  for (const auto* option : {"jobconf", "D"})
    for (const auto& definition : texts_of(values, option))
      if (const auto done = add_definition(request, definition); !done) return done.error();
  return config::expand_configuration(request.configuration);
}

Result<Done> read_files(const OptionValues& values, StreamingRequest& request) {
  for (const auto& file : texts_of(values, "file")) request.files.push_back(file);
  for (const auto& list : texts_of(values, "files"))
    for (auto& file : split_input_paths(list)) request.files.push_back(std::move(file));
  for (const auto& file : texts_of(values, "cacheFile")) request.files.push_back(file);
  for (const auto& variable : texts_of(values, "cmdenv")) {
    const auto entry = config::split_assignment(variable, "-cmdenv");
    if (!entry) return entry.error();
    request.command_environment.emplace_back(entry->key, entry->value);
  }
  return Done{};
}

Result<StreamingRequest> read_request(const OptionValues& values) {
  StreamingRequest request;
  if (const auto done = read_configuration(values, request); !done) return done.error();
  if (const auto done = read_files(values, request); !done) return done.error();
  request.inputs = texts_of(values, "input");
  request.output = text_of(values, "output");
  request.mapper = text_of(values, "mapper");
  request.combiner = text_of(values, "combiner");
  request.reducer = text_of(values, "reducer");
  if (values.count("numReduceTasks") > 0) request.reduce_tasks = values["numReduceTasks"].as<std::int32_t>();
  request.input_format = text_of(values, "inputformat");
  request.output_format = text_of(values, "outputformat");
  request.partitioner = text_of(values, "partitioner");
  request.input_reader = text_of(values, "inputreader");
  request.io = text_of(values, "io");
  request.lazy_output = values.count("lazyOutput") > 0;
  return request;
}

/// The framework that --framework or -jt names; none: the settings decide. Also checks the key of Hadoop.
Result<std::optional<config::Framework>> read_framework(const OptionValues& values, const StreamingRequest& request) {
  using Found = Result<std::optional<config::Framework>>;
  const auto found = [](const Result<config::Framework>& framework) {
    return framework ? Found{std::optional{*framework}} : Found{framework.error()};
  };
  const auto tracker = text_of(values, "jt");
  if (!tracker.empty() && tracker != "local")
    return Error{Errc::usage,
                 fmt::format("-jt {} is not available: heddle has no permanent cluster yet; use -jt local", tracker)};
  if (values.count("framework") > 0) return found(config::parse_framework(text_of(values, "framework")));
  if (!tracker.empty()) return found(config::Framework::driver);
  const auto name = request.configuration.find(framework_key);
  if (name != request.configuration.end())
    if (const auto known = config::parse_framework_name(name->second); !known) return known.error();
  return Found{std::nullopt};
}

/// Adds the configuration keys that are settings of heddle before the assignments of --set, which therefore win. The
/// key of the framework is not one of them if an option names the framework; keys of site files are settings of the
/// topology.
void add_assignments(const StreamingRequest& request, const std::vector<std::pair<Text, Text>>& settings,
                     bool has_framework, JobOptions& job) {
  Texts assignments;
  for (const auto& [key, value] : settings) assignments.push_back(fmt::format("{}={}", key, value));
  for (const auto& [key, value] : request.configuration) {
    if ((has_framework && key == framework_key) || request.keys_of_site.contains(key)) continue;
    const auto* row = config::find_setting(key);
    if (row != nullptr && row->kind == config::SettingKind::size && value == "-1") continue;  // in Hadoop: not set
    if (row != nullptr || key.rfind("heddle.", 0) == 0) assignments.push_back(fmt::format("{}={}", key, value));
  }
  job.assignments.insert(job.assignments.begin(), assignments.begin(), assignments.end());
}

/// The framework of all sources. `option`: of --framework or -jt. `job`: its topology and assignments.
Result<config::Framework> find_framework(const std::optional<config::Framework>& option,
                                         const StreamingRequest& request, const JobOptions& job) {
  if (option) return *option;
  config::SettingsRequest sources;
  std::optional<config::Framework> of_topology;
  if (!job.topology.empty()) {
    auto file = config::read_topology_file(job.topology);
    if (!file) return file.error();
    of_topology = file->framework;
    sources.job_entries = std::move(file->settings);
  }
  auto whole = job;
  add_assignments(request, {}, false, whole);
  sources.assignments = std::move(whole.assignments);
  sources.master = job.master;
  std::error_code fault;
  sources.working_folder = std::filesystem::current_path(fault).string();
  sources.environment = config::read_environment();
  const auto loaded = config::load_settings(sources);
  if (!loaded) return loaded.error();
  return config::choose_framework(option, of_topology, loaded->settings);
}

/// Classic and yarn run on a cluster that ends with this command.
Result<Done> run_in_background(const FrameworkFinder& framework_of, MapReduceOptions& result) {
  constexpr std::string_view why = "a local cluster ends with the command that started it";
  if (!result.job.master || result.job.master->kind != config::MasterKind::yarn) {
    const auto framework = framework_of(result.job);
    if (!framework) return framework.error();
    return Error{Errc::usage,
                 *framework == config::Framework::driver
                     ? fmt::format("-background needs --master yarn: {}", why)
                     : fmt::format("-background is not available with --framework {}: {}; omit -background",
                                   config::to_string(*framework), why)};
  }
  result.in_background = true;
  result.job.deploy_mode = DeployMode::cluster;
  return Done{};
}

/// -verbose: adds one notice per parsed option.
void describe_request(const StreamingRequest& request, std::vector<std::string>& notices) {
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) notices.push_back(fmt::format("-{}: {}", name, value));
  };
  for (const auto& input : request.inputs) add("input", input);
  add("output", request.output);
  add("mapper", request.mapper);
  add("combiner", request.combiner);
  add("reducer", request.reducer);
  add("inputformat", request.input_format);
  add("outputformat", request.output_format);
  add("partitioner", request.partitioner);
  add("inputreader", request.input_reader);
  add("io", request.io);
  if (request.reduce_tasks) add("numReduceTasks", std::to_string(*request.reduce_tasks));
  for (const auto& file : request.files) add("files", file);
  for (const auto& [name, value] : request.command_environment) add("cmdenv", fmt::format("{}={}", name, value));
  for (const auto& [key, value] : request.configuration) add("D", fmt::format("{}={}", key, value));
}

}  // namespace

OptionTable map_reduce_options() {
  OptionTable table;
  auto add = table.add_options();
  for (const auto* name :
       {"input", "file", "files", "cmdenv", "D", "jobconf", "conf", "additionalconfspec", "cacheFile"})
    add(name, options::value<Texts>()->composing(), "");
  for (const auto* name : {"output", "mapper", "combiner", "reducer", "inputformat", "outputformat", "partitioner",
                           "inputreader", "io", "framework", "jt"})
    add(name, options::value<Text>(), "");
  add("numReduceTasks", options::value<std::int32_t>(), "");
  for (const auto* name : {"lazyOutput", "verbose", "info", "background"}) add(name, "");
  for (const auto& option : refused_options) {
    if (option.has_value) add(option.name, options::value<Texts>()->composing(), "");
    else add(option.name, "");
  }
  return table;
}

Result<ParsedCommand> parse_map_reduce(std::span<const std::string> words, std::int32_t processors) {
  const auto separated = separate_definitions(words);
  auto parsed = parse_options(separated, options_of_verb("mapreduce"), OptionStyle::single_dash);
  if (!parsed) return parsed.error();
  const auto& values = parsed->values;
  if (values.count("help") + values.count("info") > 0) return ParsedCommand{Answer{help_of_verb("mapreduce")}};
  for (const auto& option : refused_options)
    if (values.count(option.name) > 0)
      return Error{Errc::usage, fmt::format("-{} is not available: {}", option.name, option.why)};
  if (!parsed->positional.empty())
    return Error{Errc::usage, fmt::format("mapreduce: unexpected argument \"{}\"; options begin with -",
                                          parsed->positional.front())};
  MapReduceOptions result;
  const auto request = read_request(values);
  if (!request) return request.error();
  auto option = read_framework(values, *request);
  if (!option) return option.error();
  result.framework = *option;
  const auto framework_of = [&](const JobOptions& job) { return find_framework(result.framework, *request, job); };
  auto job = read_job_options(values, processors, framework_of);
  if (!job) return job.error();
  result.job = std::move(*job);
  if (values.count("background") > 0)
    if (auto done = run_in_background(framework_of, result); !done) return done.error();
  auto made = make_streaming_job(*request);
  if (!made) return made.error();
  result.graph = std::move(made->graph);
  result.notices = std::move(made->notices);
  if (values.count("verbose") > 0) describe_request(*request, result.notices);
  add_assignments(*request, made->settings, result.framework.has_value(), result.job);
  return ParsedCommand{std::move(result)};
}

}  // namespace heddle::apps
