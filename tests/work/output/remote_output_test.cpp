// Goal: the commit works on every file system, and on several at once.
// Method: one output on a remote file system that keeps its files in a scratch folder, one on local files.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/support/output_world.hpp"
#include "tests/support/remote_files.hpp"

namespace heddle::work::remote_output_test {
namespace {

const std::string remote = "hdfs://n:8020/user/out";

struct World {
  ScratchFolder folder;
  FileSystems files = with_remote_files("n:8020", folder.path());
  std::string local = folder.file("local");
  OutputCommitSettings settings = output_test::settings_of(folder);

  Result<Done> set_up(const OutputCommitSettings& of, std::int32_t attempt = 1) {
    FileOutputCommit commit{files, of};
    for (const auto& path : {remote, local})
      if (auto done = commit.set_up(path, {remote, local}, attempt); !done) return done;
    return Done{};
  }
  void write(const std::string& output, std::int32_t attempt, const std::string& name, const std::string& text) {
    TextOutput to;
    to.path = output;
    auto writer = OutputWriter::open(files, to, {attempt, name, 0});
    BOOST_REQUIRE_MESSAGE(writer.has_value(), (writer ? "" : writer.error().text));
    BOOST_REQUIRE((*writer)->add_text(text));
    BOOST_REQUIRE((*writer)->finish());
  }
  void check_committed() {
    BOOST_TEST(folder.read("user/out/part-00000") == "remote\n");
    BOOST_TEST(folder.read("local/part-00000") == "local\n");
    for (const std::string name : {"user/out", "local"}) {
      BOOST_TEST(std::filesystem::exists(folder.file(name + "/_SUCCESS")));
      BOOST_TEST(!std::filesystem::exists(folder.file(name + "/_temporary")));
    }
    BOOST_TEST(!std::filesystem::exists(folder.file("user/.out.heddle-claim")));
  }
};

BOOST_AUTO_TEST_CASE(outputs_on_two_file_systems_are_committed_by_one_record) {
  World world;
  BOOST_REQUIRE(world.set_up(world.settings));
  FileOutputCommit commit{world.files, world.settings};
  BOOST_TEST((commit.set_up(remote, {remote}, 1).error().code == Errc::refused));
  for (const auto& [output, text] : {std::pair{remote, "remote\n"}, std::pair{world.local, "local\n"}}) {
    world.write(output, 1, "won", text);
    world.write(output, 1, "lost", "must not be seen\n");
  }
  const auto done = commit.commit({{remote, false, {"won"}}, {world.local, false, {"won"}}}, 1);
  BOOST_REQUIRE_MESSAGE(done.has_value(), (done ? "" : done.error().text));
  BOOST_TEST(done->notice.empty());
  world.check_committed();
  const auto again = commit.clear({remote});
  BOOST_REQUIRE(!again);
  BOOST_TEST(again.error().text ==
             "output '" + remote + "' already exists; to write it anew, remove it first: hdfs dfs -rm -r " + remote);
}

BOOST_AUTO_TEST_CASE(a_later_attempt_and_a_later_run_find_a_remote_output) {
  World world;
  BOOST_REQUIRE(world.set_up(world.settings));
  world.write(remote, 1, "old", "must not be seen\n");
  FileOutputCommit commit{world.files, world.settings};
  BOOST_REQUIRE((*commit.recover({remote, world.local}, 2) == ports::CommitState::not_committed));
  TextOutput to;
  to.path = remote;
  BOOST_TEST(!OutputWriter::open(world.files, to, {1, "late", 0}));  // its application attempt has ended
  world.write(remote, 2, "won", "remote\n");
  world.write(world.local, 2, "won", "local\n");
  BOOST_REQUIRE(commit.commit({{remote, false, {"won"}}, {world.local, false, {"won"}}}, 2));
  world.check_committed();

  World dead;
  BOOST_REQUIRE(dead.set_up(output_test::settings_of_dead(dead.folder)));
  BOOST_TEST((FileOutputCommit{dead.files, dead.settings}.clear({remote, dead.local})).has_value());
  BOOST_TEST(!std::filesystem::exists(dead.folder.file("user/out")));
  BOOST_TEST(!std::filesystem::exists(dead.folder.file("local")));
}

/// The next call of each of these kinds does its work, and its answer is lost.
class LostAnswers final : public LocalFileSystem {
public:
  int lost = 0;
  Result<bool> create_once(const std::string& path, std::string_view content, const std::string& folder) override {
    return lose(LocalFileSystem::create_once(path, content, folder));
  }
  Result<bool> rename_exclusive(const std::string& from, const std::string& to) override {
    return lose(LocalFileSystem::rename_exclusive(from, to));
  }

private:
  Result<bool> lose(Result<bool> answer) {
    BOOST_TEST((answer && *answer));
    ++lost;
    return Error{Errc::unreachable, "the NameNode does not answer"};
  }
};

BOOST_AUTO_TEST_CASE(a_lost_answer_is_settled_by_what_is_there) {
  const ScratchFolder folder;
  LostAnswers files;
  FileOutputCommit commit{files, output_test::settings_of(folder)};
  const auto output = folder.file("out");
  BOOST_REQUIRE(commit.set_up(output, {output}, 1));
  BOOST_TEST(files.lost == 2);  // OWNER, and the rename that claims the output
  TextOutput to;
  to.path = output;
  auto writer = OutputWriter::open(files, to, {1, "won", 0});
  BOOST_REQUIRE(writer);
  BOOST_REQUIRE((*writer)->add_text("text\n"));
  BOOST_REQUIRE((*writer)->finish());
  const auto done = commit.commit({{output, false, {"won"}}}, 1);
  BOOST_REQUIRE_MESSAGE(done.has_value(), (done ? "" : done.error().text));
  BOOST_TEST(files.lost == 3);  // COMMIT
  BOOST_TEST(folder.read("out/part-00000") == "text\n");
  BOOST_TEST(!std::filesystem::exists(folder.file("out/_temporary")));
}

BOOST_AUTO_TEST_CASE(a_record_that_was_not_written_is_no_decision) {
  class NoRecord final : public LocalFileSystem {
  public:
    Result<bool> create_once(const std::string& path, std::string_view content, const std::string& folder) override {
      if (path.ends_with("COMMIT")) return Error{Errc::unreachable, "the NameNode does not answer"};
      return LocalFileSystem::create_once(path, content, folder);
    }
  };
  const ScratchFolder folder;
  NoRecord files;
  FileOutputCommit commit{files, output_test::settings_of(folder)};
  const auto output = folder.file("out");
  BOOST_REQUIRE(commit.set_up(output, {output}, 1));
  const auto done = commit.commit({{output, true, {}}}, 1);
  BOOST_REQUIRE(!done);
  BOOST_TEST((done.error().code == Errc::unreachable));
  BOOST_TEST(!std::filesystem::exists(output));
}

}  // namespace
}  // namespace heddle::work::remote_output_test
