// Goal: an output is written only by the run that created its folder, or by one that takes it over from a dead run.
// Method: two runs on one folder, and owner files that differ from that of a dead run in one value each.
#include <boost/test/unit_test.hpp>
#include <functional>

#include "tests/support/output_world.hpp"
#include "tests/support/scarcity.hpp"
#include "work/output/commit_steps.hpp"

namespace heddle::work {
namespace output_test {
namespace {

// Its client may be killed, and another run must not take the output away then.
BOOST_AUTO_TEST_CASE(an_application_that_outlives_its_client_never_counts_as_dead) {
  const auto owner = application_owner({1000, 7});
  BOOST_TEST(!is_dead(owner, this_process_owner()));
  const auto read = read_owner(write_owner(owner));
  BOOST_TEST_REQUIRE(read.has_value());
  BOOST_TEST(is_same_application(*read, application_owner({1000, 7})));
  BOOST_TEST(!is_same_application(*read, application_owner({1000, 8})));
  BOOST_TEST(describe(*read) == "application_1000_0007");
}

BOOST_AUTO_TEST_CASE(of_two_jobs_with_one_output_only_its_creator_commits) {
  const ScratchFolder folder;
  const auto out = folder.file("out");
  LocalFileSystem files;
  FileOutputCommit ours{files, settings_of(folder, 1)};
  FileOutputCommit theirs{files, settings_of(folder, 2)};
  BOOST_REQUIRE(theirs.set_up(out, {out}, 1));
  write_part(out, 1, "won-0", 0, "theirs\n");
  const auto refused = ours.set_up(out, {out}, 1);
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == Errc::refused));
  BOOST_REQUIRE(theirs.commit({{out, false, {"won-0"}}}, 1));
  write_part(out, 1, "won-0", 0, "ours\n");  // as if the look for the folder had come before it was made
  BOOST_TEST((ours.commit({{out, false, {"won-0"}}}, 1).error().code == Errc::refused));
  BOOST_REQUIRE(ours.abort({out}, 1));
  BOOST_TEST(folder.read("out/part-00000") == "theirs\n");
}

BOOST_AUTO_TEST_CASE(only_the_owner_of_an_output_removes_the_files_of_one_attempt) {
  const ScratchFolder folder;
  const auto out = folder.file("out");
  LocalFileSystem files;
  FileOutputCommit ours{files, settings_of(folder, 1)};
  FileOutputCommit theirs{files, settings_of(folder, 2)};
  BOOST_REQUIRE(ours.set_up(out, {out}, 1));
  write_part(out, 1, "lost-0", 0, "a\n");
  write_part(out, 1, "won-0", 0, "b\n");
  BOOST_TEST(theirs.abort_attempt(out, 1, "lost-0").has_value());
  BOOST_TEST(folder.read("out/_temporary/1/_temporary/lost-0/part-00000") == "a\n");
  BOOST_TEST(ours.abort_attempt(out, 1, "lost-0").has_value());
  BOOST_TEST(ours.abort_attempt(out, 1, "lost-0").has_value());  // it is gone
  BOOST_TEST(!std::filesystem::exists(out + "/_temporary/1/_temporary/lost-0"));
  BOOST_REQUIRE(ours.commit({{out, false, {"won-0"}}}, 1));
  BOOST_TEST(ours.abort_attempt(out, 1, "won-0").has_value());
  BOOST_TEST(folder.read("out/part-00000") == "b\n");
}

BOOST_AUTO_TEST_CASE(a_later_attempt_does_not_take_over_folders_of_others) {
  LocalFileSystem files;
  for (const bool is_finished : {true, false}) {
    const ScratchFolder folder;
    folder.write(is_finished ? "out/_SUCCESS" : "out/part-00000", "theirs");
    const auto state = commit_of(files, folder).recover({folder.file("out")}, 2);
    BOOST_REQUIRE(!state);
    BOOST_TEST((state.error().code == Errc::refused));
    BOOST_TEST(content_of(folder, "out").size() == 1U);
  }
  const ScratchFolder folder;
  const std::vector<std::string> paths{folder.file("ours"), folder.file("theirs")};
  FileOutputCommit ours{files, settings_of(folder, 1)};
  BOOST_REQUIRE(ours.set_up(paths[0], paths, 1));
  FileOutputCommit theirs{files, settings_of(folder, 2)};
  BOOST_REQUIRE(theirs.set_up(paths[1], {paths[1]}, 1));
  write_part(paths[1], 1, "a", 0, "theirs\n");
  const auto state = ours.recover(paths, 2);
  BOOST_REQUIRE(!state);
  BOOST_TEST(state.error().text.find("rm -r " + paths[1]) != std::string::npos, state.error().text);
  BOOST_TEST(!std::filesystem::exists(paths[0]));
  BOOST_TEST(folder.read("theirs/_temporary/1/_temporary/a/part-00000") == "theirs\n");
}

BOOST_AUTO_TEST_CASE(the_incomplete_output_of_a_dead_run_is_removed) {
  const ScratchFolder folder;
  const auto outputs = two_outputs(folder, 1, settings_of_dead(folder));
  const std::vector<std::string> paths{outputs[0].path, outputs[1].path};
  LocalFileSystem files;
  FileOutputCommit commit{files, settings_of(folder)};
  BOOST_REQUIRE(commit.clear(paths));
  for (const auto& path : paths) BOOST_TEST(!std::filesystem::exists(path));
  BOOST_REQUIRE(commit.set_up(paths[0], paths, 1));
}

/// The same of a run on another host, whose application has ended, has not ended, or is unknown.
OutputCommitSettings settings_of_elsewhere(const ScratchFolder& folder) {
  auto settings = settings_of(folder, 9);
  settings.owner.host += "-other";
  return settings;
}

BOOST_AUTO_TEST_CASE(the_output_of_a_run_elsewhere_is_settled_if_its_application_has_ended) {
  LocalFileSystem files;
  for (const std::optional<bool> answer : {std::optional<bool>{true}, {false}, {}})
    for (const bool is_decided : {false, true}) {
      const ScratchFolder folder;
      const auto outputs = two_outputs(folder, 1, settings_of_elsewhere(folder));
      const std::vector<std::string> paths{outputs[0].path, outputs[1].path};
      if (is_decided) BOOST_REQUIRE(decide_commit(files, outputs, 1, false).has_value());
      auto settings = settings_of(folder);
      std::vector<ApplicationId> asked;
      settings.has_ended = [&](const ApplicationId& application) {
        asked.push_back(application);
        return answer;
      };
      const auto cleared = FileOutputCommit{files, settings}.clear(paths);
      BOOST_TEST(!asked.empty());
      BOOST_TEST((asked.front() == ApplicationId{1, 9}));
      const bool has_ended = answer.value_or(false);
      BOOST_TEST(cleared.has_value() == (has_ended && !is_decided));
      if (!has_ended) BOOST_TEST(cleared.error().text.find("writes it") != std::string::npos, cleared.error().text);
      for (const auto& path : paths) {
        BOOST_TEST(std::filesystem::exists(path) == (is_decided || !has_ended));
        BOOST_TEST(std::filesystem::exists(path + "/_SUCCESS") == (is_decided && has_ended));
      }
    }
}

BOOST_AUTO_TEST_CASE(a_claim_folder_of_a_run_elsewhere_is_taken_if_its_application_has_ended) {
  LocalFileSystem files;
  for (const std::optional<bool> answer : {std::optional<bool>{true}, {false}, {}}) {
    const ScratchFolder folder;
    folder.write(".out.heddle-claim/_temporary/OWNER", write_owner(settings_of_elsewhere(folder).owner));
    auto settings = settings_of(folder);
    settings.has_ended = [&](const ApplicationId&) { return answer; };
    const auto out = folder.file("out");
    const auto claimed = FileOutputCommit{files, settings}.set_up(out, {out}, 1);
    BOOST_TEST(claimed.has_value() == answer.value_or(false));
    BOOST_TEST(std::filesystem::exists(out) == answer.value_or(false));
    BOOST_TEST(std::filesystem::exists(folder.file(".out.heddle-claim")) != answer.value_or(false));
  }
}

BOOST_AUTO_TEST_CASE(clear_removes_a_claim_folder_whose_application_has_ended_and_refuses_another_one) {
  LocalFileSystem files;
  for (const std::optional<bool> answer : {std::optional<bool>{true}, {false}, {}}) {
    const ScratchFolder folder;
    folder.write(".out.heddle-claim/_temporary/OWNER", write_owner(application_owner({1, 9})));
    folder.write(".out.heddle-claim/_temporary/1/part-00000", "of a commit that was aborted");
    auto settings = settings_of(folder);
    settings.has_ended = [&](const ApplicationId& application) {
      BOOST_TEST((application == ApplicationId{1, 9}));
      return answer;
    };
    const auto out = folder.file("out");
    const auto cleared = FileOutputCommit{files, settings}.clear({out});
    const bool has_ended = answer.value_or(false);
    BOOST_TEST(cleared.has_value() == has_ended);
    BOOST_TEST(std::filesystem::exists(folder.file(".out.heddle-claim")) != has_ended);
    if (!has_ended)
      BOOST_TEST(cleared.error().text.find("is just being made or removed by another run") != std::string::npos);
    // The Driver that claims the output asks nobody.
    BOOST_TEST(commit_of(files, folder).set_up(out, {out}, 1).has_value() == has_ended);
  }
}

// The executors of a killed client may still write.
BOOST_AUTO_TEST_CASE(the_output_of_a_dead_run_here_stays_while_its_cluster_does_not_say_that_it_has_ended) {
  LocalFileSystem files;
  for (const std::optional<bool> answer : {std::optional<bool>{true}, {false}, {}}) {
    const ScratchFolder folder;
    const auto out = folder.file("out");
    BOOST_REQUIRE((FileOutputCommit{files, settings_of_dead(folder)}.set_up(out, {out}, 1)));
    auto settings = settings_of(folder);
    int asked = 0;
    settings.has_ended = [&](const ApplicationId& application) {
      BOOST_TEST((application == ApplicationId{1, 9}));
      ++asked;
      return answer;
    };
    const auto cleared = FileOutputCommit{files, settings}.clear({out});
    BOOST_TEST(asked == 1);
    const bool goes = answer.value_or(true);  // of an unknown application only the process counts
    BOOST_TEST(cleared.has_value() == goes);
    BOOST_TEST(std::filesystem::exists(out) != goes);
    if (goes) continue;
    BOOST_TEST((cleared.error().code == Errc::refused));
    BOOST_TEST(cleared.error().text.find("application_1_0009 (process ") != std::string::npos, cleared.error().text);
    BOOST_TEST(cleared.error().text.ends_with("try again then"), cleared.error().text);
  }
}

BOOST_AUTO_TEST_CASE(nobody_is_asked_about_a_process_that_runs_here) {
  const ScratchFolder folder;
  const auto outputs = two_outputs(folder, 1, settings_of(folder, 9));
  LocalFileSystem files;
  auto settings = settings_of(folder);
  settings.has_ended = [](const ApplicationId&) -> std::optional<bool> {
    BOOST_ERROR("asked");
    return true;
  };
  BOOST_TEST(
      (FileOutputCommit{files, settings}.clear({outputs[0].path}).error().text.find("writes it") != std::string::npos));
}

std::vector<std::string> names_in(const ScratchFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator{folder.path()}) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with("journal-")) names.push_back(name);
  }
  return names;
}

