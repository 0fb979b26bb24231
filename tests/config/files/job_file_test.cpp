// Goal: a valid job or topology file is parsed, any other gives one error message with line and column. Method: the
// example of the documentation, a table of wrong files, and mutations of valid ones.
#include "config/files/job_file.hpp"

#include <boost/test/unit_test.hpp>
#include <random>

#include "config/files/settings_sources.hpp"
#include "config/files/topology_file.hpp"
#include "config/hadoop/hadoop_xml.hpp"

namespace job_file_test {

using namespace heddle;
using namespace heddle::config;

namespace {

const std::string job_text = R"(name = "identifiers"
[settings]
"spark.locality.wait" = "3s"
heddle.task.max_failures = 2
[[stage]]
name = "count"
after = ["split"]
partitions = 4
shuffle = { key_fields = 1, order = "sorted" }
command = ["uniq", "-c"]
output = { text = "out/identifiers" }
[[stage]]
name = "split"
input = { text = "/usr/include/c++/**" }
command = ["tr", "-cs", "A-Za-z0-9_", "\n"]
)";

const std::string topology_text = R"([[rack]]
name = "r1"
hosts = ["a", "b"]
cores = 2
memory = "1g"
[[host]]
name = "b"
speed = 0.5
[[host]]
name = "c"
rack = "r2"
[[replica]]
input = "/data/*"
hosts = [["a"], ["c", "b"]]
[[application]]
job = "x.toml"
submit_at = "3s"
)";

