// Goal: a copy of the program has all that another machine needs, and the same build id. Method: this test program.
#include "work/files/program_files.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>

namespace heddle::work {
namespace program_files_test {
namespace {

BOOST_AUTO_TEST_CASE(the_program_comes_first_then_its_libraries_without_those_of_glibc) {
  const auto files = program_files();
  BOOST_REQUIRE(files.has_value());
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  BOOST_TEST(files->at(0).path == program.string());
  BOOST_TEST(files->at(0).name == program.filename().string());
  BOOST_TEST(files->at(0).bytes == static_cast<std::int64_t>(std::filesystem::file_size(program)));
  BOOST_TEST(files->at(0).modified_ms > 1'700'000'000'000);
  const auto has = [&](std::string_view begin) {
    return std::any_of(files->begin(), files->end(), [&](const auto& file) { return file.name.starts_with(begin); });
  };
  BOOST_TEST(has("libstdc++.so"));
  for (const auto* own : {"libc.so", "libm.so", "ld-linux", "linux-vdso", "libpthread.so"}) BOOST_TEST(!has(own), own);
  for (const auto& file : *files) BOOST_TEST(!file.content.empty(), file.path);
}

BOOST_AUTO_TEST_CASE(libraries_of_glibc_are_known_by_name) {
  for (const auto* own : {"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2", "linux-vdso.so.1"})
    BOOST_TEST(is_of_glibc(own), own);
  for (const auto* other : {"/lib/libcaf_core.so.0.17.6", "/lib/libcrypto.so.3", "libstdc++.so.6", "libgcc_s.so.1"})
    BOOST_TEST(!is_of_glibc(other), other);
}

BOOST_AUTO_TEST_CASE(the_build_id_is_that_of_the_content) {
  const auto id = program_build_id();
  BOOST_TEST(id.size() >= 16U);
  BOOST_TEST(id == program_build_id());
  BOOST_TEST(id.starts_with(program_files()->at(0).content));
}

}  // namespace
}  // namespace program_files_test
}  // namespace heddle::work