/// A later run gets the output and leaves no other files.
void check_next_run(const ScratchFolder& folder) {
  const auto out = folder.file("out");
  LocalFileSystem files;
  FileOutputCommit commit{files, settings_of(folder)};
  const auto cleared = commit.clear({out});
  BOOST_REQUIRE_MESSAGE(cleared, (cleared ? "" : cleared.error().text));
  const auto claimed = commit.set_up(out, {out}, 1);
  BOOST_REQUIRE_MESSAGE(claimed, (claimed ? "" : claimed.error().text));
  write_part(out, 1, "won-0", 0, "zero\n");
  BOOST_REQUIRE(commit.commit({{out, false, {"won-0"}}}, 1));
  BOOST_TEST(names_in(folder) == std::vector<std::string>{"out"}, boost::test_tools::per_element());
  const std::map<std::string, std::string> expected{{"out/_SUCCESS", ""}, {"out/part-00000", "zero\n"}};
  BOOST_TEST((content_of(folder, "out") == expected));
}

BOOST_AUTO_TEST_CASE(an_output_can_be_claimed_after_a_kill_during_claim_or_release) {
  enum class Step : std::uint8_t { set_up, abort, clear };
  for (const auto step : {Step::set_up, Step::abort, Step::clear})
    for (int changes = 0;; ++changes) {
      const ScratchFolder folder;
      const auto out = folder.file("out");
      LocalFileSystem files;
      BreakingStore breaking{changes};
      const auto dead = settings_of_dead(folder);
      FileOutputCommit killed{breaking, dead};
      if (step == Step::set_up) {
        static_cast<void>(killed.set_up(out, {out}, 1).has_value());
      } else {
        BOOST_REQUIRE((FileOutputCommit{files, dead}.set_up(out, {out}, 1)));
        write_part(out, 1, "lost-0", 0, "never seen\n");
        if (step == Step::abort) static_cast<void>(killed.abort({out}, 1).has_value());
        else static_cast<void>(killed.clear({out}).has_value());
      }
      BOOST_TEST_CONTEXT("step " << static_cast<int>(step) << ", change " << changes) { check_next_run(folder); }
      if (!breaking.has_broken()) break;
      BOOST_REQUIRE(changes < 100);
    }
  const ScratchFolder folder;  // killed during and before the write of the file
  folder.write(".out.heddle-claim/_temporary/OWNER.12345678", "heddle ow");
  check_next_run(folder);
  BOOST_TEST(!std::filesystem::exists(folder.file(".out.heddle-claim")));
}

