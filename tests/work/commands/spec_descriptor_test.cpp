// Goal: a role process reads its launch spec from a descriptor; anything else is an error.
// Method: descriptors within this process; process_launcher_test.cpp passes one to another process.
#include "work/commands/spec_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "work/commands/spawn.hpp"

namespace heddle::work {
namespace spec_descriptor_test {
namespace {

LaunchSpec executor_spec() {
  LaunchSpec spec;
  spec.container.token = "secret";
  spec.role = ExecutorLaunch{ExecutorId{8}, 2, ProfileId{1}, "127.0.0.1:3", 0};
  return spec;
}

std::string fault_of(const std::vector<std::string>& arguments) {
  const auto spec = read_spec_of_arguments(arguments);
  return spec ? "" : spec.error().text;
}

BOOST_AUTO_TEST_CASE(a_launch_spec_is_read_once_from_its_descriptor) {
  auto made = make_spec_descriptor(executor_spec());
  BOOST_REQUIRE(made.has_value());
  const int descriptor = made->release();
  BOOST_TEST(descriptor > spec_descriptor);
  const auto read = read_spec_of_arguments({"executor", "--spec-fd", std::to_string(descriptor)});
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST((*read == executor_spec()));
  BOOST_TEST(::fcntl(descriptor, F_GETFD) == -1);
}

BOOST_AUTO_TEST_CASE(a_launch_spec_cannot_be_modified_through_its_descriptor) {
  const auto made = make_spec_descriptor(executor_spec());
  BOOST_REQUIRE(made.has_value());
  BOOST_TEST(::pwrite(made->descriptor(), "x", 1, 0) == -1);
  BOOST_TEST(::ftruncate(made->descriptor(), 0) == -1);
}

BOOST_AUTO_TEST_CASE(arguments_contain_only_role_and_descriptor_number) {
  const auto arguments = role_arguments("/program", executor_spec());
  BOOST_TEST((arguments == std::vector<std::string>{"/program", "heddle-role", "executor", "--spec-fd", "4"}));
}

BOOST_AUTO_TEST_CASE(a_role_without_a_valid_launch_spec_is_an_error) {
  const std::string how = "; roles are started by heddle itself: heddle-role ROLE --spec-fd N";
  BOOST_TEST(fault_of({"executor"}) == "a role needs the descriptor of its launch spec" + how);
  BOOST_TEST(fault_of({"executor", "--spec-fd", "4x"}) == "'4x' is no descriptor of a launch spec" + how);
  auto made = make_spec_descriptor(executor_spec());
  BOOST_REQUIRE(made.has_value());
  BOOST_TEST(fault_of({"node-manager", "--spec-fd", std::to_string(made->release())}) ==
             "the launch spec is for the role executor, not for node-manager" + how);
  int ends[2] = {-1, -1};
  BOOST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const auto end = std::to_string(ends[0]);
  BOOST_TEST(fault_of({"executor", "--spec-fd", end}) ==
             "cannot read the launch spec in descriptor " + end + ": it is not a file");
  ::close(ends[1]);
}

}  // namespace
}  // namespace spec_descriptor_test
}  // namespace heddle::work
