// Goal: no failure while an output is set aside or removed makes it look like an output of somebody else.
// Method: a file store that fails at its k-th call, for every k; then the same step without a fault.
#include "work/output/output_folder.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/faulty_store.hpp"

namespace heddle::work {
namespace output_test {
namespace {

/// An output in the middle of its job: two older application attempts, one of them discarded, and the current one.
void write_unfinished_output(const ScratchFolder& folder, const std::string& name) {
  folder.write(name + "/_temporary/OWNER", "the owner");
  folder.write(name + "/_temporary/1.discarded/_temporary/a/part-00000", "one");
  folder.write(name + "/_temporary/2/_temporary/a/part-00000", "two");
  folder.write(name + "/_temporary/2/_temporary/b/part-00001", "two");
  folder.write(name + "/_temporary/3/_temporary/a/part-00000", "three");
}

void write_unfinished_outputs(const ScratchFolder& folder) {
  for (const auto* name : {"left", "right"}) write_unfinished_output(folder, name);
}

std::vector<std::string> unfinished_outputs_in(const ScratchFolder& folder) {
  return {folder.file("left"), folder.file("right"), folder.file("not set up")};
}

/// Files in a folder whose owner is unknown are lost: no run may remove them.
void check_owner(const ScratchFolder& folder) {
  for (const std::string name : {"left", ".left.heddle-claim"}) {
    const auto tree = tree_of(folder);
    if (tree.contains(name + "/_temporary/OWNER")) continue;
    for (const auto& [path, content] : tree)
      BOOST_TEST((!path.starts_with(name + "/_temporary/") || path == name + "/_temporary/"), path);
  }
}

BOOST_AUTO_TEST_CASE(emptied_working_files_keep_their_owner_after_every_fault) {
  LocalFileSystem files;
  const ScratchFolder folder;
  write_unfinished_output(folder, "left");
  folder.write("left/_temporary/COMMIT", "the record");
  BOOST_REQUIRE(empty_temporary(files, folder.file("left")));
  BOOST_TEST(
      (tree_of(folder) == Tree{{"left/", ""}, {"left/_temporary/", ""}, {"left/_temporary/OWNER", "the owner"}}));
  BOOST_TEST(empty_temporary(files, folder.file("not set up")).has_value());
  check_repeats([](const ScratchFolder& each) { write_unfinished_output(each, "left"); },
                [](ports::FileSystem& store, const ScratchFolder& each) {
                  return empty_temporary(store, each.file("left")).has_value();
                },
                [](const ScratchFolder& each) { BOOST_TEST(each.read("left/_temporary/OWNER") == "the owner"); });
}

BOOST_AUTO_TEST_CASE(the_owner_file_is_the_last_of_the_working_files_that_goes) {
  check_repeats([](const ScratchFolder& folder) { write_unfinished_output(folder, "left"); },
                [](ports::FileSystem& store, const ScratchFolder& folder) {
                  return remove_temporary(store, folder.file("left")).has_value();
                },
                check_owner);
}

BOOST_AUTO_TEST_CASE(a_removed_output_leaves_at_most_a_claim_folder_with_its_owner) {
  for (const auto fault : all_faults)
    for (int at = 0;; ++at) {
      const ScratchFolder folder;
      write_unfinished_output(folder, "left");
      FaultyStore faulty{fault, at};
      const auto removed = remove_output(faulty, folder.file("left"));
      BOOST_TEST_CONTEXT("fault " << static_cast<int>(fault) << " at call " << at) {
        check_owner(folder);
        if (removed) BOOST_TEST(*removed);
        if (removed) BOOST_TEST(!std::filesystem::exists(folder.file("left")));
        LocalFileSystem sound;
        const auto repeated = remove_output(sound, folder.file("left"));
        BOOST_REQUIRE(repeated);
        BOOST_TEST(*repeated);
        const std::map<std::string, std::string> allowed{{".left.heddle-claim/", ""},
                                                         {".left.heddle-claim/_temporary/", ""},
                                                         {".left.heddle-claim/_temporary/OWNER", "the owner"}};
        for (const auto& entry : tree_of(folder)) BOOST_TEST(allowed.contains(entry.first), entry.first);
        if (!faulty.has_failed()) BOOST_TEST(tree_of(folder).empty());
      }
      if (!faulty.has_failed()) break;
      BOOST_REQUIRE(at < 200);
    }
}

BOOST_AUTO_TEST_CASE(an_output_with_other_files_loses_only_its_working_files) {
  const Tree kept{{"left/", ""}, {"left/guest", "kept"}};
  LocalFileSystem files;
  const ScratchFolder folder;
  write_unfinished_output(folder, "left");
  folder.write("left/guest", "kept");
  const auto removed = remove_output(files, folder.file("left"));
  BOOST_REQUIRE(removed);
  BOOST_TEST(!*removed);
  BOOST_TEST((tree_of(folder) == kept));
  check_repeats(
      [](const ScratchFolder& each) {
        write_unfinished_output(each, "left");
        each.write("left/guest", "kept");
      },
      [](ports::FileSystem& store, const ScratchFolder& each) {
        const auto done = remove_output(store, each.file("left"));
        return done && !*done;
      },
      [](const ScratchFolder& each) {
        check_owner(each);
        BOOST_TEST(each.read("left/guest") == "kept");
      });
}

BOOST_AUTO_TEST_CASE(only_folders_of_other_attempts_are_put_aside) {
  LocalFileSystem files;
  const ScratchFolder folder;
  write_unfinished_outputs(folder);
  folder.write("left/_temporary/COMMIT", "the record");
  folder.write("right/_temporary/2.discarded/old", "of an earlier try");
  BOOST_REQUIRE(put_aside(files, unfinished_outputs_in(folder), 3));
  for (const std::string name : {"left", "right"}) {
    const auto working = name + "/_temporary/";
    BOOST_TEST(folder.read(working + "1.discarded/_temporary/a/part-00000") == "one");
    BOOST_TEST(folder.read(working + "2.discarded/_temporary/b/part-00001") == "two");
    BOOST_TEST(folder.read(working + "3/_temporary/a/part-00000") == "three");
    BOOST_TEST(folder.read(working + "OWNER") == "the owner");
    BOOST_TEST(!std::filesystem::exists(folder.file(working + "2")));
    BOOST_TEST(!std::filesystem::exists(folder.file(working + "1.discarded.discarded")));
  }
  BOOST_TEST(folder.read("left/_temporary/COMMIT") == "the record");
  BOOST_TEST(!std::filesystem::exists(folder.file("right/_temporary/2.discarded/old")));
  check_repeats(
      [](const ScratchFolder& each) {
        write_unfinished_outputs(each);
        each.write("right/_temporary/2.discarded/old", "of an earlier try");
      },
      [](ports::FileSystem& store, const ScratchFolder& each) {
        return put_aside(store, unfinished_outputs_in(each), 3).has_value();
      });
}

BOOST_AUTO_TEST_CASE(attempts_that_were_put_aside_come_back_unchanged) {
  LocalFileSystem files;
  const ScratchFolder folder;
  for (const auto* name : {"left", "right"}) {
    folder.write(std::string{name} + "/_temporary/OWNER", "the owner");
    folder.write(std::string{name} + "/_temporary/1/_temporary/a/part-00000", "one");
    folder.write(std::string{name} + "/_temporary/2/_temporary/a/part-00000", "two");
  }
  const auto before = tree_of(folder);
  BOOST_REQUIRE(put_aside(files, unfinished_outputs_in(folder), 3));
  BOOST_TEST((tree_of(folder) != before));
  BOOST_REQUIRE(put_back(files, unfinished_outputs_in(folder)));
  BOOST_TEST((tree_of(folder) == before));
  check_repeats(write_unfinished_outputs, [](ports::FileSystem& store, const ScratchFolder& each) {
    return put_back(store, unfinished_outputs_in(each)).has_value();
  });
}

BOOST_AUTO_TEST_CASE(outputs_are_committed_only_if_all_have_their_success_file) {
  LocalFileSystem files;
  const ScratchFolder folder;
  const std::vector<std::string> outputs{folder.file("left"), folder.file("right")};
  BOOST_TEST(!*is_committed(files, outputs));
  folder.write("right/_SUCCESS", "");
  BOOST_TEST(!*is_committed(files, outputs));
  folder.write("left/_SUCCESS", "");
  BOOST_TEST(*is_committed(files, outputs));
  for (int at = 0; at < 2; ++at) {
    const FaultyStore faulty{Fault::call_fails, at};
    BOOST_TEST(!is_committed(faulty, outputs).has_value());
  }
}

BOOST_AUTO_TEST_CASE(a_folder_holds_only_working_files_if_they_are_its_only_entry) {
  struct Row {
    const char* name;
    std::vector<std::string> files;
    bool expected;
  };
  LocalFileSystem files;
  for (const auto& [name, entries, expected] : std::vector<Row>{{"working files", {"_temporary/OWNER"}, true},
                                                                {"a part beside", {"_temporary/OWNER", "part"}, false},
                                                                {"a hidden file", {"_temporary/OWNER", ".x"}, false},
                                                                {"another file", {"part"}, false},
                                                                {"a similar name", {"_temporary2/OWNER"}, false}}) {
    const ScratchFolder folder;
    for (const auto& entry : entries) folder.write("out/" + entry, "");
    const auto found = holds_only_temporary(files, folder.file("out"));
    BOOST_REQUIRE(found);
    BOOST_TEST(*found == expected, name);
  }
  const ScratchFolder folder;
  BOOST_TEST(!holds_only_temporary(files, folder.file("none")).has_value());
  BOOST_TEST(!*holds_only_temporary(files, folder.path()));
}

BOOST_AUTO_TEST_CASE(a_claim_folder_lies_beside_its_output_whatever_the_length_of_the_name) {
  BOOST_TEST(claim_folder("/data/out") == "/data/.out.heddle-claim");
  BOOST_TEST(claim_folder("out") == ".out.heddle-claim");
  const ScratchFolder folder;
  LocalFileSystem files;
  const auto longest = folder.file(std::string(255, 'x'));
  BOOST_REQUIRE(files.make_directory(longest));
  BOOST_TEST(files.make_directory(claim_folder(longest)).has_value());
  BOOST_TEST(std::filesystem::exists(claim_folder(longest)));
}

}  // namespace
}  // namespace output_test
}  // namespace heddle::work
