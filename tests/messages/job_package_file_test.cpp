// Goal: a job package comes back from its bytes as it was, all other bytes are refused with a sentence, and a change of
// the layout needs another version. Method: a package in which no field has its default; then damaged bytes.
#include "messages/job_package_file.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "model/sealed_bytes.hpp"

namespace heddle {
namespace job_package_file_test {
namespace {

StageDescription full_stage() {
  StageDescription stage;
  stage.name = "stage ☃";
  stage.inputs.push_back(
      {{"/in/a", "/in/b"}, InputFormat::n_line, 2, 9, 3, 4, "<a>", "</a>", ";", false, true, ":", true});
  stage.parents = {0};
  auto& shuffle = stage.shuffle.emplace();
  shuffle.key = {",", 2};
  shuffle.order = ShuffleDescription::Order::none;
  shuffle.partitioner = PartitionerKind::key_field;
  shuffle.partitioner_options = "-k1,1";
  shuffle.partitioner_separator = ".";
  shuffle.comparator = ComparatorKind::key_field;
  shuffle.comparator_options = "-k2,2nr";
  shuffle.comparator_separator = "/";
  shuffle.combiner = FunctionBody{"sum", "x"};
  shuffle.streaming = true;
  shuffle.read_separator = "|";
  shuffle.combined_key = {"#", 3};
  stage.partitions = 7;
  stage.bodies = {IdentityBody{}, CommandBody{{"tr", "a", "b"}, {{"LANG", "C"}}, {"/f"}, false, 6},
                  FunctionBody{"count", std::string{"\0x", 2}}};
  stage.output = TextOutput{"/out", true, "p-", true, true, {"=", 4}, ">"};
  stage.cores = 2;
  stage.memory_mib = 512;
  stage.executor_cores = 4;
  stage.executor_memory_mib = 2048;
  stage.barrier = true;
  stage.pass_through = true;
  stage.terminal = "host:1";
  stage.keep_standard_output = true;
  return stage;
}

JobPackage full_package() {
  JobPackage package;
  package.graph = {"words", "pool", {full_stage(), StageDescription{}}, {{"my.own", "x"}}};
  package.splits = {{{{0, {"/in/a", 10, 20, {"host1", "host2"}, {"host2"}}}, {0, {}}}}, {}};
  return package;
}

std::string bytes_of(const JobPackage& package) {
  auto written = write_job_package(package);
  BOOST_REQUIRE(written.has_value());
  return *written;
}

BOOST_AUTO_TEST_CASE(a_package_comes_back_as_it_was_written) {
  const auto back = read_job_package(bytes_of(full_package()));
  BOOST_REQUIRE(back.has_value());
  BOOST_TEST(bytes_of(*back) == bytes_of(full_package()));
  BOOST_TEST(back->graph.name == "words");
  BOOST_TEST(back->graph.pool == "pool");
  BOOST_TEST((back->graph.properties == full_package().graph.properties));
  BOOST_REQUIRE(back->graph.stages.size() == 2U);
  BOOST_TEST(back->graph.stages[0].name == "stage ☃");
  BOOST_TEST((back->graph.stages[0].bodies == full_stage().bodies));
  BOOST_TEST((*back->graph.stages[0].shuffle == *full_stage().shuffle));
  BOOST_TEST(back->graph.stages[0].output->separator == ">");
  BOOST_TEST(!back->graph.stages[1].output.has_value());
  BOOST_REQUIRE(back->splits.size() == 2U);
  BOOST_TEST((back->splits[0].splits[0].split == InputSplit{"/in/a", 10, 20, {"host1", "host2"}, {"host2"}}));
  BOOST_TEST(back->splits[1].splits.empty());
}

BOOST_AUTO_TEST_CASE(the_layout_of_the_bytes_belongs_to_the_version) {
  const auto bytes = bytes_of(full_package());
  BOOST_TEST(bytes.substr(0, 4) == "HDJP");
  BOOST_TEST(from_little_endian(std::string_view{bytes}.substr(4, 4)) == 4U);
  // If this fails, the fields of a package have changed: raise the version in messages/job_package_file.cpp.
  BOOST_TEST(bytes.size() == 546U);
  BOOST_TEST(from_little_endian(std::string_view{bytes}.substr(8, 8)) == 12965011311374681310U);
}

BOOST_AUTO_TEST_CASE(torn_changed_and_foreign_files_are_refused_with_a_sentence) {
  const auto whole = bytes_of(full_package());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    auto changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    BOOST_REQUIRE_MESSAGE(!read_job_package(changed).has_value(), "byte " << i);
    const auto cut = read_job_package(std::string_view{whole}.substr(0, i));
    BOOST_REQUIRE_MESSAGE(!cut.has_value(), "cut at " << i);
    BOOST_TEST(cut.error().text.starts_with("the job package "));
    BOOST_REQUIRE(!read_job_package_fields(std::string_view{whole}.substr(seal_header_bytes, i)).has_value() ||
                  i + seal_header_bytes >= whole.size());
  }
  BOOST_TEST(read_job_package(whole + "x").error().text ==
             "the job package is damaged: the checksum of its " + std::to_string(whole.size() + 1) + " bytes is wrong");
  BOOST_TEST(read_job_package("job = \"words\"\n[[stage]]\n").error().text ==
             "the job package has no valid header: its 24 bytes do not start with HDJP");
}

BOOST_AUTO_TEST_CASE(a_package_of_another_version_is_refused_with_both_numbers) {
  auto bytes = bytes_of({});
  bytes[4] = 9;
  BOOST_TEST(read_job_package(bytes).error().text ==
             "the job package has version 9, this program reads version 4: another build wrote it; use one build for "
             "all processes");
}

BOOST_AUTO_TEST_CASE(counts_that_the_bytes_do_not_hold_are_refused_without_their_memory) {
  for (const auto& bytes : {std::string(4, '\xff'), std::string(12, '\x7f'), std::string(64, '\xff')})
    BOOST_TEST(!read_job_package_fields(bytes).has_value());
}

BOOST_AUTO_TEST_CASE(values_out_of_range_are_refused_with_their_reason) {
  const auto refusal = [](const JobPackage& package) { return read_job_package(bytes_of(package)).error().text; };
  auto package = full_package();
  package.splits.emplace_back();
  BOOST_TEST(refusal(package).find("splits of a stage that its graph does not have") != std::string::npos);
  for (const std::int32_t input : {-1, 1}) {
    package = full_package();
    package.splits[0].splits[1].input = input;
    BOOST_TEST(refusal(package).find("an input that its stage does not have") != std::string::npos);
  }
  for (const auto& split :
       {InputSplit{"/a", -1, 1, {}}, InputSplit{"/a", 0, -1, {}}, InputSplit{"/a", 2, INT64_MAX, {}}}) {
    package = full_package();
    package.splits[0].splits[1].split = split;
    BOOST_TEST(refusal(package).find("the offset or the length of a split") != std::string::npos);
  }
  package = full_package();
  package.graph.stages[0].partitions = stage_tasks_max + 1;
  BOOST_TEST(refusal(package).find("the number of partitions") != std::string::npos);
}

}  // namespace
}  // namespace job_package_file_test
}  // namespace heddle