std::string mutated(std::mt19937_64& random, std::string text) {
  for (std::uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
    const auto at = random() % text.size();
    switch (random() % 3) {
      case 0: text[at] = static_cast<char>(random() % 256); break;
      case 1: text.erase(at, 1 + random() % 5); break;
      default: text.insert(at, 1, "[]{}=\"\n,.'#"[random() % 11]);
    }
    if (text.empty()) text = "x";
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_stage_may_be_a_barrier_stage) {
  const std::string stage = "[[stage]]\nname = \"one\"\ntasks = 2\n";
  BOOST_TEST(!parse_job_file("job.toml", stage).value().graph.stages.at(0).barrier);
  BOOST_TEST(parse_job_file("job.toml", stage + "barrier = true\n").value().graph.stages.at(0).barrier);
  BOOST_TEST(!parse_job_file("job.toml", stage + "barrier = 1\n").has_value());
}

BOOST_AUTO_TEST_CASE(a_stage_may_name_the_size_of_its_executors) {
  const std::string stage = "[[stage]]\nname = \"one\"\ntasks = 2\n";
  const auto plain = parse_job_file("job.toml", stage).value().graph.stages.at(0);
  BOOST_TEST(plain.executor_cores == 0);
  BOOST_TEST(plain.executor_memory_mib == 0);
  const auto sized =
      parse_job_file("job.toml", stage + "executor_cores = 2\nexecutor_memory = \"3g\"\n").value().graph.stages.at(0);
  BOOST_TEST(sized.executor_cores == 2);
  BOOST_TEST(sized.executor_memory_mib == 3072);
}

BOOST_AUTO_TEST_CASE(the_standard_output_of_a_stage_that_only_runs_commands_is_kept) {
  const auto kept = [](const std::string& more) {
    const auto file = parse_job_file("job.toml", "[[stage]]\nname = \"one\"\ntasks = 2\n" + more);
    std::vector<bool> found;
    for (const auto& stage : file.value().graph.stages) found.push_back(stage.keep_standard_output);
    return found;
  };
  BOOST_TEST((kept("") == std::vector{true}));
  BOOST_TEST((kept("output = { text = \"out\" }\n") == std::vector{false}));
  BOOST_TEST((kept("[[stage]]\nname = \"two\"\nafter = [\"one\"]\n") == std::vector{false, false}));
  BOOST_TEST((kept("[[stage]]\nname = \"two\"\ninput = { text = \"in\" }\n") == std::vector{true, false}));
}

BOOST_AUTO_TEST_CASE(the_example_of_the_product_page_is_a_graph_with_parents_first) {
  const auto file = parse_job_file("job.toml", job_text);
  BOOST_REQUIRE_MESSAGE(file.has_value(), (file ? std::string{} : file.error().text));
  BOOST_REQUIRE(file->graph.stages.size() == 2U);
  BOOST_TEST(file->graph.stages[0].name == "split");
  BOOST_TEST(file->graph.stages[1].parents == std::vector<std::int32_t>{0}, boost::test_tools::per_element());
  BOOST_TEST(file->graph.stages[1].output->path == "out/identifiers");
  BOOST_TEST(file->settings.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_wrong_job_file_is_named_with_line_column_and_the_nearest_key) {
  const std::string stage = "[[stage]]\nname = \"a\"\ntasks = 1\n";
  const std::vector<std::pair<std::string, std::string>> table{
      {"[[stage]]\nnam = \"a\"\n", "job.toml:2:1: unknown key \"nam\"; did you mean \"name\"?"},
      {"name = \n", "job.toml:1:"},
      {"name = 1\n", "name must be a text, not a whole number"},
      {"", "at least one [[stage]]"},
      {"[[stage]]\nname = \"a\"\n", "a stage needs input, after, or a number of tasks"},
      {stage + "command = \"ls\"\n", "job.toml:4:11: a command must be an array of texts"},
      {stage + "command = []\n", "at least the name"},
      {stage + "[[stage]]\nname = \"a\"\ntasks = 1\n", "two stages are named"},
      {stage + "[[stage]]\nname = \"b\"\nafter = [\"aa\"]\n", "no stage is named \"aa\"; did you mean \"a\"?"},
      {"[[stage]]\nname = \"b\"\nafter = [\"b\"]\n", "depends on itself"},
      {"[[stage]]\nname = \"b\"\ntasks = 0\n", "tasks must be from 1 to"},
      {stage + "shuffle = { order = \"sort\" }\n", "did you mean \"sorted\""},
      {stage + "memory = \"1x\"\n", "memory: \"1x\" is not a size"},
      {stage + "executor_cores = 0\n", "executor_cores must be from 1 to 4096"},
      {stage + "executor_memory = \"much\"\n", "executor_memory: \"much\" is not a size"},
  };
  for (const auto& [content, expected] : table) {
    const auto file = parse_job_file("job.toml", content);
    BOOST_REQUIRE_MESSAGE(!file.has_value(), content);
    BOOST_TEST(file.error().text.find(expected) != std::string::npos, file.error().text);
    BOOST_TEST((file.error().code == Errc::usage));
  }
}

BOOST_AUTO_TEST_CASE(a_topology_places_hosts_and_replicas) {
  const auto file = parse_topology_file("t.toml", topology_text);
  BOOST_REQUIRE_MESSAGE(file.has_value(), (file ? std::string{} : file.error().text));
  BOOST_REQUIRE(file->hosts.size() == 3U);
  BOOST_TEST(file->hosts[1].rack == "/r1");
  BOOST_TEST(file->hosts[1].speed == 0.5);
  BOOST_TEST(file->hosts[2].rack == "/r2");
  BOOST_TEST(file->replicas[0].hosts.size() == 2U);
  BOOST_TEST(file->applications[0].submit_at.count() == 3'000'000);
}

BOOST_AUTO_TEST_CASE(a_topology_says_what_hosts_have_beside_memory_and_cores) {
  const auto file = parse_topology_file("t.toml", R"([[rack]]
name = "r1"
hosts = ["a", "b"]
resources = { "yarn.io/gpu" = 2, license = "1k" }
[[host]]
name = "b"
resources = {}
[[host]]
name = "c"
)");
  BOOST_REQUIRE_MESSAGE(file.has_value(), (file ? std::string{} : file.error().text));
  BOOST_TEST((file->hosts[0].resource.others == ResourceAmounts{{"license", 1000}, {"yarn.io/gpu", 2}}));
  BOOST_TEST(file->hosts[1].resource.others.empty());
  BOOST_TEST(file->hosts[1].has_own_others);
  BOOST_TEST(!file->hosts[2].has_own_others);
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"{ \"yarn.io/gpu\" = -1 }", "yarn.io/gpu: \"-1\" is not an amount"},
      {"{ \"yarn.io/gpu\" = \"2X\" }", "\"2X\" is not an amount"},
      {"{ gpu = true }", "gpu must be an amount"},
      {"{ \"9gpu\" = 1 }", "\"9gpu\" is not a resource name"},
      {"{ vcores = 1 }", "vcores cannot be in resources; use the key cores"},
      {"2", "resources must be a table"}};
  for (const auto& [text, sentence] : wrong) {
    const auto refused = parse_topology_file("t.toml", "[[host]]\nname=\"a\"\nresources = " + text + "\n");
    BOOST_REQUIRE_MESSAGE(!refused.has_value(), text);
    BOOST_TEST(
        (refused.error().text.starts_with("t.toml:3:") && refused.error().text.find(sentence) != std::string::npos),
        refused.error().text);
  }
}

