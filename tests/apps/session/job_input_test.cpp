// Goal: the settings of inputs decide which files are read and how they are cut into splits.
// Method: small files; the lengths of the splits, the longest first.
#include "apps/session/job_input.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/support/remote_files.hpp"
#include "tests/support/scratch_folder.hpp"
#include "work/files/file_systems.hpp"
#include "work/files/local_file_system.hpp"

namespace heddle::apps {
namespace job_input_test {
namespace {

using Lengths = std::vector<std::int64_t>;
using Values = std::vector<std::pair<std::string, std::string>>;

/// A file of 10000 bytes, and one of 3000 in a folder beside it.
struct Input {
  work::ScratchFolder folder;
  Input() {
    folder.write("in/long", std::string(10'000, '\n'));
    folder.write("in/below/short", std::string(3'000, '\n'));
  }
  [[nodiscard]] Result<SubmitJob> prepare(const Values& values, TextInput input = {}) const {
    config::Settings settings;
    for (const auto& [key, value] : values)
      BOOST_REQUIRE(settings.set(key, value, config::Origin::command_line, "test").has_value());
    if (input.paths.empty()) input.paths = {folder.file("in/long")};
    StageDescription stage;
    stage.name = "map";
    stage.inputs = {std::move(input)};
    work::FileSystems files;
    return prepare_job({"job", "", {std::move(stage)}}, settings, files, nullptr);
  }
  [[nodiscard]] Lengths lengths(const Values& values, TextInput input = {}) const {
    const auto job = prepare(values, std::move(input));
    BOOST_REQUIRE_MESSAGE(job.has_value(), (job ? "" : job.error().text));
    Lengths found;
    for (const auto& each : job->package.splits.at(0).splits) found.push_back(each.split.length);
    return found;
  }
};

BOOST_AUTO_TEST_CASE(the_size_of_splits_follows_the_block_size_within_its_bounds) {
  struct Row {
    Values values;
    Lengths lengths;
  };
  const Row rows[] = {{{}, {10'000}},
                      {{{"heddle.input.block_bytes", "4k"}}, {4'096, 4'096, 1'808}},
                      {{{"heddle.input.split_bytes_max", "4000"}}, {4'000, 4'000, 2'000}},
                      {{{"mapreduce.input.fileinputformat.split.maxsize", "6000"}}, {6'000, 4'000}},
                      {{{"heddle.input.split_bytes_max", "4k"}, {"heddle.input.block_bytes", "2k"}},
                       {2'048, 2'048, 2'048, 2'048, 1'808}},
                      {{{"heddle.input.split_bytes_min", "6000"}, {"heddle.input.block_bytes", "2k"}}, {6'000, 4'000}},
                      {{{"heddle.input.split_bytes_min", "20000"}}, {10'000}}};
  const Input input;
  for (const auto& [values, lengths] : rows) {
    const auto name = values.empty() ? std::string{"no values"} : values.front().first;
    BOOST_TEST_CONTEXT(name) BOOST_TEST(input.lengths(values) == lengths, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(the_narrower_of_the_bounds_of_an_input_and_of_the_settings_counts) {
  const Input input;
  TextInput own;
  own.split_bytes_max = 4'000;
  BOOST_TEST(input.lengths({}, own) == (Lengths{4'000, 4'000, 2'000}), boost::test_tools::per_element());
  BOOST_TEST(input.lengths({{"heddle.input.split_bytes_max", "3000"}}, own) == (Lengths{3'000, 3'000, 3'000, 1'000}),
             boost::test_tools::per_element());
  own.split_bytes_min = 6'000;  // above the maximum, as in Hadoop
  BOOST_TEST(input.lengths({}, own) == (Lengths{6'000, 4'000}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(subfolders_are_read_only_if_the_setting_or_the_input_says_so) {
  const Input input;
  TextInput folder;
  folder.paths = {input.folder.file("in")};
  const auto refused = input.prepare({}, folder);
  BOOST_REQUIRE(!refused.has_value());
  BOOST_TEST((refused.error().code == Errc::refused));
  const Lengths both{10'000, 3'000};
  BOOST_TEST(input.lengths({{"heddle.input.recursive", "true"}}, folder) == both, boost::test_tools::per_element());
  folder.recursive = true;
  BOOST_TEST(input.lengths({}, folder) == both, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(splits_follow_the_blocks_of_their_file_and_name_its_hosts) {
  const work::ScratchFolder folder;
  folder.write("in/long", std::string((5 << 20) / 2, '\n'));
  folder.write("in/short", "text\n");
  auto files = work::with_remote_files("n:8020", folder.path(), {"/", "hdfs://n:8020", "/"});
  for (const std::string path : {"in", "hdfs:///in/*", "hdfs://n:8020/in/{long,short}"}) {
    TextInput input;
    input.paths = {path};
    input.wanted_splits = 1;
    StageDescription stage;
    stage.name = "map";
    stage.inputs = {input};
    const auto job = prepare_job({"job", "", {stage}}, config::Settings{}, files, nullptr);
    BOOST_REQUIRE_MESSAGE(job.has_value(), (job ? "" : job.error().text));
    const auto& splits = job->package.splits.at(0).splits;
    BOOST_REQUIRE(splits.size() == 4U);
    for (std::size_t i = 0; i < splits.size(); ++i) {
      const auto& split = splits[i].split;
      BOOST_TEST(split.path == (i < 3 ? "hdfs://n:8020/in/long" : "hdfs://n:8020/in/short"));
      BOOST_TEST(split.offset == (i < 3 ? static_cast<std::int64_t>(i) << 20 : 0));
      BOOST_TEST(std::count(split.hosts.begin(), split.hosts.end(), "host-of-all") == 1);
      BOOST_TEST(std::count(split.hosts.begin(), split.hosts.end(), "host-" + std::to_string(i % 3)) == 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(paths_of_a_job_are_completed) {
  const work::ScratchFolder folder;
  folder.write("in", "text\n");
  folder.write("map.sh", "");
  auto files = work::with_remote_files("n:8020", folder.path(), {folder.path(), "hdfs://n:8020", "/"});
  const auto prepare = [&](const std::string& output, const std::string& shipped) {
    StageDescription stage;
    stage.name = "map";
    stage.inputs.emplace_back();
    stage.inputs.back().paths = {"in"};
    stage.output.emplace();
    stage.output->path = output;
    CommandBody body;
    body.files = {shipped};
    stage.bodies = {body};
    return prepare_job({"job", "", {stage}}, config::Settings{}, files, nullptr);
  };
  const auto job = prepare("a/../out/", "map.sh");
  BOOST_REQUIRE_MESSAGE(job.has_value(), (job ? "" : job.error().text));
  const auto& stage = job->package.graph.stages.front();
  BOOST_TEST(stage.inputs.front().paths.front() == "hdfs://n:8020/in");
  BOOST_TEST(stage.output->path == "hdfs://n:8020/out");
  BOOST_TEST(std::get<CommandBody>(stage.bodies.front()).files.front() == folder.file("map.sh"));  // of the client
  BOOST_TEST(prepare("s3a://b/out", "map.sh").error().text ==
             "stage 'map': output s3a://b/out: no such file system: s3a; known: file, hdfs");
  BOOST_TEST(prepare("out", "hdfs:///none").error().text ==
             "stage 'map': file to ship does not exist: hdfs://n:8020/none");
  BOOST_TEST((prepare("/in", "map.sh").error().code == Errc::refused));
}

BOOST_AUTO_TEST_CASE(merges_of_reduces_get_the_memory_of_settings_unless_their_job_names_it) {
  const auto memory = [](const std::string& key, std::int64_t container_mib, std::int64_t bytes) {
    config::Settings settings;
    if (!key.empty()) BOOST_REQUIRE(settings.set(key, "4096", config::Origin::job_file, "test").has_value());
    JobGraph graph{"job", "", std::vector<StageDescription>(2)};
    for (auto& stage : graph.stages) stage.map_reduce.emplace().reduce_memory = bytes;
    graph.stages[1].parents = {0};
    graph.stages[1].shuffle = ShuffleDescription{};
    graph.stages[1].memory_mib = container_mib;
    work::FileSystems files;
    const auto job = prepare_job(graph, settings, files, nullptr);
    BOOST_REQUIRE_MESSAGE(job.has_value(), (job ? "" : job.error().text));
    return job->package.graph.stages[1].map_reduce->reduce_memory;
  };
  const auto standard = MapReduceRules{}.reduce_memory;
  BOOST_TEST(memory("", 0, standard) == standard);
  for (const auto* key : {"heddle.reduce.memory", "mapreduce.reduce.memory.mb", "mapred.job.reduce.memory.mb"})
    BOOST_TEST(memory(key, 0, standard) == 4'096LL << 20, key);
  BOOST_TEST(memory("heddle.reduce.memory", 2'048, 2'048LL << 20) == 2'048LL << 20);
  BOOST_TEST(memory("heddle.reduce.memory", 0, 100) == 100);  // mapreduce.reduce.memory.totalbytes
}

/// A file system without files, which refuses changes: a NameNode that stays in safe mode.
class InSafeMode final : public work::LocalFileSystem {
public:
  explicit InSafeMode(Errc code) : code_{code} {}
  using work::LocalFileSystem::make_directories;
  Result<Done> make_directories(const std::string& path, std::uint32_t) override {
    return Error{code_, "cannot create the folder '" + path + "': Name node is in safe mode"};
  }

private:
  Errc code_;
};

BOOST_AUTO_TEST_CASE(a_name_node_that_stays_in_safe_mode_ends_a_job_before_its_submission) {
  const auto prepare = [](Errc code) {
    work::FileSystems files{ports::PathDefaults{"/"},
                            {{"hdfs", [code](const std::string&) -> Result<std::unique_ptr<ports::FileSystem>> {
                                return std::unique_ptr<ports::FileSystem>{std::make_unique<InSafeMode>(code)};
                              }}}};
    StageDescription stage;
    stage.name = "map";
    stage.output.emplace();
    stage.output->path = "hdfs://n:8020/a/out";
    return prepare_job({"job", "", {stage}}, config::Settings{}, files, nullptr);
  };
  const auto refused = prepare(Errc::unreachable);
  BOOST_REQUIRE(!refused.has_value());
  BOOST_TEST((refused.error().code == Errc::unreachable));  // exit code 5
  BOOST_TEST(refused.error().text == "cannot create the folder 'hdfs://n:8020/a': Name node is in safe mode");
  BOOST_TEST(prepare(Errc::no_space).has_value());  // the Driver says so
}

BOOST_AUTO_TEST_CASE(a_claim_folder_of_an_ended_application_does_not_stop_the_next_run) {
  for (const bool has_ended : {true, false}) {
    const work::ScratchFolder folder;
    folder.write(".out.heddle-claim/_temporary/OWNER", work::write_owner(work::application_owner({1, 9})));
    StageDescription stage;
    stage.name = "map";
    stage.output.emplace();
    stage.output->path = folder.file("out");
    work::FileSystems files;
    const auto job = prepare_job({"job", "", {stage}}, config::Settings{}, files, nullptr,
                                 [has_ended](const ApplicationId&) { return has_ended; });
    BOOST_TEST(job.has_value() == has_ended, (job ? "" : job.error().text));
    BOOST_TEST(std::filesystem::exists(folder.file(".out.heddle-claim")) != has_ended);
  }
}

BOOST_AUTO_TEST_CASE(an_error_about_a_relative_input_names_the_folder_in_which_it_was_looked_up) {
  const work::ScratchFolder folder;
  folder.write("in", "text\n");
  const auto here = folder.path();
  const auto error_of = [](work::FileSystems& files, const std::vector<std::string>& paths) {
    StageDescription stage;
    stage.name = "map";
    stage.inputs.emplace_back();
    stage.inputs.back().paths = paths;
    const auto job = prepare_job({"job", "", {stage}}, config::Settings{}, files, nullptr);
    return job ? std::string{} : job.error().text;
  };
  work::FileSystems local{ports::PathDefaults{here}};
  BOOST_TEST(error_of(local, {"in", "texts/*.txt"}) == "stage 'map': input pattern '" + here +
                                                           "/texts/*.txt' matches no file; 'texts/*.txt' is a relative "
                                                           "path, looked up in " +
                                                           here);
  BOOST_TEST(error_of(local, {"./none"}) == "stage 'map': input '" + here +
                                                "/none' does not exist; './none' is a relative path, looked up in " +
                                                here);
  BOOST_TEST(error_of(local, {"in", "/no-such/*"}) == "stage 'map': input pattern '/no-such/*' matches no file");
  auto remote = work::with_remote_files("n:8020", here, {here, "hdfs://n:8020", "/user/ann"});
  BOOST_TEST(error_of(remote, {"none"}) ==
             "stage 'map': input 'hdfs://n:8020/user/ann/none' does not exist; 'none' is "
             "a relative path, looked up in hdfs://n:8020/user/ann");
}

}  // namespace
}  // namespace job_input_test
}  // namespace heddle::apps
