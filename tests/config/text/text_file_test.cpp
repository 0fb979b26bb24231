// Goal: only a file that does not exist counts as absent; everything else that cannot be read is an error with its
// reason.
#include "config/text/text_file.hpp"

#include <stdlib.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "config/text/environment.hpp"
#include "tests/support/scratch_folder.hpp"

namespace text_file_test {

namespace {

using namespace heddle;

BOOST_AUTO_TEST_CASE(absent_files_differ_from_files_that_cannot_be_read) {
  const work::ScratchFolder folder;
  const std::string base = folder.path();
  std::ofstream{base + "/plain"} << "text";
  std::filesystem::create_symlink(base + "/nothing", base + "/dangling");
  std::filesystem::create_symlink(base + "/loop", base + "/loop");
  struct Row {
    std::string name;
    Errc code;
    std::string text;
  };
  const Row rows[]{{"/nothing", Errc::not_found, "no such file"},
                   {"/plain/below", Errc::not_found, "no such file"},
                   {"/dangling", Errc::io, "is a link to a file that does not exist"},
                   {"/loop", Errc::io, "cannot be read: Too many levels of symbolic links"},
                   {"", Errc::usage, "is a folder, a file was expected"}};
  for (const auto& row : rows) {
    const auto content = config::read_text_file(base + row.name);
    BOOST_REQUIRE(!content.has_value());
    BOOST_TEST((content.error().code == row.code), row.name);
    BOOST_TEST(content.error().text == base + row.name + ": " + row.text);
  }
  BOOST_TEST(config::read_text_file(base + "/plain").value() == "text");
}

BOOST_AUTO_TEST_CASE(a_user_without_variables_has_the_name_of_the_password_file) {
  const std::string names[]{"USER", "LOGNAME"};
  std::optional<std::string> kept[2];
  for (int i = 0; i < 2; ++i) {
    kept[i] = config::environment_variable(names[i]);
    ::unsetenv(names[i].c_str());
  }
  BOOST_TEST(!config::read_environment().user.empty());
  ::setenv("LOGNAME", "ann", 1);
  BOOST_TEST(config::read_environment().user == "ann");
  for (int i = 0; i < 2; ++i) {
    if (kept[i]) ::setenv(names[i].c_str(), kept[i]->c_str(), 1);
    else ::unsetenv(names[i].c_str());
  }
}

}  // namespace

}  // namespace text_file_test
