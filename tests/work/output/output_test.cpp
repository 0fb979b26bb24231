// Goal: output appears once, complete, and only from successful attempts, after every point of failure.
// Method: a file store that fails at its n-th change, for every n; then a second application attempt takes over.
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <stdexcept>

#include "tests/support/output_world.hpp"
#include "work/files/local_file_system.hpp"
#include "work/records/record_reader.hpp"

namespace heddle::work {
namespace output_test {
namespace {

// Records which files were synced when the commit record was written.
class SyncedStore : public LocalFileSystem {
public:
  Result<Done> sync(const std::vector<std::string>& paths) override {
    synced.insert(paths.begin(), paths.end());
    return LocalFileSystem::sync(paths);
  }
  Result<bool> create_once(const std::string& path, std::string_view content, const std::string& beside) override {
    decided_with = synced;
    return LocalFileSystem::create_once(path, content, beside);
  }
  std::set<std::string> synced;
  std::set<std::string> decided_with;
};

BOOST_AUTO_TEST_CASE(only_files_of_successful_attempts_are_moved) {  // OC-1 OC-4 OC-7
  const ScratchFolder folder;
  LocalFileSystem files;
  BOOST_REQUIRE(commit_of(files, folder).commit(two_outputs(folder, 1), 1));
  check_committed(folder);
}

BOOST_AUTO_TEST_CASE(the_success_file_is_removed_if_it_is_not_wanted) {
  const ScratchFolder folder;
  LocalFileSystem files;
  const auto outputs = two_outputs(folder, 1);
  auto settings = settings_of(folder);
  settings.keeps_success = false;
  BOOST_REQUIRE((FileOutputCommit{files, settings}.commit(outputs, 1)));
  for (const auto& output : outputs) {
    BOOST_TEST(!std::filesystem::exists(output.path + "/_SUCCESS"));
    BOOST_TEST(!std::filesystem::exists(output.path + "/_temporary"));
    BOOST_TEST(std::filesystem::exists(output.path));
  }
}

BOOST_AUTO_TEST_CASE(files_of_a_commit_are_synced_before_its_record) {
  const ScratchFolder folder;
  SyncedStore files;
  const auto outputs = two_outputs(folder, 1);
  std::set<std::string> expected;
  for (const auto& output : outputs) {
    expected.insert({folder.path(), output.path, output.path + "/_temporary", output.path + "/_temporary/1",
                     output.path + "/_temporary/1/_temporary"});
    for (const auto& winner : output.task_attempts) {
      const auto home = attempt_folder(output.path, 1, winner);
      expected.insert(home);
      const auto parts = files.list(home);
      BOOST_REQUIRE(parts);
      for (const auto& part : *parts) expected.insert(part.path);
    }
  }
  BOOST_REQUIRE(commit_of(files, folder).commit(outputs, 1));
  BOOST_TEST(files.decided_with == expected, boost::test_tools::per_element());
  check_committed(folder);
  const ScratchFolder other;
  SyncedStore careless;
  auto settings = settings_of(other);
  settings.syncs = false;
  BOOST_REQUIRE((FileOutputCommit{careless, settings}.commit(two_outputs(other, 1), 1)));
  BOOST_TEST(careless.synced.empty());
  check_committed(other);
}

BOOST_AUTO_TEST_CASE(an_existing_output_is_refused) {  // OC-6
  const ScratchFolder folder;
  LocalFileSystem files;
  FileOutputCommit commit{files, settings_of(folder)};
  BOOST_TEST((commit.set_up(folder.path(), {folder.path()}, 1).error().code == Errc::refused));
  BOOST_REQUIRE(commit.set_up(folder.file("out"), {folder.file("out")}, 1));
  BOOST_TEST(std::filesystem::is_directory(folder.file("out/_temporary/1")));
}

BOOST_AUTO_TEST_CASE(a_commit_with_a_failure_at_any_point_is_completed_by_the_same_attempt) {
  for (int changes = 0;; ++changes) {
    const ScratchFolder folder;
    const auto outputs = two_outputs(folder, 1);
    BreakingStore breaking{changes};
    static_cast<void>(commit_of(breaking, folder).commit(outputs, 1).has_value());
    LocalFileSystem files;
    BOOST_REQUIRE(commit_of(files, folder).commit(outputs, 1));
    check_committed(folder);
    if (!breaking.has_broken()) break;
    BOOST_REQUIRE(changes < 100);
  }
}

BOOST_AUTO_TEST_CASE(a_commit_with_a_failure_at_any_point_is_completed_or_discarded_by_a_later_attempt) {  // OC-5
  bool was_discarded = false;
  bool was_finished = false;
  for (int changes = 0;; ++changes) {
    const ScratchFolder folder;
    const auto outputs = two_outputs(folder, 1);
    const std::vector<std::string> paths{outputs[0].path, outputs[1].path};
    BreakingStore breaking{changes};
    static_cast<void>(commit_of(breaking, folder).commit(outputs, 1).has_value());
    LocalFileSystem files;
    FileOutputCommit commit{files, settings_of(folder)};
    const auto state = commit.recover(paths, 2);
    BOOST_REQUIRE(state);
    if (*state == CommitState::not_committed) {
      was_discarded = true;
      BOOST_TEST(content_of(folder, "left").size() == 1U);  // whose it is, and nothing else
      BOOST_TEST(std::filesystem::exists(folder.file("left/_temporary/OWNER")));
      BOOST_REQUIRE(commit.commit(two_outputs(folder, 2), 2));
    } else {
      was_finished = true;
    }
    check_committed(folder);
    if (!breaking.has_broken()) break;
    BOOST_REQUIRE(changes < 100);
  }
  BOOST_TEST(was_discarded);
  BOOST_TEST(was_finished);
}

BOOST_AUTO_TEST_CASE(finished_task_attempts_of_earlier_attempts_stay_if_a_later_attempt_names_them) {  // OC-5
  for (int changes = 0;; ++changes) {
    const ScratchFolder folder;
    const auto out = folder.file("out");
    LocalFileSystem files;
    BOOST_REQUIRE(commit_of(files, folder).set_up(out, {out}, 1));
    folder.write("out/_temporary/1/_temporary/a/part-00000", "of the first");
    folder.write("out/_temporary/1/_temporary/unfinished/part-00001", "torn");
    BreakingStore breaking{changes};  // the second attempt ends at any point
    static_cast<void>(commit_of(breaking, folder).recover_tasks({out}, 2, {"a"}).has_value());
    auto commit = commit_of(files, folder);
    const auto found = commit.recover_tasks({out}, 3, {"a", "gone"});
    BOOST_REQUIRE(found);
    BOOST_TEST((found->state == CommitState::not_committed));
    BOOST_TEST((found->kept == std::vector<std::string>{"a"}));
    folder.write("out/_temporary/3/_temporary/b/part-00001", "of the third");
    BOOST_REQUIRE(commit.commit({{out, false, {"a", "b"}}}, 3));
    BOOST_TEST((content_of(folder, "out") == std::map<std::string, std::string>{{"out/part-00000", "of the first"},
                                                                                {"out/part-00001", "of the third"},
                                                                                {"out/_SUCCESS", ""}}));
    if (!breaking.has_broken()) break;
    BOOST_REQUIRE(changes < 100);
  }
}

BOOST_AUTO_TEST_CASE(a_failed_recovery_is_repeated_by_the_next_attempt) {
  for (int changes = 0; changes < 40; ++changes) {
    const ScratchFolder folder;
    const auto outputs = two_outputs(folder, 1);
    const std::vector<std::string> paths{outputs[0].path, outputs[1].path};
    BreakingStore first{3};
    BOOST_REQUIRE(!commit_of(first, folder).commit(outputs, 1));
    BreakingStore second{changes};
    static_cast<void>(commit_of(second, folder).recover(paths, 2).has_value());
    LocalFileSystem files;
    const auto state = commit_of(files, folder).recover(paths, 3);
    BOOST_REQUIRE(state);
    BOOST_TEST((*state == CommitState::committed));
    check_committed(folder);
  }
}

BOOST_AUTO_TEST_CASE(an_existing_commit_record_is_followed) {
  const ScratchFolder folder;
  auto outputs = two_outputs(folder, 1);
  BreakingStore breaking{1};  // writes only the record
  BOOST_REQUIRE(!commit_of(breaking, folder).commit(outputs, 1));
  for (auto& output : outputs) output.task_attempts = {"won-0", "lost-1"};
  LocalFileSystem files;
  BOOST_REQUIRE(commit_of(files, folder).commit(outputs, 1));
  check_committed(folder);
}

// A user who can write into the output folder must not make a recovery move other files.
BOOST_AUTO_TEST_CASE(a_record_with_paths_outside_of_its_outputs_is_refused) {
  const ScratchFolder folder;
  folder.write("secret", "kept");
  const auto out = folder.file("out");
  const auto attempt = out + "/_temporary/1/_temporary/a/part-00000";
  const auto record = [&](const std::string& from, const std::string& to, const std::string& output) {
    return "heddle commit 1\napplication_attempt 1\noutput " + output + "\nmove " + from + "\nto " + to + "\nend\n";
  };
  for (const auto& text :
       {record(folder.file("secret"), out + "/part-00000", out), record(attempt, folder.file("secret"), out),
        record(out + "/_temporary/../../secret", out + "/part-00000", out), record(attempt, out + "/../secret", out),
        record(attempt, out + "/deep/part-00000", out), record(attempt, out + "/part-00000", folder.path()),
        record(attempt, "", out)}) {
    folder.write("out/_temporary/COMMIT", text);
    auto owner = settings_of(folder).owner;
    owner.outputs = {out};
    folder.write("out/_temporary/OWNER", write_owner(owner));
    folder.write("out/_temporary/1/_temporary/a/part-00000", "part");
    LocalFileSystem files;
    const auto state = commit_of(files, folder).recover({out}, 2);
    BOOST_REQUIRE_MESSAGE(!state, text);
    BOOST_TEST((state.error().code == Errc::corrupt));
    BOOST_TEST(folder.read("secret") == "kept");
  }
}

BOOST_AUTO_TEST_CASE(symbolic_links_in_paths_of_a_record_are_not_followed) {
  const ScratchFolder folder;
  folder.write("private/secret", "kept");
  const auto out = folder.file("out");
  LocalFileSystem files;
  FileOutputCommit commit{files, settings_of(folder)};
  BOOST_REQUIRE(commit.set_up(out, {out}, 1));
  std::filesystem::create_directory_symlink(folder.file("private"), out + "/_temporary/x");
  folder.write("out/_temporary/COMMIT", "heddle commit 1\napplication_attempt 1\noutput " + out + "\nmove " + out +
                                            "/_temporary/x/secret\nto " + out + "/part-00000\nend\n");
  const auto state = commit.recover({out}, 2);
  BOOST_REQUIRE(!state);
  BOOST_TEST((state.error().code == Errc::refused));
  BOOST_TEST(folder.read("private/secret") == "kept");
  std::filesystem::create_directory_symlink(folder.file("private"), folder.file("link"));
  BOOST_TEST(!files.remove_all(folder.file("link/secret"), folder.path()));
  BOOST_TEST(!files.remove_all(folder.file("link/secret"), folder.file("link")));
  BOOST_TEST(folder.read("private/secret") == "kept");
  BOOST_REQUIRE(files.remove_all(folder.file("link"), folder.path()));
  BOOST_TEST(folder.read("private/secret") == "kept");
}

BOOST_AUTO_TEST_CASE(a_missing_file_of_a_successful_attempt_is_an_error_and_nothing_is_moved) {
  const ScratchFolder folder;
  const auto outputs = two_outputs(folder, 1);
  std::filesystem::remove_all(attempt_folder(outputs[1].path, 1, "won-1"));
  LocalFileSystem files;
  BOOST_TEST((commit_of(files, folder).commit(outputs, 1).error().code == Errc::not_found));
  BOOST_TEST(!std::filesystem::exists(folder.file("left/part-00000")));
}

BOOST_AUTO_TEST_CASE(a_lazy_output_without_records_has_no_file) {
  const ScratchFolder folder;
  TextOutput output;
  output.path = folder.file("out");
  output.lazy = true;
  LocalFileSystem files;
  FileOutputCommit commit{files, settings_of(folder)};
  BOOST_REQUIRE(commit.set_up(output.path, {output.path}, 1));
  auto writer = OutputWriter::open(local_files(), output, {1, "won-0", 0});
  BOOST_REQUIRE((*writer)->finish());
  BOOST_REQUIRE(commit.commit({{output.path, true, {"won-0"}}}, 1));
  BOOST_TEST((content_of(folder, "out") == std::map<std::string, std::string>{{"out/_SUCCESS", ""}}));
}

BOOST_AUTO_TEST_CASE(a_task_that_outlives_its_job_does_not_create_its_folder_again) {
  for (const bool is_committed : {true, false}) {
    const ScratchFolder folder;
    const auto outputs = two_outputs(folder, 1);
    LocalFileSystem files;
    FileOutputCommit commit{files, settings_of(folder)};
    if (is_committed) BOOST_REQUIRE(commit.commit(outputs, 1));
    else BOOST_REQUIRE(commit.abort({outputs[0].path, outputs[1].path}, 1));
    TextOutput output;
    output.path = outputs[0].path;
    BOOST_TEST(!OutputWriter::open(local_files(), output, {1, "late", 0}));
    output.lazy = true;
    auto late = OutputWriter::open(local_files(), output, {1, "late", 0});
    BOOST_REQUIRE(late);
    BOOST_TEST(!(*late)->add_text("too late\n"));
    BOOST_TEST(!std::filesystem::exists(folder.file("left/_temporary")));
  }
}

BOOST_AUTO_TEST_CASE(a_discarded_attempt_can_neither_write_nor_commit) {
  const ScratchFolder folder;
  const auto former = two_outputs(folder, 1);
  LocalFileSystem files;
  FileOutputCommit commit{files, settings_of(folder)};
  BOOST_TEST((*commit.recover({former[0].path, former[1].path}, 2) == CommitState::not_committed));
  TextOutput output;
  output.path = former[0].path;
  BOOST_TEST(!OutputWriter::open(local_files(), output, {1, "won-1", 1}));
  BOOST_TEST(!commit.commit(former, 1));
  auto lazy = former;
  for (auto& each : lazy) each.lazy = true;
  BOOST_TEST(!commit.commit(lazy, 1));  // lazy outputs miss no file: only the missing folder shows the discard
  const auto outputs = two_outputs(folder, 2);
  BOOST_REQUIRE(commit.commit(outputs, 2));
  check_committed(folder);
}

BOOST_AUTO_TEST_CASE(a_commit_recorded_while_its_attempt_was_set_aside_is_completed) {
  const ScratchFolder folder;
  const auto outputs = two_outputs(folder, 1);
  BreakingStore breaking{1};  // writes only the record
  BOOST_REQUIRE(!commit_of(breaking, folder).commit(outputs, 1));
  LocalFileSystem files;
  BOOST_REQUIRE(files.rename_replacing(folder.file("left/_temporary/1"), folder.file("left/_temporary/1.discarded"),
                                       folder.file("left")));
  BOOST_TEST((*commit_of(files, folder).recover({outputs[0].path, outputs[1].path}, 2) == CommitState::committed));
  check_committed(folder);
}

BOOST_AUTO_TEST_CASE(an_aborted_job_leaves_no_folder) {
  const ScratchFolder folder;
  const auto outputs = two_outputs(folder, 1);
  LocalFileSystem files;
  BOOST_REQUIRE(commit_of(files, folder).abort({outputs[0].path, outputs[1].path}, 1));
  BOOST_TEST(!std::filesystem::exists(outputs[0].path));
  BOOST_TEST(!std::filesystem::exists(outputs[1].path));
}

BOOST_AUTO_TEST_CASE(a_second_run_of_an_attempt_replaces_its_folder) {
  const ScratchFolder folder;
  const auto path = folder.file("out");
  write_part(path, 1, "a", 3, "first, and longer\n");
  write_part(path, 1, "a", 3, "second\n");
  BOOST_TEST(folder.read("out/_temporary/1/_temporary/a/part-00003") == "second\n");
}

/// Writes compressed parts and reads their text.
struct CompressedPart {
  ScratchFolder folder;
  TextOutput output;
  CompressedPart() {
    output.path = folder.file("out");
    output.gzip = true;
    std::filesystem::create_directories(output.path + "/_temporary/1");
  }
  [[nodiscard]] std::string text() const {
    auto reader =
        open_records(local_files(), {}, {attempt_folder(output.path, 1, "a") + "/part-00000.gz", 0, 1, {}}, {});
    BOOST_REQUIRE(reader);
    std::string got;
    std::string_view text;
    for (auto more = (*reader)->next_text(text); more && *more; more = (*reader)->next_text(text)) got.append(text);
    return got;
  }
};

BOOST_AUTO_TEST_CASE(a_compressed_part_decompresses_to_the_written_text) {
  const CompressedPart part;
  auto writer = OutputWriter::open(local_files(), part.output, {1, "a", 0});
  std::string expected;
  for (int i = 0; i < 50000; ++i) {
    const auto key = std::to_string(i * 7919);
    BOOST_REQUIRE((*writer)->add({key, "value"}, "\t"));
    append_line(expected, {key, "value"}, "\t");
  }
  BOOST_REQUIRE((*writer)->finish());
  BOOST_TEST((*writer)->records_written() == 50000);
  BOOST_TEST((part.text() == expected));
}

BOOST_AUTO_TEST_CASE(a_compressed_part_is_whole_although_zlib_gets_its_text_in_pieces) {
  constexpr std::size_t piece_max = 7;
  const CompressedPart part;
  auto writer = OutputWriter::open(local_files(), part.output, {1, "a", 0}, piece_max);
  std::string expected;
  for (const int lines : {3, 10'000, 1}) {  // the second text is too long for the buffer
    std::string text;
    for (int i = 0; i < lines; ++i) append_line(text, {std::to_string(i * 7919), "value"}, "\t");
    BOOST_REQUIRE((*writer)->add_text(text));
    expected += text;
  }
  BOOST_REQUIRE((*writer)->finish());
  BOOST_TEST((part.text() == expected));
}

BOOST_AUTO_TEST_CASE(create_once_succeeds_for_one_of_several_callers) {
  const ScratchFolder folder;
  LocalFileSystem files;
  BOOST_TEST(*files.create_once(folder.file("x"), "first", folder.path()));
  BOOST_TEST(!*files.create_once(folder.file("x"), "second", folder.path()));
  BOOST_TEST(folder.read("x") == "first");
  BOOST_TEST(files.list(folder.path())->size() == 1u);
}

}  // namespace
}  // namespace output_test
}  // namespace heddle::work
