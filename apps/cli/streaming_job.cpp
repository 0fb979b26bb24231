#include "apps/cli/streaming_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <set>
#include <system_error>

#include "config/hadoop/unhonoured.hpp"
#include "config/table/setting_rows.hpp"
#include "config/text/did_you_mean.hpp"
#include "config/text/value_text.hpp"
#include "ports/file_path.hpp"

namespace heddle::apps {
namespace {

Error refused(std::string text) { return Error{Errc::usage, std::move(text)}; }

/// The last part of a class name, because Hadoop accepts short and full names.
std::string_view short_name(std::string_view name) {
  return name.substr(name.find_last_of('.') == std::string_view::npos ? 0 : name.find_last_of('.') + 1);
}

bool is_of_hadoop(std::string_view key) {
  static constexpr std::array<std::string_view, 8> families{"mapreduce.", "mapred.", "stream.", "yarn.",
                                                            "dfs.",       "fs.",     "io.",     "num.key."};
  return std::any_of(families.begin(), families.end(), [&](auto family) { return key.rfind(family, 0) == 0; });
}

/// Suggests the nearest key, if its last part is similar too: mapreduce.job.name is not suggested for
/// mapreduce.job.maps.
std::string suggestion_for(std::string_view key, const std::vector<std::string_view>& known) {
  const auto last = short_name(key);
  std::vector<std::string_view> alike;
  for (const auto name : known)
    if (config::edit_distance(short_name(name), last) <= std::max<std::size_t>(1, last.size() / 3))
      alike.push_back(name);
  return config::suggestion(key, alike);
}

/// Builds one graph. build() returns the first error.
class StreamingGraph {
public:
  explicit StreamingGraph(const StreamingRequest& request) : request_{request} {}

  Result<JobGraph> build() {
    if (request_.inputs.empty()) return refused("-input is missing: name the files to read");
    if (request_.output.empty()) return refused("-output is missing: name the folder to write");
    read_reducers();
    read_io();
    read_files();
    read_rules();
    StageDescription map;
    map.name = "map";
    map.memory_mib = task_memory("mapreduce.map.memory.mb");
    read_map_compression();
    map.inputs.push_back(make_input());
    map.bodies.push_back(make_body(request_.mapper, "-mapper", "IdentityMapper", true));
    const bool is_identity = std::holds_alternative<IdentityBody>(map.bodies.front());
    if (is_identity) {
      map.inputs.front().ignore_key = false;
      map.inputs.front().map_input_separator = "\t";
      rules_.has_offset_keys = has_offsets(map.inputs.front());
    }
    map.map_reduce = rules_;
    graph_.name = text("mapreduce.job.name", "streamjob");
    graph_.stages.push_back(std::move(map));
    const auto output = make_output();
    if (reducers_ == 0) graph_.stages.front().output = output;
    else add_reduce(output);
    if (error_) return *error_;
    return std::move(graph_);
  }

  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& settings() const { return settings_; }

  /// A notice for each Hadoop key of the configuration that neither this class nor a setting of heddle reads, unless
  /// heddle does what it requires anyway.
  [[nodiscard]] std::vector<std::string> unread_keys() const {
    std::vector<std::string_view> known{asked_.begin(), asked_.end()};
    for (const auto name : config::setting_names())
      if (is_of_hadoop(name)) known.push_back(name);
    std::vector<std::string> unread;
    for (const auto& [key, value] : request_.configuration) {
      if (!is_of_hadoop(key) || asked_.count(key) != 0 || config::find_setting(key) != nullptr) continue;
      if (const auto notice = config::notice_of_unhonoured(key, value)) {
        if (!notice->empty()) unread.push_back("-D " + *notice);
        continue;
      }
      unread.push_back(fmt::format("heddle does not read -D {}{}", key, suggestion_for(key, known)));
    }
    return unread;
  }

private:
  void fail(std::string sentence) {
    if (!error_) error_ = refused(std::move(sentence));
  }

  std::string text(std::string_view key, std::string_view standard) const {
    asked_.emplace(key);
    const auto found = request_.configuration.find(key);
    return found == request_.configuration.end() ? std::string{standard} : found->second;
  }

