// Goal: a launch spec is parsed as it was written, and all other bytes are refused with an error message. Method: one
// spec per role; then truncated, changed and foreign bytes.
#include "model/launch_spec.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

namespace heddle {
namespace launch_spec_test {
namespace {

LaunchSpec spec_of(decltype(LaunchSpec::role) role) {
  LaunchSpec spec;
  spec.settings = "heddle.locality.wait=7s\n~heddle.executor.instances=4\n";
  spec.log_directory = "/state/application_1_1";
  spec.parent_watch = 3;
  spec.container = {ContainerId{7}, {{1000, 2}, 3}, NodeId{4},  Epoch{5}, "a", 150,
                    "127.0.0.1:1",  "127.0.0.1:2",  "/state/a", "secret"};
  spec.role = std::move(role);
  return spec;
}

std::vector<LaunchSpec> one_of_each() {
  return {LaunchSpec{},
          spec_of(ResourceManagerLaunch{1000, 3, "/state/ready"}),
          spec_of(NodeManagerLaunch{"127.0.0.1:1", "a", "/rack 1", {4096, 8, {{"yarn.io/gpu", 2}}}, 150, "/state/a"}),
          spec_of(ApplicationMasterLaunch{JobServiceKind::driver, "", "owner", {{"a", "/rack 1"}, {"b", ""}}}),
          spec_of(ApplicationMasterLaunch{JobServiceKind::map_reduce_master, "", "owner", {}}),
          spec_of(ApplicationMasterLaunch{JobServiceKind::driver, "", "owner", {}, "hdfs://n:8020/staging", true}),
          spec_of(ExecutorLaunch{ExecutorId{8}, 2, ProfileId{1}, "127.0.0.1:3", 1'000'000'000}),
          spec_of(LeftoverWatchLaunch{"/state", "12-3-4", 1700}),
          spec_of(JobTrackerLaunch{1000, "/state/ready", "/state/jobs", "owner", "127.0.0.1:7", 2}),
          spec_of(TaskTrackerLaunch{"127.0.0.1:1", "a", "/rack 1", 2, 1, 150, "/state/a", "owner"}),
          spec_of(TaskChildLaunch{"127.0.0.1:3", 12, "owner"})};
}

BOOST_AUTO_TEST_CASE(a_launch_spec_comes_back_as_it_was_written) {
  for (const auto& spec : one_of_each()) {
    const auto back = read_launch_spec(write_launch_spec(spec));
    BOOST_REQUIRE_MESSAGE(back.has_value(), role_name(spec));
    BOOST_TEST((*back == spec), role_name(spec));
  }
}

BOOST_AUTO_TEST_CASE(a_launch_spec_of_another_version_is_refused_with_both_numbers) {
  auto bytes = write_launch_spec({});
  bytes[4] = 9;
  BOOST_TEST(read_launch_spec(bytes).error().text ==
             "the launch spec has version 9, this program reads version 6: another build wrote it; use one build for "
             "all processes");
}

BOOST_AUTO_TEST_CASE(a_launch_spec_with_any_byte_changed_or_missing_is_refused_with_a_sentence) {
  for (const auto& spec : one_of_each()) {
    const auto whole = write_launch_spec(spec);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      auto changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ 1);
      BOOST_REQUIRE_MESSAGE(!read_launch_spec(changed).has_value(), "byte " << i);
      const auto cut = read_launch_spec(std::string_view{whole}.substr(0, i));
      BOOST_REQUIRE_MESSAGE(!cut.has_value(), "cut at " << i);
      BOOST_TEST(cut.error().text.starts_with("the launch spec "));
    }
    BOOST_TEST(!read_launch_spec(whole + "x").has_value());
  }
}

BOOST_AUTO_TEST_CASE(fields_with_lengths_that_the_bytes_do_not_hold_are_refused) {
  const std::string huge(8, '\x7f');
  for (const auto& bytes : {std::string{}, huge, huge + huge, std::string(8, '\xff')})
    BOOST_TEST(!read_launch_fields(bytes).has_value());
}

BOOST_AUTO_TEST_CASE(an_unknown_job_service_is_refused) {
  auto spec = spec_of(ApplicationMasterLaunch{static_cast<JobServiceKind>(3), "", "", {}});
  BOOST_TEST(!read_launch_spec(write_launch_spec(spec)).has_value());
}

BOOST_AUTO_TEST_CASE(a_container_with_a_task_child_is_checked) {
  BOOST_TEST(check_launch({"", "", TaskChildLaunch{"127.0.0.1:3", 12, "owner"}}).has_value());
  BOOST_TEST(check_launch({"", "", TaskChildLaunch{"127.0.0.1:3", -1, "owner"}}).error().text ==
             "-1 is not a number of a task child");
}

BOOST_AUTO_TEST_CASE(a_launch_spec_beyond_its_bound_is_refused_with_its_size) {
  const std::string bytes(launch_spec_bytes_max + 1, 'x');
  BOOST_TEST(read_launch_spec(bytes).error().text == "the launch spec has 16777217 bytes, the maximum is 16777216");
}

}  // namespace
}  // namespace launch_spec_test
}  // namespace heddle
