// Goal: a command line is parsed to its options, or gives a helpful error.
// Method: tables of command lines; options of Streaming compared with the graph that they describe; random arguments.
#include "apps/cli/command_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <random>

#include "apps/cli/config_command.hpp"
#include "apps/cli/streaming_job.hpp"
#include "apps/cli/verbs.hpp"
#include "config/files/job_file.hpp"
#include "tests/support/scratch_folder.hpp"

namespace command_line_test {

using namespace heddle;
using namespace heddle::apps;

namespace {

Result<ParsedCommand> parse(const std::vector<std::string>& words) { return parse_command_line(words, 4); }

MapReduceOptions map_reduce(std::vector<std::string> words) {
  words.insert(words.begin(), {"mapreduce", "-input", "in", "-output", "out"});
  auto parsed = parse(words);
  BOOST_REQUIRE_MESSAGE(parsed.has_value(), (parsed ? std::string{} : parsed.error().text));
  return std::get<MapReduceOptions>(*parsed);
}

std::string refusal(const std::vector<std::string>& words) {
  const auto parsed = parse(words);
  return parsed ? std::string{} : parsed.error().text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_version_is_printed_as_text_or_as_a_document) {
  BOOST_TEST(std::get<Answer>(*parse({"version"})).text == std::get<Answer>(*parse({"--version"})).text);
  for (const auto* form : {"json", "jsonl"}) {
    const auto document = boost::json::parse(std::get<Answer>(*parse({"version", "--format", form})).text).as_object();
    BOOST_TEST(document.at("schema").as_int64() == 1);
    BOOST_TEST("heddle " + std::string{document.at("heddle").as_string()} + "\n" ==
               std::get<Answer>(*parse({"version"})).text);
  }
  BOOST_TEST(refusal({"version", "now"}).find("\"now\"") != std::string::npos);
  BOOST_TEST(refusal({"version", "--format", "jsn"}).find("did you mean \"json\"?") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_document_format_is_known_even_if_other_options_are_wrong) {
  using Words = std::vector<std::string>;
  const std::vector<std::pair<Words, Format>> table{{{"run", "--format", "json", "--nonsense"}, Format::json},
                                                    {{"mapreduce", "-format", "jsonl"}, Format::jsonl},
                                                    {{"config", "--format=json"}, Format::json},
                                                    {{"run", "--", "x", "--format", "json"}, Format::table},
                                                    {{"run", "--format", "jsn"}, Format::table},
                                                    {{"run", "--format"}, Format::table},
                                                    {{}, Format::table}};
  for (const auto& [words, format] : table) BOOST_TEST((wanted_format(words) == format));
  BOOST_TEST(std::get<Answer>(*parse({"version", "--format", "json"})).is_document);
  BOOST_TEST(!std::get<Answer>(*parse({"help", "--format", "json", "run"})).is_document);
}

BOOST_AUTO_TEST_CASE(every_help_text_fits_a_screen_and_has_an_example) {
  std::vector<std::vector<std::string>> questions{{"help"}, {"help", "job-file"}, {"help", "settings"}, {"config"}};
  for (const auto name : verb_names()) {
    questions.push_back({"help", std::string{name}});
    if (name != "help") questions.push_back({std::string{name}, "--help"});
  }
  for (const auto& words : questions) {
    const auto parsed = parse(words);
    BOOST_REQUIRE_MESSAGE(parsed.has_value(), words.back());
    const auto text = std::get<Answer>(*parsed).text;
    BOOST_TEST(std::count(text.begin(), text.end(), '\n') <= 24);
    BOOST_TEST(text.find("example") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(the_job_file_in_the_help_is_valid) {
  const auto text = std::get<Answer>(*parse({"help", "job-file"})).text;
  const auto file = config::parse_job_file("help", text);
  BOOST_REQUIRE_MESSAGE(file.has_value(), (file ? std::string{} : file.error().text));
  BOOST_TEST(file->graph.stages.size() == 2U);
  BOOST_TEST(file->settings.size() == 1U);
}

BOOST_AUTO_TEST_CASE(misspelt_options_and_verbs_get_a_suggestion) {
  BOOST_TEST(refusal({"mapredcue"}).find("\"mapreduce\"") != std::string::npos);
  BOOST_TEST(refusal({"run", "--mastr", "local"}).find("--master") != std::string::npos);
  BOOST_TEST(refusal({"run", "--mast", "local", "x.toml"}).find("unknown option") != std::string::npos);
  BOOST_TEST(refusal({"mapreduce", "-inptu", "x"}).find("-input") != std::string::npos);
  BOOST_TEST(!refusal({}).empty());
  const std::vector<std::pair<std::vector<std::string>, std::string>> table{
      {{"run", "--progress", "--", "a"}, "--no-progress"},
      {{"run", "--master", "locl[2]", "--", "a"}, "\"local\""},
      {{"run", "--master", "local-clster[1,1,1]", "--", "a"}, "\"local-cluster\""},
      {{"run", "--format", "jsn", "--", "a"}, "\"json\""},
      {{"run", "--deploy-mode", "clint", "--", "a"}, "\"client\""},
      {{"run", "--tasks", "1", "--tasks=2", "--", "a"}, "--tasks is given twice; it takes one value"},
      {{"mapreduce", "-output", "a", "-input", "x", "-input", "y", "-output", "b"}, "-output is given twice"},
      {{"run", "--tasks", "many", "--", "a"}, "--tasks must be a whole number, not \"many\""},
      {{"completion", "bsh"}, "\"bash\""},
      {{"help", "rnu"}, "\"run\""}};
  for (const auto& [words, wanted] : table)
    BOOST_TEST(refusal(words).find(wanted) != std::string::npos, refusal(words));
}

BOOST_AUTO_TEST_CASE(run_accepts_a_file_or_a_command_or_a_topology) {
  const auto command =
      std::get<RunOptions>(*parse({"run", "--master", "local[2]", "--tasks", "3", "--", "echo", "--tasks"}));
  BOOST_TEST(command.tasks == 3);
  BOOST_TEST(command.command == (std::vector<std::string>{"echo", "--tasks"}), boost::test_tools::per_element());
  const auto file = std::get<RunOptions>(*parse({"run", "job.toml", "--set", "a=b", "--set=c=d", "--format=json"}));
  BOOST_TEST(file.job_file == "job.toml");
  BOOST_TEST(file.job.assignments.size() == 2U);
  BOOST_TEST((file.job.format == Format::json));
  BOOST_TEST(refusal({"run", "--topology", "t.toml"}).empty());
  for (const auto& words : std::vector<std::vector<std::string>>{{"run"},
                                                                 {"run", "--"},
                                                                 {"run", "a", "b"},
                                                                 {"run", "a", "--", "b"},
                                                                 {"run", "a", "--tasks", "2"},
                                                                 {"run", "--tasks", "x", "--", "a"},
                                                                 {"run", "--tasks", "0", "--", "a"},
                                                                 {"run", "a", "--format", "xml"},
                                                                 {"run", "a", "--deploy-mode", "cluster"}})
    BOOST_TEST(!refusal(words).empty());
}

BOOST_AUTO_TEST_CASE(submit_takes_a_job_file_or_a_command_for_a_cluster) {
  const auto file = std::get<RunOptions>(*parse({"submit", "--master", "yarn", "--queue", "night", "words.toml"}));
  BOOST_TEST(file.is_submitted);
  BOOST_TEST(file.job_file == "words.toml");
  BOOST_TEST((file.job.deploy_mode == DeployMode::cluster));
  BOOST_TEST(!std::get<RunOptions>(*parse({"run", "words.toml"})).is_submitted);
  const auto command = std::get<RunOptions>(*parse({"submit", "--master", "yarn", "--tasks", "3", "--", "echo", "-n"}));
  BOOST_TEST(command.tasks == 3);
  BOOST_TEST((command.command == std::vector<std::string>{"echo", "-n"}));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"submit", "words.toml"}, {"submit", "--master", "local[2]", "words.toml"}})
    BOOST_TEST(refusal(words) == "submit needs --master yarn: a local cluster ends with the command that started it");
  BOOST_TEST(refusal({"submit", "--master", "yarn"}) ==
             "submit needs a job file, or a command after --; see heddle help submit");
  BOOST_TEST(refusal({"submit", "--master", "yarn", "--deploy-mode", "client", "a"}).find("deploy-mode") !=
             std::string::npos);
}

// C-E4-17
BOOST_AUTO_TEST_CASE(a_streaming_job_in_the_background_needs_a_cluster) {
  BOOST_TEST(!map_reduce({"-mapper", "cat"}).in_background);
  const auto job = map_reduce({"-mapper", "cat", "-background", "--master", "yarn"});
  BOOST_TEST(job.in_background);
  BOOST_TEST((job.job.deploy_mode == DeployMode::cluster));
  BOOST_TEST(refusal({"mapreduce", "-input", "in", "-output", "out", "-mapper", "cat", "-background"}) ==
             "-background needs --master yarn: a local cluster ends with the command that started it");
}

BOOST_AUTO_TEST_CASE(verbs_about_applications_need_a_cluster_and_an_id) {
  const auto list = std::get<ApplicationOptions>(*parse({"list", "--master", "yarn", "--ended", "--format", "json"}));
  BOOST_TEST((list.verb == ApplicationVerb::list));
  BOOST_TEST(list.with_ended);
  BOOST_TEST(!list.with_all_types);
  BOOST_TEST((list.job.format == Format::json));
  const auto cancel = std::get<ApplicationOptions>(*parse({"cancel", "--master", "yarn", "application_1_1"}));
  BOOST_TEST((cancel.verb == ApplicationVerb::cancel));
  BOOST_TEST(cancel.application == "application_1_1");
  for (const auto* verb : {"info", "wait", "cancel"}) {
    BOOST_TEST(refusal({verb, "--master", "yarn"}).find("needs the id of an application") != std::string::npos);
    BOOST_TEST(refusal({verb, "--master", "yarn", "a", "b"}).find("remove \"b\"") != std::string::npos);
    for (const auto* master : {"local[2]", "local-cluster[1,1,512]"})
      BOOST_TEST(refusal({verb, "--master", master, "a"}).find("needs --master yarn") != std::string::npos);
    BOOST_TEST(refusal({verb, "a"}).find("needs --master yarn") != std::string::npos);
  }
  BOOST_TEST(refusal({"list", "--master", "yarn", "a"}).find("takes no argument") != std::string::npos);
  BOOST_TEST(refusal({"info", "--master", "yarn", "--ended", "a"}).find("unknown option") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(streaming_commands_split_at_blanks_and_quotes) {  // ST-2
  const std::vector<std::pair<std::string, std::vector<std::string>>> table{
      {"sh -c 'cat; exit 3'", {"sh", "-c", "cat; exit 3"}},
      {"  a   b ", {"a", "b"}},
      {"a\"b c\"d ''", {"ab cd", ""}},
      {"a\\ b", {"a\\", "b"}},
      {"", {}}};
  for (const auto& [text, words] : table)
    BOOST_TEST(split_streaming_command(text).value() == words, boost::test_tools::per_element());
  const auto unclosed = split_streaming_command("cat 'unclosed");
  BOOST_REQUIRE(!unclosed.has_value());
  BOOST_TEST(unclosed.error().text == "the quote ' at character 5 is not closed: cat 'unclosed");
}

BOOST_AUTO_TEST_CASE(streaming_options_give_a_map_and_a_reduce_stage) {
  const auto options =
      map_reduce({"-D", "stream.num.map.output.key.fields=2", "-Dmapreduce.map.output.key.field.separator=,", "-mapper",
                  "cat", "-reducer", "uniq -c", "-combiner", "cat", "--numReduceTasks", "3", "-partitioner",
                  "org.apache.hadoop.mapred.lib.KeyFieldBasedPartitioner", "-D", "my.key=v 1", "-cmdenv", "A=b=c"});
  const auto& stages = options.graph.stages;
  BOOST_REQUIRE(stages.size() == 2U);
  BOOST_TEST(stages[1].partitions == 3);
  BOOST_TEST(stages[1].shuffle->key.fields == 2);
  BOOST_TEST(stages[1].shuffle->partitioner_separator == ",");
  BOOST_TEST((stages[1].shuffle->partitioner == PartitionerKind::key_field));
  BOOST_TEST(stages[1].shuffle->combiner.has_value());
  BOOST_TEST(stages[1].output->path == "out");
  const auto& environment = std::get<CommandBody>(stages[0].bodies[0]).environment;
  const auto has = [&](const char* name, const char* value) {
    return std::find(environment.begin(), environment.end(), std::pair<std::string, std::string>{name, value}) !=
           environment.end();
  };
  BOOST_TEST(has("my_key", "v 1"));
  BOOST_TEST(has("A", "b=c"));
  BOOST_TEST(has("mapreduce_task_ismap", "true"));
}

BOOST_AUTO_TEST_CASE(a_job_without_reducers_is_one_stage) {
  for (const auto& words : std::vector<std::vector<std::string>>{{"-mapper", "cat", "-reducer", "NONE"},
                                                                 {"-mapper", "cat", "-numReduceTasks", "0"},
                                                                 {"-mapper", "cat", "-D", "mapred.reduce.tasks=0"}})
    BOOST_TEST(map_reduce(words).graph.stages.size() == 1U);
}

BOOST_AUTO_TEST_CASE(ignored_hadoop_keys_get_a_warning_with_a_suggestion) {
  const auto made =
      map_reduce({"-mapper", "cat", "-D", "mapreduce.job.reducs=2", "-D", "mine=1", "-D", "mapreduce.job.reduces=2"});
  BOOST_REQUIRE(made.notices.size() == 1U);
  BOOST_TEST(made.notices[0] ==
             "heddle does not read -D mapreduce.job.reducs; did you mean \"mapreduce.job.reduces\"?");
}

BOOST_AUTO_TEST_CASE(a_suggestion_for_a_hadoop_key_also_has_a_similar_last_part) {
  const auto made = map_reduce({"-mapper", "cat", "-D", "mapreduce.job.tags=2"});
  BOOST_REQUIRE(made.notices.size() == 1U);
  BOOST_TEST(made.notices[0] == "heddle does not read -D mapreduce.job.tags");
}

BOOST_AUTO_TEST_CASE(both_stages_of_a_job_have_its_rules_of_spills_merges_and_counters) {
  const auto made = map_reduce({"-mapper",  "cat",
                                "-reducer", "cat",
                                "-D",       "mapreduce.task.io.sort.mb=7",
                                "-D",       "io.sort.factor=3",
                                "-D",       "mapreduce.map.sort.spill.percent=0.05",
                                "-D",       "mapreduce.map.combine.minspills=9",
                                "-D",       "mapreduce.reduce.memory.mb=2",
                                "-D",       "mapreduce.reduce.input.buffer.percent=1",
                                "-D",       "mapreduce.job.counters.max=5",
                                "-D",       "stream.stderr.reporter.prefix=count!",
                                "-D",       "mapreduce.map.failures.maxpercent=50",
                                "-D",       "mapreduce.job.maps=3"});
  BOOST_TEST(made.notices.empty());
  heddle::MapReduceRules wanted;
  wanted.sort_mib = 7;
  wanted.sort_factor = 3;
  wanted.spill_part = 0.05F;
  wanted.combine_spills_min = 9;
  wanted.reduce_memory = 2 << 20;
  wanted.kept_part = 1;
  wanted.counters_max = 5;
  wanted.reporter_prefix = "count!";
  wanted.failed_maps_percent = 50;
  for (const auto& stage : made.graph.stages) BOOST_TEST((stage.map_reduce == wanted));
  BOOST_TEST(made.graph.stages[0].inputs[0].wanted_splits == 3);
}

BOOST_AUTO_TEST_CASE(a_mapred_site_file_sets_the_merges_of_reduces_under_old_and_new_names) {
  const auto path = std::filesystem::temp_directory_path() / ("mapred-site-" + std::to_string(::getpid()) + ".xml");
  for (const bool is_old : {true, false}) {
    std::ofstream{path} << "<configuration>\n"
                        << "<property><name>" << (is_old ? "io.sort.mb" : "mapreduce.task.io.sort.mb")
                        << "</name><value>9</value></property>\n"
                        << "<property><name>mapre" << (is_old ? "d.job" : "duce.reduce")
                        << ".shuffle.input.buffer.percent</name><value>0.5</value></property>\n"
                        << "<property><name>mapre" << (is_old ? "d.job" : "duce.reduce")
                        << ".shuffle.merge.percent</name><value>0.4</value></property>\n"
                        << "<property><name>mapreduce.reduce.shuffle.memory.limit.percent</name>"
                        << "<value>0.3</value></property>\n"
                        << "</configuration>\n";
    const auto made = map_reduce({"-conf", path.string(), "-mapper", "cat", "-reducer", "cat"});
    BOOST_TEST(made.notices.empty());
    heddle::MapReduceRules wanted;
    wanted.sort_mib = 9;
    wanted.copy_part = 0.5F;
    wanted.merge_part = 0.4F;
    wanted.single_part = 0.3F;
    for (const auto& stage : made.graph.stages) BOOST_TEST((stage.map_reduce == wanted));
  }
  std::filesystem::remove(path);
}

BOOST_AUTO_TEST_CASE(site_files_of_a_topology_give_defaults_to_a_job_of_mapreduce) {
  const work::ScratchFolder folder;
  folder.write("conf/mapred-site.xml",
               "<configuration><property><name>mapred.reduce.tasks</name><value>3</value></property>"
               "<property><name>io.sort.mb</name><value>9</value></property>"
               "<property><name>mapreduce.task.io.sort.factor</name><value>7</value></property></configuration>");
  folder.write("t.toml", "hadoop_conf = \"conf\"\n[[host]]\nname = \"a\"\n");
  std::vector<std::string> words{"--topology", folder.path() + "/t.toml", "-mapper", "cat", "-reducer", "cat"};
  const auto made = map_reduce(words);
  BOOST_TEST(made.notices.empty());
  BOOST_TEST(made.graph.stages[1].partitions == 3);
  BOOST_TEST(made.graph.stages[1].map_reduce->sort_mib == 9);
  BOOST_TEST(made.graph.stages[1].map_reduce->sort_factor == 7);
  BOOST_TEST(made.job.assignments.empty());  // the factor is a setting of the topology already
  words.insert(words.end(), {"-D", "mapreduce.task.io.sort.mb=11", "-numReduceTasks", "2", "-D", "io.sort.factor=7"});
  const auto other = map_reduce(words);
  BOOST_TEST(other.graph.stages[1].partitions == 2);
  BOOST_TEST(other.graph.stages[1].map_reduce->sort_mib == 11);
  BOOST_TEST(other.job.assignments == std::vector<std::string>{"mapreduce.task.io.sort.factor=7"});
}

BOOST_AUTO_TEST_CASE(each_side_of_a_command_may_have_keys_without_values) {
  const auto all = map_reduce({"-mapper", "cat", "-reducer", "cat", "-io", "keyonlytext"}).graph;
  BOOST_TEST(all.stages[0].inputs[0].ignore_value);
  BOOST_TEST(!all.stages[0].inputs[0].ignore_key);
  BOOST_TEST(all.stages[1].shuffle->key.fields == 0);
  const auto later = map_reduce({"-mapper", "cat", "-reducer", "cat", "-D", "stream.map.output=keyonlytext", "-D",
                                 "stream.reduce.input=keyonlytext", "-D", "stream.reduce.output=keyonlytext"})
                         .graph;
  BOOST_TEST(!later.stages[0].inputs[0].ignore_value);
  BOOST_TEST(later.stages[1].shuffle->key.fields == 0);
  BOOST_TEST(!later.stages[1].output->streaming);
}

BOOST_AUTO_TEST_CASE(keys_of_a_job_without_mapper_are_offsets) {
  BOOST_TEST(map_reduce({}).graph.stages[0].map_reduce->has_offset_keys);
  BOOST_TEST(!map_reduce({"-mapper", "cat"}).graph.stages[0].map_reduce->has_offset_keys);
  BOOST_TEST(!map_reduce({"-inputformat", "KeyValueTextInputFormat"}).graph.stages[0].map_reduce->has_offset_keys);
}

BOOST_AUTO_TEST_CASE(hadoop_keys_that_heddle_does_not_honour_are_named_with_what_it_does) {
  const auto notices = [](const std::string& definition) {
    return map_reduce({"-mapper", "cat", "-D", definition}).notices;
  };
  BOOST_TEST(notices("mapred.job.tracker=host:9001") ==
                 std::vector<std::string>{"-D mapred.job.tracker=host:9001 is not honoured: heddle has no permanent "
                                          "cluster; the job runs on a local cluster"},
             boost::test_tools::per_element());
  BOOST_TEST(notices("mapreduce.job.ubertask.enable=true") ==
                 std::vector<std::string>{"-D mapreduce.job.ubertask.enable=true is not honoured: heddle has no uber "
                                          "mode; with framework yarn each task runs in a container"},
             boost::test_tools::per_element());
  for (const std::string key :
       {"mapreduce.job.ubertask.maxmaps", "mapreduce.job.ubertask.maxreduces", "mapreduce.reduce.merge.inmem.threshold",
        "mapred.inmem.merge.threshold", "mapreduce.shuffle.port", "mapreduce.fileoutputcommitter.algorithm.version"}) {
    const auto found = notices(key + "=2");
    BOOST_TEST_REQUIRE(found.size() == 1U, key);
    BOOST_TEST(found.front().starts_with("-D " + key + "=2 is not honoured: "), found.front());
  }
  BOOST_TEST(notices("mapred.job.tracker=local").empty());
  BOOST_TEST(notices("mapreduce.job.ubertask.enable=false").empty());
  BOOST_TEST(notices("mapreduce.fileoutputcommitter.algorithm.version=1").empty());
}

BOOST_AUTO_TEST_CASE(task_memory_and_shuffle_compression_are_read_from_hadoop_keys) {
  const auto made = map_reduce({"-mapper", "cat", "-reducer", "cat", "-D", "mapreduce.map.memory.mb=300", "-D",
                                "mapreduce.reduce.memory.mb=400", "-D", "mapreduce.map.output.compress=false"});
  BOOST_TEST(made.notices.empty());
  BOOST_TEST(made.graph.stages[0].memory_mib == 300);
  BOOST_TEST(made.graph.stages[1].memory_mib == 400);
  BOOST_REQUIRE(!made.job.assignments.empty());
  BOOST_TEST(made.job.assignments[0] == "heddle.shuffle.compression=none");
  const auto packed = map_reduce({"-mapper", "cat", "-D", "mapreduce.map.output.compress=true", "-D",
                                  "mapreduce.map.output.compress.codec=org.apache.hadoop.io.compress.ZStandardCodec",
                                  "-D", "mapreduce.map.memory.mb=-1"});
  BOOST_TEST(packed.graph.stages[0].memory_mib == 0);
  BOOST_TEST(packed.job.assignments.size() == 1U);  // -1: the memory is not set
  BOOST_TEST(packed.job.assignments[0] == "heddle.shuffle.compression=zstd");
}

BOOST_AUTO_TEST_CASE(the_framework_is_a_choice_and_hadoops_key_its_default) {
  BOOST_TEST(!map_reduce({"-mapper", "cat"}).framework.has_value());
  BOOST_TEST((map_reduce({"-mapper", "cat", "-framework", "classic"}).framework == config::Framework::classic));
  BOOST_TEST((map_reduce({"-mapper", "cat", "--framework", "driver"}).framework == config::Framework::driver));
  BOOST_TEST((map_reduce({"-mapper", "cat", "--framework", "yarn"}).framework == config::Framework::yarn));
  BOOST_TEST((map_reduce({"-mapper", "cat", "-jt", "local"}).framework == config::Framework::driver));
  const auto by_key = map_reduce({"-mapper", "cat", "-D", "mapreduce.framework.name=classic"});
  BOOST_TEST(!by_key.framework.has_value());
  BOOST_TEST(by_key.job.assignments[0] == "mapreduce.framework.name=classic");
  BOOST_TEST(by_key.notices.empty());
  const auto by_option = map_reduce({"-mapper", "cat", "-framework", "classic", "-D", "mapreduce.framework.name=yarn"});
  BOOST_TEST(by_option.job.assignments.empty());
  const std::vector<std::string> job{"mapreduce", "-input", "in", "-output", "out", "-mapper", "cat"};
  const auto with = [&job](const std::string& option, const std::string& value) {
    auto words = job;
    words.insert(words.end(), {option, value});
    return words;
  };
  BOOST_TEST(refusal(with("--framework", "clasic")) ==
             "--framework must be driver, classic or yarn, not \"clasic\"; did you mean \"classic\"?");
  BOOST_TEST(refusal(with("-jt", "host:9001")) ==
             "-jt host:9001 is not available: heddle has no permanent cluster yet; use -jt local");
}

BOOST_AUTO_TEST_CASE(verbose_prints_the_parts_of_the_job) {
  const auto notices = map_reduce({"-verbose", "-mapper", "cat", "-D", "mapreduce.job.reduces=2"}).notices;
  for (const char* expected : {"-mapper: cat", "-D: mapreduce.job.reduces=2"})
    BOOST_TEST(std::count(notices.begin(), notices.end(), expected) == 1, expected);
  BOOST_TEST(map_reduce({"-mapper", "cat", "-D", "mapreduce.job.reduces=2"}).notices.empty());
}

BOOST_AUTO_TEST_CASE(unsupported_streaming_options_are_errors_with_their_name) {
  const std::vector<std::vector<std::string>> table{{"-background"},
                                                    {"-fs", "x"},
                                                    {"-jt", "x"},
                                                    {"-dfs", "x"},
                                                    {"-libjars", "x"},
                                                    {"-archives", "x"},
                                                    {"-cacheArchive", "x"},
                                                    {"-mapdebug", "x"},
                                                    {"-reducedebug", "x"},
                                                    {"-io", "typedbytes"},
                                                    {"-io", "rawbytes"},
                                                    {"-inputformat", "SequenceFileInputFormat"},
                                                    {"-outputformat", "SequenceFileOutputFormat"},
                                                    {"-partitioner", "Mine"},
                                                    {"-inputreader", "Mine"},
                                                    {"-file", "no-such-file"},
                                                    {"-frobnicate", "1"},
                                                    {"stray"}};
  for (const auto& words : table) {
    std::vector<std::string> all{"mapreduce", "-input", "in", "-output", "out", "-mapper", "cat"};
    all.insert(all.end(), words.begin(), words.end());
    const auto text = refusal(all);
    const auto name = words[0].substr(words[0].find_first_not_of('-'));
    BOOST_TEST((text.find(name) != std::string::npos || text.find("ship") != std::string::npos),
               words[0] + ": " + text);
  }
  BOOST_TEST(!refusal({"mapreduce", "-input", "in", "-output", "out", "-reducer", "wc -l"}).empty());
  BOOST_TEST(!refusal({"mapreduce"}).empty());
}

BOOST_AUTO_TEST_CASE(config_prints_a_table_or_json) {
  ConfigOptions options;
  options.question = ConfigQuestion::explain;
  options.key = "spark.locality.wait";
  BOOST_TEST(answer_config(options, {}).value().find("heddle.locality.wait\n") == 0U);
  options.job.format = Format::json;
  BOOST_TEST(boost::json::parse(answer_config(options, {}).value()).at("schema").as_int64() == 1);
  options.question = ConfigQuestion::effective;
  BOOST_TEST(boost::json::parse(answer_config(options, {}).value()).at("settings").as_array().size() > 100U);
  options.question = ConfigQuestion::explain;
  options.key = "spark.locality.wat";
  BOOST_TEST((answer_config(options, {}).error().code == Errc::not_found));
  for (const auto& [word, found] :
       {std::pair{"maxFailures", "heddle.task.max_failures"}, std::pair{"locality", "heddle.locality.wait.rack"},
        std::pair{"heddle.locality.wiat", "did you mean \"heddle.locality.wait\"?"}}) {
    options.key = word;
    BOOST_TEST(answer_config(options, {}).error().text.find(found) != std::string::npos, word);
  }
}

BOOST_AUTO_TEST_CASE(completion_scripts_contain_verbs_and_options) {
  for (const auto* shell : {"bash", "zsh", "fish"}) {
    const auto script = std::get<Answer>(*parse({"completion", shell})).text;
    BOOST_TEST(script.find("mapreduce") != std::string::npos);
    BOOST_TEST(script.find("numReduceTasks") != std::string::npos);
    for (const auto* form : {"json", "jsonl"}) {
      const auto answer = std::get<Answer>(*parse({"completion", shell, "--format", form}));
      BOOST_TEST(answer.text == script);
      BOOST_TEST(!answer.is_document);
    }
  }
  BOOST_TEST(!refusal({"completion", "csh"}).empty());
}

// The seeds are fixed, so that a failure can be repeated.
BOOST_AUTO_TEST_CASE(random_arguments_give_a_result_or_an_error_text) {
  std::mt19937_64 random{6};
  const std::vector<std::string> pieces{
      "run",      "mapreduce", "config", "list",   "cancel",   "--",      "-",
      "-D",       "a=b",       "--set",  "-input", "x",        "-output", "--master",
      "local[2]", "-mapper",   "'",      "",       "--format", "json",    "-numReduceTasks",
      "-1",       "=",         "--=",    "-=",     "help",     "\xff",    "-Dx.y=z"};
  for (int round = 0; round < 5'000; ++round) {
    std::vector<std::string> words;
    for (auto count = random() % 8; count > 0; --count) words.push_back(pieces[random() % pieces.size()]);
    const auto parsed = parse(words);
    if (!parsed) BOOST_TEST(!parsed.error().text.empty());
  }
}

}  // namespace command_line_test