  std::int64_t integer(std::string_view key, std::int64_t standard, std::int64_t lower, std::int64_t upper) {
    asked_.emplace(key);
    const auto found = request_.configuration.find(key);
    if (found == request_.configuration.end()) return standard;
    const auto number = config::parse_integer(found->second);
    if (number && *number >= lower && *number <= upper) return *number;
    fail(fmt::format("{} must be a number from {} to {}, not \"{}\"", key, lower, upper, found->second));
    return standard;
  }

  /// A part of a whole, 0 to 1. Java's Float.parseFloat reads it.
  float part(std::string_view key, float standard) {
    asked_.emplace(key);
    const auto found = request_.configuration.find(key);
    if (found == request_.configuration.end()) return standard;
    const auto word = config::trimmed(found->second);
    float number = -1;
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (fault == std::errc{} && end == word.data() + word.size() && number >= 0 && number <= 1) return number;
    fail(fmt::format("{} must be a number from 0 to 1, not \"{}\"", key, found->second));
    return standard;
  }

  bool flag(std::string_view key, bool standard) const {
    const auto word = config::lower_case(config::trimmed(text(key, "")));
    return word == "true" ? true : word == "false" ? false : standard;
  }

  void read_io() {
    if (!request_.io.empty() && request_.io != "text" && request_.io != "keyonlytext")
      return fail(fmt::format("-io {} is not available: use text or keyonlytext", request_.io));
    reads_keys_only_ = is_key_only("stream.map.input");
    keys_only_ = is_key_only("stream.map.output");
    const bool is_same =
        is_key_only("stream.reduce.input") == keys_only_ && is_key_only("stream.reduce.output") == keys_only_;
    if (reducers_ > 0 && !is_same)
      fail("stream.map.output, stream.reduce.input and stream.reduce.output must be the same: text or keyonlytext");
  }

  /// -io replaces the key, as in Hadoop.
  bool is_key_only(std::string_view key) {
    const auto word = text(key, "text");
    const auto& format = request_.io.empty() ? word : request_.io;
    if (format != "text" && format != "keyonlytext")
      fail(fmt::format("{}={} is not available: use text or keyonlytext", key, format));
    return format == "keyonlytext";
  }

  /// MiB; 0 for -1, which in Hadoop means "not set".
  std::int64_t task_memory(std::string_view key) { return std::max<std::int64_t>(0, integer(key, 0, -1, 1 << 24)); }

  /// Compression of records between map and reduce. Shuffle files have heddle's own format, so any codec but
  /// ZStandardCodec selects lz4.
  void read_map_compression() {
    const auto codec_class = text("mapreduce.map.output.compress.codec", "");
    const auto codec = short_name(codec_class);
    const auto wanted = config::lower_case(config::trimmed(text("mapreduce.map.output.compress", "")));
    if (wanted == "false") settings_.emplace_back("heddle.shuffle.compression", "none");
    else if (wanted == "true")
      settings_.emplace_back("heddle.shuffle.compression", codec == "ZStandardCodec" ? "zstd" : "lz4");
  }

  void read_reducers() {
    const auto from_keys = static_cast<std::int32_t>(integer("mapreduce.job.reduces", 1, 0, 1'000'000));
    reducers_ = request_.reducer == "NONE" ? 0 : from_keys;
    if (request_.reduce_tasks) reducers_ = *request_.reduce_tasks;
    if (reducers_ < 0) fail(fmt::format("-numReduceTasks must be 0 or more, not {}", reducers_));
  }

