// Goal: the settings of inputs decide which files are read and how they are cut into splits.
// Method: small files; the lengths of the splits, the longest first.
#include "apps/session/job_input.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/scratch_folder.hpp"
#include "work/files/file_systems.hpp"

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

}  // namespace
}  // namespace job_input_test
}  // namespace heddle::apps
