// Goal: a commit or abort that fails leaves no files, or names them.
// Method: file stores with one fault each, and a process without free descriptors.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <set>

#include "tests/support/output_world.hpp"

namespace heddle::work {
namespace output_test {
namespace {

BOOST_AUTO_TEST_CASE(a_commit_that_fails_before_its_record_leaves_no_files) {
  class NoRecord final : public LocalFileSystem {
    Result<bool> create_once(const std::string&, std::string_view, const std::string&) override {
      return Error{Errc::io, "no space left"};
    }
  };
  const ScratchFolder folder;
  NoRecord files;
  const auto outputs = two_outputs(folder, 1);
  const auto done = commit_of(files, folder).commit(outputs, 1);
  BOOST_REQUIRE(!done);
  BOOST_TEST(done.error().text == "no space left");
  for (const auto& output : outputs) BOOST_TEST(!std::filesystem::exists(output.path));
}

BOOST_AUTO_TEST_CASE(an_output_whose_owner_cannot_be_read_is_not_taken_for_one_of_others) {
  class NoOwner final : public LocalFileSystem {
    Result<ports::OwnFile> open_own_file(const std::string&, const std::string&, ports::Locking) const override {
      return Error{Errc::io, "the network folder is gone"};
    }
  };
  const ScratchFolder folder;
  NoOwner broken;
  LocalFileSystem sound;
  const auto outputs = two_outputs(folder, 1);
  const auto done = commit_of(broken, folder).commit(outputs, 1);
  BOOST_REQUIRE(!done);
  BOOST_TEST(done.error().text == "the network folder is gone");
  BOOST_REQUIRE((commit_of(sound, folder).commit(outputs, 1)));
  check_committed(folder);
}

BOOST_AUTO_TEST_CASE(working_files_that_cannot_be_removed_do_not_fail_a_commit) {
  class Sticky final : public LocalFileSystem {
    Result<Done> remove_all(const std::string& path, const std::string&) override {
      return Error{Errc::io, "cannot remove '" + path + "'"};
    }
  };
  const ScratchFolder folder;
  Sticky files;
  LocalFileSystem plain;
  auto settings = settings_of(folder);
  settings.journal.clear();
  const auto out = folder.file("out");
  BOOST_REQUIRE((FileOutputCommit{plain, settings}.set_up(out, {out}, 1)));
  write_part(out, 1, "won-0", 0, "zero\n");
  const auto done = FileOutputCommit{files, settings}.commit({{out, false, {"won-0"}}}, 1);
  BOOST_REQUIRE(done);
  BOOST_TEST(done->notice.find("rm -r " + out + "/_temporary") != std::string::npos, done->notice);
  BOOST_TEST(folder.read("out/part-00000") == "zero\n");
  BOOST_TEST(std::filesystem::exists(out + "/_SUCCESS"));
}

BOOST_AUTO_TEST_CASE(commit_and_abort_need_only_the_reserved_descriptors) {
  for (const bool commits : {true, false}) {
    const ScratchFolder folder;
    LocalFileSystem files;
    FileOutputCommit commit{files, settings_of(folder)};
    const auto outputs = two_outputs(folder, 1);
    rlimit limit{};
    BOOST_REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
    const rlimit small{std::min<rlim_t>(limit.rlim_max, 256), limit.rlim_max};
    BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &small) == 0);
    std::vector<int> taken;
    for (int each = ::open("/dev/null", O_RDONLY); each >= 0; each = ::open("/dev/null", O_RDONLY))
      taken.push_back(each);
    const bool done = commits ? commit.commit(outputs, 1).has_value()
                              : commit.abort({outputs[0].path, outputs[1].path}, 1).has_value();
    for (const int each : taken) ::close(each);
    ::setrlimit(RLIMIT_NOFILE, &limit);
    BOOST_TEST(done);
    if (commits) check_committed(folder);
    else BOOST_TEST(!std::filesystem::exists(outputs[0].path));
  }
}

BOOST_AUTO_TEST_CASE(a_commit_writes_no_temporary_files_beside_the_parts) {
  class Watching final : public LocalFileSystem {
  public:
    Result<Done> write_atomically(const std::string& path, std::string_view content,
                                  const std::string& beside) override {
      if (path.ends_with("/_SUCCESS")) folders.insert(beside);
      return LocalFileSystem::write_atomically(path, content, beside);
    }
    std::set<std::string> folders;
  };
  const ScratchFolder folder;
  Watching files;
  const auto outputs = two_outputs(folder, 1);
  BOOST_REQUIRE((commit_of(files, folder).commit(outputs, 1)));
  BOOST_TEST(
      (files.folders == std::set<std::string>{outputs[0].path + "/_temporary", outputs[1].path + "/_temporary"}));
  // A write whose rename fails leaves no file.
  folder.write("taken/x", "");
  BOOST_TEST(!files.write_atomically(folder.file("taken"), "text", outputs[0].path));
  BOOST_TEST(files.list(outputs[0].path)->size() == 3U);
}

BOOST_AUTO_TEST_CASE(files_have_the_permissions_of_the_umask) {
  const ScratchFolder folder;
  LocalFileSystem files;
  for (const auto& [mask, rights] : std::vector<std::pair<mode_t, unsigned>>{{077, 0600}, {002, 0664}}) {
    const auto before = ::umask(mask);
    const auto done = files.write_atomically(folder.file("x"), "text", folder.path());
    ::umask(before);
    BOOST_REQUIRE(done);
    BOOST_TEST(static_cast<unsigned>(std::filesystem::status(folder.file("x")).permissions()) == rights);
  }
}

BOOST_AUTO_TEST_CASE(a_path_that_cannot_be_checked_does_not_count_as_absent) {
  const ScratchFolder folder;
  LocalFileSystem files;
  const auto too_long = folder.file(std::string(300, 'x'));
  BOOST_TEST(!files.is_present(too_long));
  BOOST_TEST(*files.is_present(folder.path()));
  BOOST_TEST(!*files.is_present(folder.file("none")));
  BOOST_TEST(!*files.is_present(folder.write("file", "") + "/below"));
  class Unreadable final : public LocalFileSystem {
    Result<bool> is_present(const std::string& path) const override {
      if (path.ends_with("/COMMIT")) return Error{Errc::corrupt, "input/output error"};
      return LocalFileSystem::is_present(path);
    }
  };
  Unreadable sick;
  const auto outputs = two_outputs(folder, 1);
  BOOST_TEST((!commit_of(sick, folder).recover({outputs[0].path, outputs[1].path}, 2)));
  BOOST_TEST(std::filesystem::exists(attempt_folder(outputs[0].path, 1, "won-0")));
}

BOOST_AUTO_TEST_CASE(an_abort_keeps_files_of_other_writers) {
  /// Another writer adds a file after the look whether the output holds only working files.
  class Guest final : public LocalFileSystem {
  public:
    explicit Guest(std::string output) : output_{std::move(output)} {}
    Result<std::vector<ports::FileStatus>> list(const std::string& path) const override {
      auto listed = LocalFileSystem::list(path);
      if (path == output_) std::ofstream{path + "/guest"} << "kept";
      return listed;
    }

  private:
    std::string output_;
  };
  const ScratchFolder folder;
  Guest files{folder.file("left")};
  const auto outputs = two_outputs(folder, 1);
  BOOST_REQUIRE((commit_of(files, folder).abort({outputs[0].path, outputs[1].path}, 1)));
  BOOST_TEST(folder.read("left/guest") == "kept");
  BOOST_TEST(!std::filesystem::exists(outputs[0].path + "/_temporary"));
}

}  // namespace
}  // namespace output_test
}  // namespace heddle::work