  /// Keys by which tasks spill, merge and count.
  void read_rules() {
    constexpr auto most = std::numeric_limits<std::int32_t>::max();
    const auto count = [this](std::string_view key, std::int64_t standard, std::int64_t lower, std::int64_t upper) {
      return static_cast<std::int32_t>(integer(key, standard, lower, upper));
    };
    rules_.sort_mib = count("mapreduce.task.io.sort.mb", rules_.sort_mib, 1, 2047);
    rules_.spill_part = part("mapreduce.map.sort.spill.percent", rules_.spill_part);
    if (rules_.spill_part == 0) fail("mapreduce.map.sort.spill.percent must be above 0");
    rules_.combine_spills_min = count("mapreduce.map.combine.minspills", rules_.combine_spills_min, 0, most);
    rules_.failed_maps_percent = count("mapreduce.map.failures.maxpercent", 0, 0, 100);
    rules_.sort_factor = count("mapreduce.task.io.sort.factor", rules_.sort_factor, 2, most);
    const auto memory = task_memory("mapreduce.reduce.memory.mb");
    if (memory > 0) rules_.reduce_memory = memory << 20;
    rules_.reduce_memory = integer("mapreduce.reduce.memory.totalbytes", rules_.reduce_memory, 1, INT64_MAX);
    rules_.copy_part = part("mapreduce.reduce.shuffle.input.buffer.percent", rules_.copy_part);
    rules_.single_part = part("mapreduce.reduce.shuffle.memory.limit.percent", rules_.single_part);
    rules_.merge_part = part("mapreduce.reduce.shuffle.merge.percent", rules_.merge_part);
    if (rules_.single_part >= rules_.merge_part)
      fail(
          fmt::format("mapreduce.reduce.shuffle.memory.limit.percent ({}) must be below "
                      "mapreduce.reduce.shuffle.merge.percent ({}): one map output would exceed what starts a merge",
                      rules_.single_part, rules_.merge_part));
    rules_.kept_part = part("mapreduce.reduce.input.buffer.percent", rules_.kept_part);
    rules_.counters_max = count("mapreduce.job.counters.max", rules_.counters_max, 0, most - 1);
    rules_.reporter_prefix = text("stream.stderr.reporter.prefix", rules_.reporter_prefix);
  }

  void read_files() {
    for (auto path : request_.files) {
      const auto hash = path.find('#');
      const auto link = hash == std::string::npos ? std::string{} : path.substr(hash + 1);
      path.resize(std::min(hash, path.size()));
      std::error_code failure;
      const auto file =
          ports::resolve_path(path, {std::filesystem::current_path(failure).string()}, ports::PathKind::plain);
      if (!file) {
        fail("-file or -files: " + file.error().text);
        continue;
      }
      if (file->scheme.empty() && !std::filesystem::exists(file->path, failure))
        fail(fmt::format("the file of -file or -files does not exist: {}", path));
      if (!link.empty() && link != ports::last_component(file->path))
        fail(fmt::format("{}#{}: heddle cannot rename a file of -files; remove #{}", path, link, link));
      files_.push_back(to_string(*file));
    }
  }

  TextInput make_input() {
    TextInput input;
    for (const auto& option : request_.inputs)
      for (auto& path : split_input_paths(option)) input.paths.push_back(std::move(path));
    const auto format = short_name(request_.input_format);
    if (format == "KeyValueTextInputFormat") input.format = InputFormat::key_value;
    else if (format == "NLineInputFormat") input.format = InputFormat::n_line;
    else if (!format.empty() && format != "TextInputFormat" && format != "StreamInputFormat")
      fail(
          fmt::format("-inputformat {} is not available: use TextInputFormat, KeyValueTextInputFormat or "
                      "NLineInputFormat",
                      request_.input_format));
    if (!request_.input_reader.empty()) read_input_reader(input);
    input.ignore_key = flag("stream.map.input.ignoreKey", input.format == InputFormat::text);
    input.map_input_separator = text("stream.map.input.field.separator", "\t");
    input.ignore_value = reads_keys_only_;
    if (reads_keys_only_) input.ignore_key = false;  // the key of text is its offset
    input.key_value_separator = text("mapreduce.input.keyvaluelinerecordreader.key.value.separator", "\t");
    input.wanted_splits =
        static_cast<std::int32_t>(integer("mapreduce.job.maps", 1, 0, std::numeric_limits<std::int32_t>::max()));
    input.lines_per_split =
        integer("mapreduce.input.lineinputformat.linespermap", 1, 1, std::numeric_limits<std::int32_t>::max());
    input.split_bytes_min =
        std::max<std::int64_t>(1, integer("mapreduce.input.fileinputformat.split.minsize", 1, 0, INT64_MAX));
    input.split_bytes_max = integer("mapreduce.input.fileinputformat.split.maxsize", INT64_MAX, 1, INT64_MAX);
    input.recursive = flag("mapreduce.input.fileinputformat.input.dir.recursive", false);
    return input;
  }