BOOST_AUTO_TEST_CASE(exactly_one_of_two_concurrent_claims_gets_the_output) {
  // The second run claims completely before the n-th change of the first run.
  class Interrupted final : public LocalFileSystem {
  public:
    Interrupted(int changes, std::function<void()> run) : left_{changes}, run_{std::move(run)} {}
    [[nodiscard]] bool has_run() const { return left_ < 0; }
    Result<bool> create_once(const std::string& path, std::string_view content, const std::string& beside) override {
      count();
      return LocalFileSystem::create_once(path, content, beside);
    }
    Result<Done> make_directory(const std::string& path) override {
      count();
      return LocalFileSystem::make_directory(path);
    }
    Result<bool> rename_exclusive(const std::string& from, const std::string& to) override {
      count();
      return LocalFileSystem::rename_exclusive(from, to);
    }

  private:
    void count() {
      if (left_ >= 0 && left_-- == 0) run_();
    }
    int left_;
    std::function<void()> run_;
  };
  for (const bool is_given_up : {false, true})
    for (int changes = 0;; ++changes) {
      const ScratchFolder folder;
      const auto out = folder.file("out");
      LocalFileSystem plain;
      FileOutputCommit second{plain, settings_of(folder, 2)};
      bool second_has_it = false;
      Interrupted files{changes, [&] {
                          const auto claimed = second.set_up(out, {out}, 1);
                          second_has_it = claimed.has_value();
                          BOOST_TEST((claimed || claimed.error().code == Errc::refused));
                          if (is_given_up) BOOST_REQUIRE(second.abort({out}, 1));
                        }};
      const auto claimed = FileOutputCommit{files, settings_of(folder, 1)}.set_up(out, {out}, 1);
      BOOST_TEST_CONTEXT("change " << changes << (is_given_up ? ", given up" : "")) {
        BOOST_TEST((claimed || claimed.error().code == Errc::refused));
        BOOST_TEST(claimed.has_value() == (!second_has_it || is_given_up));
        const auto owner = read_owner(folder.read("out/_temporary/OWNER"));
        BOOST_REQUIRE(owner.has_value());
        BOOST_TEST(owner->application.number == (claimed ? 1 : 2));
        BOOST_TEST(names_in(folder) == std::vector<std::string>{"out"}, boost::test_tools::per_element());
      }
      if (!files.has_run()) break;
      BOOST_REQUIRE(changes < 100);
    }
}

