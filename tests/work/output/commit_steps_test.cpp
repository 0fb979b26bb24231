// Goal: a commit that fails at any step neither loses nor doubles a part, and a second try finishes it.
// Method: a file store that fails at its k-th call, for every k; then the same step without a fault.
#include "work/output/commit_steps.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/faulty_store.hpp"
#include "tests/support/output_world.hpp"
#include "work/output/output_folder.hpp"

namespace heddle::work {
namespace output_test {
namespace {

const std::vector<std::string> names{"left", "right"};

std::vector<std::string> paths_in(const ScratchFolder& folder) {
  std::vector<std::string> paths;
  for (const auto& name : names) paths.push_back(folder.file(name));
  return paths;
}

std::vector<OutputWinners> winners_in(const ScratchFolder& folder) {
  std::vector<OutputWinners> outputs;
  for (const auto& path : paths_in(folder)) outputs.push_back({path, false, {"won-0", "won-1"}});
  return outputs;
}

/// Two outputs whose tasks have ended.
void write_outputs(const ScratchFolder& folder) {
  for (const auto& path : paths_in(folder)) {
    const auto name = last_component(path);
    folder.write(name + "/_temporary/OWNER", "the owner");
    for (const std::string index : {"0", "1"})
      folder.write(name + "/_temporary/1/_temporary/won-" + index + "/part-0000" + index, name + " " + index);
    folder.write(name + "/_temporary/1/_temporary/lost-1/part-00001", "must not be seen");
  }
}

OutputCommitSettings settings_in(const ScratchFolder& folder, bool keeps_success = true) {
  OutputCommitSettings settings;
  settings.keeps_success = keeps_success;
  settings.journal = folder.file("journal");
  std::filesystem::create_directories(settings.journal);
  return settings;
}

/// Each part is in one place: where its task wrote it, or in the output.
void check_parts(const ScratchFolder& folder) {
  const auto tree = tree_of(folder);
  for (const auto& name : names)
    for (const std::string index : {"0", "1"}) {
      int count = 0;
      for (const auto& [path, content] : tree) count += content == name + " " + index ? 1 : 0;
      BOOST_TEST(count == 1, name << " " << index);
    }
}

bool is_sound(const Result<ports::OutputCommitted>& done) { return done && done->notice.empty(); }

BOOST_AUTO_TEST_CASE(a_decision_names_the_files_of_the_winners_in_the_order_of_the_outputs) {
  LocalFileSystem files;
  const ScratchFolder folder;
  write_outputs(folder);
  const auto record = decide_commit(files, winners_in(folder), 1, true);
  BOOST_REQUIRE(record);
  BOOST_TEST(record->application_attempt == 1);
  BOOST_TEST(record->outputs == paths_in(folder), boost::test_tools::per_element());
  BOOST_REQUIRE(record->files.size() == 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& output = record->outputs[i / 2];
    const auto index = std::to_string(i % 2);
    BOOST_TEST(record->files[i].from == output + "/_temporary/1/_temporary/won-" + index + "/part-0000" + index);
    BOOST_TEST(record->files[i].to == output + "/part-0000" + index);
  }
  BOOST_TEST(folder.read("left/_temporary/COMMIT") == commit_record_text(*record));
  BOOST_TEST(!std::filesystem::exists(folder.file("right/_temporary/COMMIT")));
}

BOOST_AUTO_TEST_CASE(a_second_decision_reads_the_first) {
  LocalFileSystem files;
  const ScratchFolder folder;
  write_outputs(folder);
  const auto first = decide_commit(files, winners_in(folder), 1, false);
  BOOST_REQUIRE(first);
  auto others = winners_in(folder);
  for (auto& output : others) output.task_attempts = {"won-0", "lost-1"};
  const auto second = decide_commit(files, others, 2, false);
  BOOST_REQUIRE(second);
  BOOST_TEST(commit_record_text(*second) == commit_record_text(*first));
  others.pop_back();
  BOOST_TEST(!decide_commit(files, others, 1, false).has_value());  // the record is of another job
}

BOOST_AUTO_TEST_CASE(a_winner_without_files_is_refused_unless_its_output_is_lazy) {
  struct Row {
    const char* name;
    bool lazy;
    bool has_folder;
    bool is_decided;
  };
  for (const auto& [name, lazy, has_folder, is_decided] :
       {Row{"gone", false, false, false}, Row{"empty", false, true, false}, Row{"never written", true, false, true},
        Row{"lazy and empty", true, true, true}}) {
    LocalFileSystem files;
    const ScratchFolder folder;
    folder.write("left/_temporary/1/_temporary/lost-1/part-00001", "");
    if (has_folder) std::filesystem::create_directories(folder.file("left/_temporary/1/_temporary/won-0"));
    const auto record = decide_commit(files, {{folder.file("left"), lazy, {"won-0"}}}, 1, true);
    BOOST_TEST(record.has_value() == is_decided, name);
    if (record) BOOST_TEST(record->files.empty(), name);
    BOOST_TEST(std::filesystem::exists(folder.file("left/_temporary/COMMIT")) == is_decided, name);
  }
}

BOOST_AUTO_TEST_CASE(a_decision_can_be_repeated_after_every_fault) {
  for (const bool syncs : {true, false})
    check_repeats(
        write_outputs,
        [syncs](ports::FileSystem& store, const ScratchFolder& folder) {
          return decide_commit(store, winners_in(folder), 1, syncs).has_value();
        },
        check_parts);
}

BOOST_AUTO_TEST_CASE(a_commit_can_be_finished_after_every_fault) {
  for (const bool keeps_success : {true, false})
    check_repeats(
        [&](const ScratchFolder& folder) {
          LocalFileSystem files;
          write_outputs(folder);
          BOOST_REQUIRE(decide_commit(files, winners_in(folder), 1, false));
        },
        [&](ports::FileSystem& store, const ScratchFolder& folder) {
          const auto settings = settings_in(folder, keeps_success);
          // Without the record everything is visible: only the working files are left to remove.
          const auto is_decided = LocalFileSystem{}.is_present(record_path(folder.file("left")));
          return is_sound(*is_decided ? finish_commit(store, paths_in(folder), settings)
                                      : clean_up_commit(store, paths_in(folder), settings));
        },
        check_parts);
}

BOOST_AUTO_TEST_CASE(a_commit_that_was_decided_while_it_was_put_aside_is_finished_after_every_fault) {
  check_repeats(
      [](const ScratchFolder& folder) {
        LocalFileSystem files;
        write_outputs(folder);
        BOOST_REQUIRE(decide_commit(files, winners_in(folder), 1, false));
        BOOST_REQUIRE(put_aside(files, paths_in(folder), 2));
      },
      [](ports::FileSystem& store, const ScratchFolder& folder) {
        const auto settings = settings_in(folder);
        const auto is_decided = LocalFileSystem{}.is_present(record_path(folder.file("left")));
        return is_sound(*is_decided ? finish_commit(store, paths_in(folder), settings)
                                    : clean_up_commit(store, paths_in(folder), settings));
      },
      check_parts);
}

BOOST_AUTO_TEST_CASE(a_failed_move_says_that_the_commit_is_decided_and_who_finishes_it) {
  class NoMoves final : public LocalFileSystem {
    Result<Done> rename_replacing(const std::string&, const std::string&, const std::string&) override {
      return Error{Errc::io, "no space left"};
    }
  };
  LocalFileSystem files;
  NoMoves broken;
  const ScratchFolder folder;
  write_outputs(folder);
  const auto record = decide_commit(files, winners_in(folder), 1, false);
  BOOST_REQUIRE(record);
  const auto done = complete_commit(broken, *record, settings_in(folder));
  BOOST_REQUIRE(!done);
  BOOST_TEST((done.error().code == Errc::io));
  BOOST_TEST(done.error().text == "no space left; its commit is decided: the next run with the output '" +
                                      folder.file("left") + "' finishes it");
}

BOOST_AUTO_TEST_CASE(a_record_cannot_move_a_file_out_of_its_outputs) {
  LocalFileSystem files;
  const ScratchFolder folder;
  write_outputs(folder);
  folder.write("precious", "kept");
  for (const std::string to : {"precious", "left/../precious", "left/below/part", "left-not/part"}) {
    const CommitRecord record{
        1, {folder.file("left")}, {{folder.file("left/_temporary/1/_temporary/won-0/part-00000"), folder.file(to)}}};
    const auto done = complete_commit(files, record, settings_in(folder));
    BOOST_REQUIRE(!done);
    BOOST_TEST((done.error().code == Errc::corrupt), to);
  }
  BOOST_TEST(folder.read("precious") == "kept");
  check_parts(folder);
}

BOOST_AUTO_TEST_CASE(a_commit_without_its_record_is_not_finished) {
  LocalFileSystem files;
  const ScratchFolder folder;
  write_outputs(folder);
  const auto before = tree_of(folder);
  BOOST_TEST(!finish_commit(files, paths_in(folder), OutputCommitSettings{}).has_value());
  folder.write("left/_temporary/COMMIT", "heddle commit 1\napplication_attempt 1\n");  // the write was cut
  BOOST_TEST(!finish_commit(files, paths_in(folder), OutputCommitSettings{}).has_value());
  std::filesystem::remove(folder.file("left/_temporary/COMMIT"));
  BOOST_TEST((tree_of(folder) == before));
}

}  // namespace
}  // namespace output_test
}  // namespace heddle::work