  void read_input_reader(TextInput& input) {
    const auto words = split_input_paths(request_.input_reader);
    const auto name = words.empty() ? std::string{} : words.front();
    if (short_name(name) != "StreamXmlRecordReader" && name != "StreamXml") {
      fail(fmt::format("-inputreader {} is not available: use StreamXmlRecordReader,begin=…,end=…", name));
      return;
    }
    input.format = InputFormat::stream_xml;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto equals = std::min(words[i].find('='), words[i].size());
      const auto key = words[i].substr(0, equals);
      const auto value = equals < words[i].size() ? words[i].substr(equals + 1) : std::string{};
      if (key == "begin") input.xml_begin = value;
      if (key == "end") input.xml_end = value;
    }
    if (input.xml_begin.empty() || input.xml_end.empty())
      fail("-inputreader StreamXmlRecordReader needs begin=… and end=…");
  }

  /// The keys of the identity are byte offsets.
  static bool has_offsets(const TextInput& input) {
    return input.format != InputFormat::key_value && input.format != InputFormat::stream_xml;
  }

  /// A command, or the identity if the option is empty or names Hadoop's identity class. Other Hadoop classes are
  /// errors.
  TaskBody make_body(const std::string& said, std::string_view option, std::string_view identity, bool is_map) {
    if (said.empty() || (is_hadoop_class(said) && short_name(said) == identity)) return IdentityBody{};
    if (is_hadoop_class(said)) {
      fail(fmt::format("{} {} is not available: use a command, or {}, the only Hadoop class supported here", option,
                       said, identity));
      return IdentityBody{};
    }
    CommandBody body;
    auto words = split_streaming_command(said);
    if (!words) {
      fail(fmt::format("{}: {}", option, words.error().text));
      return IdentityBody{};
    }
    body.arguments = std::move(*words);
    if (body.arguments.empty() || body.arguments.front().empty()) {
      fail(fmt::format("{} is an empty command", option));
      return IdentityBody{};
    }
    body.environment = make_environment(is_map);
    body.files = files_;
    body.exit_code_fails = flag("stream.non.zero.exit.is.failure", true);
    body.unread_input_fails_below =
        is_map ? integer("stream.minRecWrittenToEnableSkip_", INT64_MAX, 0, INT64_MAX) : INT64_MAX;
    return body;
  }