BOOST_AUTO_TEST_CASE(an_application_of_a_topology_names_one_job_or_several) {
  const std::string host = "[[host]]\nname=\"a\"\n[[application]]\n";
  const auto one = parse_topology_file("t.toml", host + "job=\"x.toml\"\n");
  BOOST_REQUIRE(one.has_value());
  BOOST_TEST(one->applications[0].name == "x");
  const auto two = parse_topology_file("t.toml", host + "jobs=[\"x.toml\",\"y.toml\"]\nqueue=\"etl\"\nuser=\"ann\"\n");
  BOOST_REQUIRE(two.has_value());
  BOOST_TEST(two->applications[0].jobs.size() == 2U);
  BOOST_TEST(two->applications[0].queue == "etl");
  BOOST_TEST(!parse_topology_file("t.toml", host + "user=\"ann\"\n").has_value());
}

BOOST_AUTO_TEST_CASE(a_topology_has_slots_a_framework_and_losses) {
  const auto file = parse_topology_file("t.toml", R"(framework = "classic"
[[rack]]
name = "r1"
hosts = ["a", "b"]
map_slots = 3
[[host]]
name = "b"
map_slots = 0
reduce_slots = 1
lost_at = "5s"
[[application]]
job = "x.toml"
priority = "high"
settings = { "heddle.map.max_attempts" = 2 }
)");
  BOOST_REQUIRE_MESSAGE(file.has_value(), (file ? std::string{} : file.error().text));
  BOOST_TEST((file->framework == Framework::classic));
  const auto& a = file->hosts[0];
  const auto& b = file->hosts[1];
  BOOST_TEST((a.map_slots == 3 && !a.reduce_slots && !a.lost_at));
  BOOST_TEST((b.map_slots == 0 && b.reduce_slots == 1 && b.lost_at == seconds(5)));
  const auto& settings = file->applications[0].settings;
  BOOST_REQUIRE(settings.size() == 2U);
  BOOST_TEST((settings[0] == SettingEntry{"heddle.map_reduce.priority", "high", "t.toml:13:12"}));
}

BOOST_AUTO_TEST_CASE(slots_without_framework_classic_are_refused_with_the_key_that_works) {
  const auto refusal = [](const std::string& framework, const std::string& line) {
    const auto read = parse_topology_file("t.toml", "framework = \"" + framework + "\"\n[[host]]\nname=\"a\"\n" + line);
    return read ? std::string{} : read.error().text;
  };
  BOOST_TEST(refusal("yarn", "map_slots = 3\n") ==
             "t.toml:4:13: map_slots needs framework = \"classic\"; with framework yarn, set heddle.map.memory in "
             "[settings]");
  BOOST_TEST(refusal("driver", "reduce_slots = 3\n") ==
             "t.toml:4:16: reduce_slots needs framework = \"classic\"; with framework driver, set cores");
  BOOST_TEST(refusal("classic", "map_slots = 3\n").empty());
  BOOST_TEST(refusal("yarn", "map_slot = 3\n").ends_with("unknown key \"map_slot\"; did you mean \"map_slots\"?"));
  BOOST_TEST(parse_topology_file("t.toml", "[[host]]\nname=\"a\"\nmap_slots = 3\n").has_value());
}

