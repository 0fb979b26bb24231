// Goal: JobBuilder gives the same graph as a job file, or an error with stage and reason.
// Method: builders, and the resulting graph or error text.
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "config/files/job_file.hpp"
#include "heddle/heddle.hpp"

namespace job_builder_test {

namespace {

using namespace heddle;

void split_words(TaskContext& task) {
  for (std::string_view line : task.lines()) task.emit(line);
}
HEDDLE_TASK(split_words)

void sum_words(TaskContext&) {}
HEDDLE_TASK(sum_words)

void nobody_registered(TaskContext&) {}

std::string fault_of(const JobBuilder& job) {
  auto graph = job.build();
  return graph ? "no fault" : graph.error().text;
}

const std::string& function_of(const TaskBody& body) { return std::get<FunctionBody>(body).name; }

BOOST_AUTO_TEST_SUITE(job_builder)

BOOST_AUTO_TEST_CASE(stages_in_any_order_give_a_graph_with_parents_first) {
  const auto graph = JobBuilder{"words"}
                         .shuffle_stage("sum", {.after = "split", .partitions = 3, .combiner = sum_words}, sum_words)
                         .save_text("out", {.gzip = true})
                         .resources({.cores = 2, .memory_mib = 64})
                         .barrier()
                         .stage("split", text({"a", "b"}), split_words)
                         .pool("night")
                         .build();
  BOOST_REQUIRE(graph);
  BOOST_TEST(graph->name == "words");
  BOOST_TEST(graph->pool == "night");
  BOOST_REQUIRE_EQUAL(graph->stages.size(), 2U);
  const auto& split = graph->stages[0];
  BOOST_TEST(split.name == "split");
  BOOST_TEST(split.inputs.front().paths == (std::vector<std::string>{"a", "b"}), boost::test_tools::per_element());
  BOOST_TEST(function_of(split.bodies.front()) == "split_words");
  const auto& sum = graph->stages[1];
  BOOST_TEST(sum.parents == std::vector<std::int32_t>{0}, boost::test_tools::per_element());
  BOOST_TEST(sum.partitions == 3);
  BOOST_TEST(sum.cores == 2);
  BOOST_TEST(sum.barrier);
  BOOST_TEST(sum.memory_mib == 64);
  BOOST_REQUIRE(sum.shuffle && sum.shuffle->combiner && sum.output);
  BOOST_TEST(function_of(*sum.shuffle->combiner) == "sum_words");
  BOOST_TEST(sum.output->path == "out");
  BOOST_TEST(sum.output->gzip);
}

BOOST_AUTO_TEST_CASE(a_builder_and_a_job_file_give_the_same_graph) {
  const auto built = JobBuilder{"identifiers"}
                         .stage("split", text("/usr/include/c++/**"), command({"tr", "-cs", "A-Za-z0-9_", "\n"}))
                         .shuffle_stage("count", {.after = "split", .partitions = 4}, command({"uniq", "-c"}))
                         .save_text("out")
                         .build();
  const auto read = config::parse_job_file("job.toml", R"(name = "identifiers"
[[stage]]
name = "split"
input = { text = "/usr/include/c++/**" }
command = ["tr", "-cs", "A-Za-z0-9_", "\n"]
[[stage]]
name = "count"
after = ["split"]
partitions = 4
shuffle = { key_fields = 1, order = "sorted" }
command = ["uniq", "-c"]
output = { text = "out" }
)");
  BOOST_REQUIRE(built);
  BOOST_REQUIRE(read);
  BOOST_TEST(built->name == read->graph.name);
  BOOST_REQUIRE_EQUAL(built->stages.size(), read->graph.stages.size());
  for (std::size_t i = 0; i < built->stages.size(); ++i) {
    const auto& left = built->stages[i];
    const auto& right = read->graph.stages[i];
    BOOST_TEST(left.name == right.name);
    BOOST_TEST(left.parents == right.parents, boost::test_tools::per_element());
    BOOST_TEST(left.partitions == right.partitions);
    BOOST_TEST(left.shuffle.has_value() == right.shuffle.has_value());
    BOOST_TEST(left.output.has_value() == right.output.has_value());
    BOOST_TEST(
        std::get<CommandBody>(left.bodies.front()).arguments == std::get<CommandBody>(right.bodies.front()).arguments,
        boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_pipe_keeps_the_order_of_its_parts) {
  const auto graph =
      JobBuilder{"pipe"}
          .stage("a", tasks(2), pipeline({split_words, command({"sort"}), function("sum_words"), unchanged()}))
          .build();
  BOOST_REQUIRE(graph);
  const auto& bodies = graph->stages.front().bodies;
  BOOST_REQUIRE_EQUAL(bodies.size(), 4U);
  BOOST_TEST(function_of(bodies[0]) == "split_words");
  BOOST_TEST(std::get<CommandBody>(bodies[1]).arguments.front() == "sort");
  BOOST_TEST(function_of(bodies[2]) == "sum_words");
  BOOST_TEST(std::holds_alternative<IdentityBody>(bodies[3]));
}

BOOST_AUTO_TEST_CASE(invalid_graphs_are_errors_with_stage_and_reason) {
  const auto reading = [] { return JobBuilder{"job"}.stage("read", text("x"), split_words); };
  const struct {
    JobBuilder job;
    std::string fault;
  } cases[] = {
      {JobBuilder{"job"}, "the job 'job' has no stages"},
      {JobBuilder{"job"}.stage("", text("x"), split_words), "a stage needs a name"},
      {JobBuilder{"job"}.stage("a", text(""), split_words), "stage 'a': an input path is empty"},
      {JobBuilder{"job"}.stage("a", text(std::vector<std::string>{}), split_words),
       "stage 'a': an input needs at least one path"},
      {JobBuilder{"job"}.stage("a", std::vector<TextInput>{}, split_words),
       "stage 'a': it has no input; pass heddle::tasks(n) for a stage without input"},
      {JobBuilder{"job"}.stage("a", tasks(0), split_words), "stage 'a': it has 0 tasks; at least 1 is required"},
      {JobBuilder{"job"}.stage("a", tasks(1), function("split_wrods")),
       "stage 'a': this program has no task function named split_wrods; did you mean \"split_words\"?"},
      {JobBuilder{"job"}.stage("a", tasks(1), nobody_registered),
       "stage 'a': the task function is not registered; add HEDDLE_TASK(NAME) after its definition"},
      {JobBuilder{"job"}.stage("a", tasks(1), command({})),
       "stage 'a': a command needs at least the name of a program"},
      {JobBuilder{"job"}.stage("a", tasks(1), pipeline({})),
       "stage 'a': the pipeline is empty; use heddle::unchanged() to pass records through"},
      {reading().stage("read", text("y"), split_words), "two stages are named \"read\""},
      {reading().stage("b", after("raed"), split_words), "no stage is named \"raed\"; did you mean \"read\"?"},
      {reading().stage("b", After{"read", "read"}, split_words),
       "stage 'b': it has 2 parents; a stage without a shuffle has exactly one"},
      {reading().shuffle_stage("b", {}, sum_words), "stage 'b': a shuffle stage needs a parent; set .after"},
      {reading().shuffle_stage("b", {.after = "read", .partitions = 0}, sum_words),
       "stage 'b': a shuffle has 0 partitions; at least 1 is required"},
      {reading().shuffle_stage("b", {.after = "read", .key = {.separator = ""}}, sum_words),
       "stage 'b': the separator of a key must not be empty"},
      {reading().shuffle_stage("b", {.after = "read", .combiner = nobody_registered}, sum_words),
       "stage 'b': combiner: the task function is not registered; add HEDDLE_TASK(NAME) after its definition"},
      {reading().shuffle_stage("b", {.after = "read", .combiner = pipeline({sum_words, sum_words})}, sum_words),
       "stage 'b': a combiner is one function or one command"},
      {JobBuilder{"job"}.shuffle_stage("a", {.after = "b"}, sum_words).shuffle_stage("b", {.after = "a"}, sum_words),
       "stage \"a\" depends on itself through after"},
      {JobBuilder{"job"}.save_text("out"), "save_text() applies to the last added stage; add a stage first"},
      {JobBuilder{"job"}.resources({}), "resources() applies to the last added stage; add a stage first"},
      {reading().save_text(""), "stage 'read': save_text() needs the name of a folder"},
      {reading().save_text("a").save_text("b"),
       "stage 'read': it calls save_text() twice; a stage writes to one folder"},
      {reading().save_text("a", {.prefix = "x/"}),
       "stage 'read': the prefix of save_text() must not be empty or contain a slash"},
      {reading().resources({.cores = 0}),
       "stage 'read': a task of 0 cores and 0 MiB; use 1 or more cores, 0 or more MiB"},
      {reading().resources({.executor_cores = -1}),
       "stage 'read': an executor of -1 cores and 0 MiB; use 0 or more of each"},
  };
  for (const auto& [job, fault] : cases) BOOST_TEST(fault_of(job) == fault);
}

BOOST_AUTO_TEST_CASE(the_first_invalid_call_of_a_chain_is_reported) {
  BOOST_TEST(
      fault_of(JobBuilder{"job"}.stage("a", tasks(0), split_words).save_text("").stage("b", tasks(-1), split_words)) ==
      "stage 'a': it has 0 tasks; at least 1 is required");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

}  // namespace job_builder_test