  /// Environment of commands (ST-3): every configuration key, with each character but ASCII letters and digits replaced
  /// by '_', then -cmdenv. Example: mapreduce.job.reduces becomes mapreduce_job_reduces.
  std::vector<std::pair<std::string, std::string>> make_environment(bool is_map) const {
    auto variables = request_.configuration;
    variables["mapreduce.task.ismap"] = is_map ? "true" : "false";
    variables["mapreduce.job.reduces"] = fmt::format("{}", reducers_);
    std::map<std::string, std::string> environment;
    for (const auto& [key, value] : variables) {
      auto name = key;
      for (auto& letter : name) {
        const bool is_plain =
            (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
        if (!is_plain) letter = '_';
      }
      environment[name] = value;
    }
    for (const auto& [name, value] : request_.command_environment) environment[name] = value;
    return {environment.begin(), environment.end()};
  }

  KeyFormat key_format(std::string_view side) {
    KeyFormat format;
    format.separator = text(fmt::format("stream.{}.output.field.separator", side), "\t");
    format.fields =
        static_cast<std::int32_t>(integer(fmt::format("stream.num.{}.output.key.fields", side), 1, 1, 1'000'000));
    if (keys_only_) format.fields = 0;
    return format;
  }

  TextOutput make_output() {
    TextOutput output;
    output.path = request_.output;
    const auto format = short_name(request_.output_format);
    if (!format.empty() && format != "TextOutputFormat")
      fail(fmt::format("-outputformat {} is not available: use TextOutputFormat", request_.output_format));
    output.lazy = request_.lazy_output;
    output.streaming = !keys_only_;
    output.key = key_format(reducers_ == 0 ? "map" : "reduce");
    output.separator = text("mapreduce.output.textoutputformat.separator", "\t");
    if (flag("mapreduce.output.fileoutputformat.compress", false)) {
      const auto codec =
          text("mapreduce.output.fileoutputformat.compress.codec", "org.apache.hadoop.io.compress.DefaultCodec");
      if (short_name(codec) != "GzipCodec")
        fail(fmt::format("output compression by {} is not available: use GzipCodec", codec));
      output.gzip = true;
    }
    return output;
  }

  ShuffleDescription make_shuffle() {
    ShuffleDescription shuffle;
    shuffle.streaming = true;
    shuffle.key = key_format("map");
    shuffle.combined_key = key_format("reduce");
    shuffle.read_separator = keys_only_ ? std::string{} : text("stream.reduce.input.field.separator", "\t");
    const auto separator = text("mapreduce.map.output.key.field.separator", "\t");
    const auto partitioner = short_name(request_.partitioner);
    if (partitioner == "KeyFieldBasedPartitioner") {
      shuffle.partitioner = PartitionerKind::key_field;
      shuffle.partitioner_separator = separator;
      shuffle.partitioner_options = text("mapreduce.partition.keypartitioner.options", "");
      const auto fields = integer("num.key.fields.for.partition", 0, 0, 1'000'000);
      if (shuffle.partitioner_options.empty() && fields > 0)
        shuffle.partitioner_options = fmt::format("-k1,{}", fields);
    } else if (!partitioner.empty() && partitioner != "HashPartitioner") {
      fail(fmt::format("-partitioner {} is not available: use HashPartitioner or KeyFieldBasedPartitioner",
                       request_.partitioner));
    }
    const auto comparator = text("mapreduce.job.output.key.comparator.class", "");
    if (short_name(comparator) == "KeyFieldBasedComparator") {
      shuffle.comparator = ComparatorKind::key_field;
      shuffle.comparator_separator = separator;
      shuffle.comparator_options = text("mapreduce.partition.keycomparator.options", "");
    } else if (!comparator.empty()) {
      fail(fmt::format("comparator {} is not available: use KeyFieldBasedComparator", comparator));
    }
    if (!request_.combiner.empty())
      shuffle.combiner = make_body(request_.combiner, "-combiner", "IdentityReducer", false);
    return shuffle;
  }

  void add_reduce(const TextOutput& output) {
    StageDescription reduce;
    reduce.name = "reduce";
    reduce.memory_mib = task_memory("mapreduce.reduce.memory.mb");
    reduce.map_reduce = rules_;
    reduce.parents = {0};
    reduce.partitions = reducers_;
    reduce.shuffle = make_shuffle();
    reduce.output = output;
    if (request_.reducer == "aggregate") {
      reduce.bodies.emplace_back(FunctionBody{"aggregate"});
      reduce.shuffle->combiner = TaskBody{FunctionBody{"aggregate_combine"}};
    } else {
      reduce.bodies.push_back(make_body(request_.reducer == "NONE" ? std::string{} : request_.reducer, "-reducer",
                                        "IdentityReducer", false));
    }
    if (rules_.has_offset_keys) sort_by_offset(reduce);
    graph_.stages.push_back(std::move(reduce));
  }

  /// Without a mapper Hadoop's keys are byte offsets: they sort as numbers, and a command cannot read them.
  void sort_by_offset(StageDescription& reduce) {
    if (!std::holds_alternative<IdentityBody>(reduce.bodies.front())) {
      fail("-reducer without -mapper: the keys of text input are offsets, not text; add -mapper cat");
      return;
    }
    reduce.shuffle->key = KeyFormat{};
    reduce.shuffle->comparator = ComparatorKind::key_field;
    reduce.shuffle->comparator_separator = "\t";
    reduce.shuffle->comparator_options = "-k1,1n";
  }

  const StreamingRequest& request_;
  JobGraph graph_;
  std::int32_t reducers_ = 1;
  bool reads_keys_only_ = false;  // commands of maps read keys without values
  bool keys_only_ = false;        // later records have no values
  MapReduceRules rules_;
  std::vector<std::string> files_;
  std::vector<std::pair<std::string, std::string>> settings_;
  std::optional<Error> error_;
  mutable std::set<std::string, std::less<>> asked_;  // keys that this class has looked up
};

}  // namespace

bool is_hadoop_class(std::string_view command) {
  return command.rfind("org.apache.hadoop.", 0) == 0 && command.find(' ') == std::string_view::npos;
}

Result<StreamingJob> make_streaming_job(const StreamingRequest& request) {
  StreamingGraph graph{request};
  auto built = graph.build();
  if (!built) return built.error();
  built->properties = streaming_properties(request, built->stages.size() > 1);
  return StreamingJob{std::move(*built), graph.unread_keys(), graph.settings()};
}

}  // namespace heddle::apps