BOOST_AUTO_TEST_CASE(an_output_that_cannot_be_claimed_leaves_no_folder) {
  /// A quota of names that ends at the n-th folder.
  class Quota final : public LocalFileSystem {
  public:
    explicit Quota(int folders) : left_{folders} {}
    Result<Done> make_directory(const std::string& path) override {
      if (left_-- <= 0) return Error{Errc::refused, "the NameSpace quota is exceeded"};
      return LocalFileSystem::make_directory(path);
    }

  private:
    int left_;
  };
  for (const int folders : {0, 1, 2}) {
    const ScratchFolder folder;
    Quota files{folders};
    const auto out = folder.file("out");
    const auto claimed = commit_of(files, folder).set_up(out, {out}, 1);
    BOOST_REQUIRE(!claimed);
    BOOST_TEST(claimed.error().text == "the NameSpace quota is exceeded");
    BOOST_TEST(names_in(folder).empty(), folders << " folders");
  }
}

BOOST_AUTO_TEST_CASE(a_claim_folder_in_use_or_of_another_program_is_kept) {
  LocalFileSystem files;
  const auto is_refused = [&files](const ScratchFolder& folder) {
    const auto out = folder.file("out");
    const auto claimed = commit_of(files, folder).set_up(out, {out}, 1);
    BOOST_REQUIRE(!claimed);
    BOOST_TEST((claimed.error().code == Errc::refused));
    BOOST_TEST(claimed.error().text.find("rm -r " + folder.file(".out.heddle-claim")) != std::string::npos,
               claimed.error().text);
    BOOST_TEST(!std::filesystem::exists(out));
  };
  const ScratchFolder lives;
  const auto owner = write_owner(settings_of(lives, 2).owner);
  lives.write(".out.heddle-claim/_temporary/OWNER", owner);
  is_refused(lives);
  BOOST_TEST(lives.read(".out.heddle-claim/_temporary/OWNER") == owner);
  const ScratchFolder foreign;
  foreign.write(".out.heddle-claim/guest", "kept");
  is_refused(foreign);
  BOOST_TEST(foreign.read(".out.heddle-claim/guest") == "kept");
  const ScratchFolder link;
  link.write("elsewhere/guest", "kept");
  std::filesystem::create_directory_symlink(link.file("elsewhere"), link.file(".out.heddle-claim"));
  is_refused(link);
  BOOST_TEST(content_of(link, "elsewhere").size() == 1U);
  // A later attempt of the same application takes over an incomplete output of an earlier attempt.
  const ScratchFolder earlier;
  earlier.write(".out.heddle-claim/_temporary/OWNER", write_owner(settings_of(earlier).owner));
  BOOST_REQUIRE((commit_of(files, earlier).set_up(earlier.file("out"), {earlier.file("out")}, 2)));
  BOOST_TEST((names_in(earlier) == std::vector<std::string>{"out"}));
}