BOOST_AUTO_TEST_CASE(an_application_has_the_priority_and_the_queue_of_its_framework) {
  const auto parsed = [](const std::string& framework, const std::string& line) {
    return parse_topology_file("t.toml", framework + "[[host]]\nname=\"a\"\n[[application]]\njob=\"x.toml\"\n" + line);
  };
  const auto number = parsed("framework = \"yarn\"\n", "priority = 3\n");
  BOOST_REQUIRE(number.has_value());
  BOOST_TEST(number->applications[0].settings[0].key == "heddle.application.priority");
  const std::string classic = "framework = \"classic\"\n";
  BOOST_TEST(parsed(classic, "priority = 3\n").error().text ==
             "t.toml:6:12: priority must be a text with framework classic, such as \"high\"");
  BOOST_TEST(parsed(classic, "priority = \"urgent\"\n").error().text.find("VERY_HIGH") != std::string::npos);
  BOOST_TEST(parsed("", "priority = \"high\"\n").error().text ==
             "t.toml:5:12: priority must be a number; texts are for framework classic");
  BOOST_TEST(parsed(classic, "queue = \"etl\"\n").error().text ==
             "t.toml:6:9: framework classic has the queue default only; omit the queue");
  BOOST_TEST(parsed("framework = \"clasic\"\n", "").error().text.find("did you mean \"classic\"?") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_replica_on_an_unknown_host_is_refused) {
  const auto file =
      parse_topology_file("t.toml", "[[host]]\nname=\"node1\"\n[[replica]]\ninput=\"x\"\nhosts=[\"node2\"]\n");
  BOOST_TEST(file.error().text.find("did you mean \"node1\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(settings_are_layered_and_a_wrong_key_names_its_place) {
  SettingsRequest request;
  request.assignments = {"heddle.locality.wait=7s"};
  request.job_entries = {{"spark.locality.wait", "1s", "job.toml:3:1"},
                         {"spark.task.maxFailures", "9", "job.toml:4:1"}};
  request.master = parse_master("local[2]", 2).value();
  const auto loaded = load_settings(request);
  BOOST_REQUIRE(loaded.has_value());
  BOOST_TEST(loaded->settings.effective("heddle.locality.wait").text == "7s");
  BOOST_TEST(loaded->settings.task_scheduler().failures_max == 9);
  request.job_entries = {{"heddle.task.max_failure", "9", "job.toml:4:1"}};
  BOOST_TEST(load_settings(request).error().text.find("job.toml:4:1: no setting") == 0U);
}

BOOST_AUTO_TEST_CASE(hadoop_files_are_properties) {
  const auto right = parse_hadoop_xml(
      "x.xml", "<configuration><property><name> a.b </name><value>1</value></property></configuration>");
  BOOST_TEST(right.value().front().key == "a.b");
  BOOST_TEST(!parse_hadoop_xml("x.xml", "<configuration><property/></configuration>").has_value());
  BOOST_TEST(!parse_hadoop_xml("x.xml", "<a>").has_value());
}

// Seeds are fixed: a failure repeats by running this case again.
BOOST_AUTO_TEST_CASE(mutated_files_give_a_value_or_a_sentence) {
  std::mt19937_64 random{4};
  for (int round = 0; round < 4'000; ++round) {
    const auto job = parse_job_file("job.toml", mutated(random, job_text));
    if (!job) BOOST_TEST(job.error().text.find("job.toml") == 0U);
    const auto topology = parse_topology_file("t.toml", mutated(random, topology_text));
    if (!topology) BOOST_TEST(topology.error().text.find("t.toml") == 0U);
    const auto xml =
        parse_hadoop_xml("x", mutated(random, "<configuration><property><name>a</name></property></configuration>"));
    if (!xml) BOOST_TEST(!xml.error().text.empty());
  }
}

}  // namespace job_file_test
