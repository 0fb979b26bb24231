// Goal: a call reaches the file system that its path names, and a wrong path is refused with what is known.
// Method: a remote file system that keeps its files in a scratch folder.
#include "work/files/file_systems.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/file_system_contract.hpp"
#include "tests/support/remote_files.hpp"
#include "tests/support/scratch_folder.hpp"

namespace heddle::work::file_systems_test {
namespace {

using ports::PathKind;

BOOST_AUTO_TEST_CASE(a_remote_file_system_keeps_the_contract_behind_the_choice) {
  const ScratchFolder scratch;
  auto files = with_remote_files("n:8020", scratch.path());
  int number = 0;
  file_system_contract::check_file_system_contract(files, [&] {
    const auto folder = "hdfs://n:8020/" + std::to_string(number++);
    BOOST_REQUIRE(files.make_directory(folder));
    return folder;
  });
}

BOOST_AUTO_TEST_CASE(an_unknown_scheme_is_refused_with_the_known_ones) {
  const FileSystems only_local;
  const auto refused = only_local.resolve("hdfs://n/a", PathKind::plain);
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == Errc::not_found));
  BOOST_TEST(refused.error().text == "hdfs://n/a: no such file system: hdfs; known: file");
  const ScratchFolder scratch;
  const auto files = with_remote_files("n:8020", scratch.path());
  BOOST_TEST(files.resolve("s3a://b/a", PathKind::plain).error().text ==
             "s3a://b/a: no such file system: s3a; known: file, hdfs");
  BOOST_TEST(files.status("s3a://b/a").error().text == "s3a://b/a: no such file system: s3a; known: file, hdfs");
}

BOOST_AUTO_TEST_CASE(an_authority_without_file_system_is_refused_with_its_reason) {
  const ScratchFolder scratch;
  const auto files = with_remote_files("n:8020", scratch.path());
  BOOST_TEST(files.resolve("hdfs://m//a", PathKind::plain).error().text == "hdfs://m//a: no NameNode answers at 'm'");
  BOOST_TEST(files.resolve("hdfs:///a", PathKind::plain).error().text == "hdfs:///a: no NameNode answers at ''");
  BOOST_TEST((files.resolve("hdfs://m/a", PathKind::plain).error().code == Errc::unreachable));
}

BOOST_AUTO_TEST_CASE(paths_without_scheme_are_on_the_default_file_system_except_those_of_the_client) {
  const ScratchFolder scratch;
  const auto files = with_remote_files("n:8020", scratch.path(), {"/data/dir", "hdfs://n:8020", "/user/ann"});
  BOOST_TEST(*files.resolve("in/*.txt", PathKind::pattern) == "hdfs://n:8020/user/ann/in/*.txt");
  BOOST_TEST(*files.resolve("/in", PathKind::plain) == "hdfs://n:8020/in");
  BOOST_TEST(*files.resolve("file:///in", PathKind::plain) == "/in");
  BOOST_TEST(*files.resolve("hdfs:///in", PathKind::plain) == "hdfs://n:8020/in");
  BOOST_TEST(*files.resolve_of_client("mapper.sh") == "/data/dir/mapper.sh");
  BOOST_TEST(*files.resolve_of_client("hdfs:///mapper.sh") == "hdfs://n:8020/mapper.sh");
}

BOOST_AUTO_TEST_CASE(nothing_is_renamed_from_one_file_system_to_another) {
  const ScratchFolder scratch;
  scratch.write("remote/kept", "text");
  scratch.write("local", "text");
  auto files = with_remote_files("n:8020", scratch.file("remote"));
  const auto local = scratch.file("local");
  BOOST_TEST((files.rename_exclusive(local, "hdfs://n:8020/new").error().code == Errc::refused));
  BOOST_TEST((files.rename_replacing("hdfs://n:8020/kept", local, "/").error().code == Errc::refused));
  BOOST_TEST((files.create_once("hdfs://n:8020/new", "text", scratch.path()).error().code == Errc::refused));
  BOOST_TEST((files.remove_all(local, "hdfs://n:8020/").error().code == Errc::refused));
  BOOST_TEST(*files.read_all(local) == "text");
  BOOST_TEST(*files.read_all("hdfs://n:8020/kept") == "text");
}

}  // namespace
}  // namespace heddle::work::file_systems_test