BOOST_AUTO_TEST_CASE(a_recorded_commit_of_a_dead_run_is_completed_from_every_point_of_failure) {
  for (int changes = 1;; ++changes) {
    const ScratchFolder folder;
    const auto dead = settings_of_dead(folder);
    const auto outputs = two_outputs(folder, 1, dead);
    BreakingStore breaking{changes};
    static_cast<void>(FileOutputCommit{breaking, dead}.commit(outputs, 1).has_value());
    LocalFileSystem files;
    auto settings = settings_of(folder);
    settings.journal.clear();
    const auto cleared = FileOutputCommit{files, settings}.clear({outputs[0].path, outputs[1].path});
    BOOST_REQUIRE(!cleared);
    BOOST_TEST(cleared.error().text.find("rm -r ") != std::string::npos, cleared.error().text);
    for (const std::string name : {"left", "right"}) {
      BOOST_TEST(folder.read(name + "/part-00001") == name + " one\n");
      BOOST_TEST(std::filesystem::exists(folder.file(name + "/_SUCCESS")));
    }
    if (!breaking.has_broken()) break;
    BOOST_REQUIRE(changes < 100);
  }
}

BOOST_AUTO_TEST_CASE(folders_that_may_be_in_use_or_are_not_heddles_are_kept) {
  LocalFileSystem files;
  const auto stays = [&](const ScratchFolder& folder, const std::vector<std::string>& paths) {
    const auto before = content_of(folder, ".");
    const auto cleared = commit_of(files, folder).clear(paths);
    BOOST_REQUIRE(!cleared);
    BOOST_TEST((cleared.error().code == Errc::refused));
    BOOST_TEST(cleared.error().text.find("rm -r " + paths.front()) != std::string::npos, cleared.error().text);
    BOOST_TEST((content_of(folder, ".") == before));
  };
  using Change = void (*)(ProcessOwner&);
  for (const Change change : {Change{[](ProcessOwner& owner) { --owner.start_time; }},  // the owner is alive
                              Change{[](ProcessOwner& owner) { owner.host += "x"; }},   // nobody knows
                              Change{[](ProcessOwner& owner) { ++owner.user; }},
                              Change{[](ProcessOwner& owner) { owner.boot_id = "other"; }},  // of a namesake: too young
                              Change{[](ProcessOwner& owner) { owner.pid_namespace += "x"; }},
                              Change{[](ProcessOwner& owner) { owner.outputs = {"/elsewhere"}; }}}) {
    const ScratchFolder folder;
    auto owner = settings_of_dead(folder).owner;
    const auto out = folder.file("out");
    owner.outputs = {out};
    change(owner);
    folder.write("out/_temporary/OWNER", write_owner(owner));
    folder.write("out/_temporary/1/x", "data");
    stays(folder, {out});
  }
  const ScratchFolder folder;
  folder.write("finished/_SUCCESS", "");
  folder.write("foreign/_temporary/0/x", "of Hadoop");
  folder.write("file", "");
  for (const auto* name : {"finished", "foreign", "file"}) stays(folder, {folder.file(name)});
  auto dead = settings_of_dead(folder);
  BOOST_REQUIRE((FileOutputCommit{files, dead}.set_up(folder.file("real"), {folder.file("link")}, 1)));
  std::filesystem::create_directory_symlink(folder.file("real"), folder.file("link"));
  stays(folder, {folder.file("link")});
  // A commit of several outputs is completed only by a run that has all of them.
  const auto outputs = two_outputs(folder, 1, dead);
  BreakingStore breaking{1};  // writes only the record
  BOOST_REQUIRE((!FileOutputCommit{breaking, dead}.commit(outputs, 1)));
  stays(folder, {outputs[1].path});
  BOOST_TEST((!commit_of(files, folder).clear({outputs[0].path, outputs[1].path})));
  BOOST_TEST(folder.read("right/part-00001") == "right one\n");
}

BOOST_AUTO_TEST_CASE(a_living_owner_does_not_count_as_dead_if_proc_cannot_be_read) {
  const auto self = this_process_owner();
  for (int spare = 0; spare < 4; ++spare) {
    const NoDescriptors none{spare};
    BOOST_TEST(!is_dead(self, self));
  }
}

BOOST_AUTO_TEST_CASE(a_known_commit_does_not_hide_that_its_output_was_removed) {
  const ScratchFolder folder;
  LocalFileSystem files;
  const auto outputs = two_outputs(folder, 1);
  const std::vector<std::string> paths{outputs[0].path, outputs[1].path};
  BOOST_REQUIRE(commit_of(files, folder).commit(outputs, 1));
  const auto remembered = commit_of(files, folder).recover(paths, 2);
  BOOST_REQUIRE(remembered);
  BOOST_TEST((*remembered == CommitState::committed));
  for (const auto& path : paths) std::filesystem::remove_all(path);
  const auto state = commit_of(files, folder).recover(paths, 2);
  BOOST_REQUIRE(state);
  BOOST_TEST((*state == CommitState::not_committed));
}

BOOST_AUTO_TEST_CASE(an_owner_from_before_the_last_boot_is_dead) {
  const auto self = this_process_owner();
  auto owner = self;
  BOOST_TEST(!is_dead(owner, self));
  owner.boot_id = "earlier";
  BOOST_TEST(!is_dead(owner, self));
  owner.written_at = 1;
  BOOST_TEST(is_dead(owner, self));
}

BOOST_AUTO_TEST_CASE(an_owner_file_reads_back_unchanged_and_other_texts_are_rejected) {
  auto owner = this_process_owner({1700, 3});
  owner.attempt = 2;
  owner.outputs = {"/a b", "/two\nlines\\n"};
  const auto text = write_owner(owner);
  const auto read = read_owner(text);
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(write_owner(*read) == text);
  BOOST_TEST((read->outputs == owner.outputs));
  BOOST_TEST(is_same_application(*read, owner));
  BOOST_TEST(!read_owner("").has_value());
  BOOST_TEST(!read_owner("end\n").has_value());
  BOOST_TEST(!read_owner(text.substr(0, text.size() - 4)).has_value());
  BOOST_TEST(remove_command("/a b's") == "rm -r '/a b'\\''s'");
}

}  // namespace
}  // namespace output_test
}  // namespace heddle::work
