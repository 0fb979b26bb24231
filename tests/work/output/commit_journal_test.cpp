// Goal: the journal recognizes a finished commit of its own application, and nothing else.
// Method: outputs with and without owners; a file store that fails at its k-th call, for every k.
#include "work/output/commit_journal.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/faulty_store.hpp"
#include "tests/support/output_world.hpp"
#include "work/output/output_folder.hpp"

namespace heddle::work {
namespace output_test {
namespace {

/// Two finished outputs, and the settings of the application that wrote them.
struct Finished {
  ScratchFolder folder;
  LocalFileSystem files;
  OutputCommitSettings settings = settings_of(folder);
  std::vector<std::string> outputs{folder.file("left"), folder.file("right")};
  Finished() {
    for (const std::string name : {"left", "right"}) folder.write(name + "/_SUCCESS", "");
  }
  [[nodiscard]] bool is_known() const { return is_in_journal(files, settings, outputs); }
  void write_owner_of(const std::string& name, const OutputCommitSettings& owner) const {
    folder.write(name + "/_temporary/OWNER", write_owner(owner.owner));
  }
};

BOOST_AUTO_TEST_CASE(outputs_are_known_from_their_record_to_its_removal) {
  Finished world;
  BOOST_TEST(!world.is_known());
  record_in_journal(world.files, world.settings, world.outputs);
  BOOST_TEST(world.is_known());
  record_in_journal(world.files, world.settings, world.outputs);  // a second time changes nothing
  BOOST_TEST(world.is_known());
  BOOST_TEST(world.files.list(world.settings.journal)->size() == 1U);
  BOOST_REQUIRE(remove_from_journal(world.files, world.settings, world.outputs.front()));
  BOOST_TEST(!world.is_known());
  BOOST_TEST(remove_from_journal(world.files, world.settings, world.outputs.front()).has_value());
}

BOOST_AUTO_TEST_CASE(only_the_same_outputs_in_the_same_order_are_known) {
  const Finished world;
  LocalFileSystem files;
  record_in_journal(files, world.settings, world.outputs);
  const auto& left = world.outputs[0];
  const auto& right = world.outputs[1];
  for (const auto& others : std::vector<std::vector<std::string>>{{left}, {right}, {right, left}, {left, right, left}})
    BOOST_TEST(!is_in_journal(files, world.settings, others));
  auto elsewhere = world.settings;
  elsewhere.journal = world.folder.file("another journal");
  BOOST_TEST(!is_in_journal(files, elsewhere, world.outputs));
}

BOOST_AUTO_TEST_CASE(an_entry_without_its_outputs_or_with_those_of_others_is_not_believed) {
  struct Row {
    const char* name;
    void (*change)(const Finished&);
    bool is_known;
  };
  const Row rows[] = {
      {"its own owner file is left", [](const Finished& world) { world.write_owner_of("left", world.settings); }, true},
      {"a later attempt of it owns an output",
       [](const Finished& world) {
         auto later = world.settings;
         ++later.owner.attempt;
         world.write_owner_of("right", later);
       },
       true},
      {"another application owns the second output",
       [](const Finished& world) { world.write_owner_of("right", settings_of(world.folder, 2)); }, false},
      {"the owner cannot be read",
       [](const Finished& world) { world.folder.write("left/_temporary/OWNER", "nonsense"); }, false},
      {"an output was removed", [](const Finished& world) { std::filesystem::remove_all(world.folder.file("right")); },
       false}};
  for (const auto& [name, change, is_known] : rows) {
    Finished world;
    record_in_journal(world.files, world.settings, world.outputs);
    change(world);
    BOOST_TEST(world.is_known() == is_known, name);
  }
}

BOOST_AUTO_TEST_CASE(without_a_journal_nothing_is_recorded) {
  Finished world;
  world.settings.journal.clear();
  const auto before = tree_of(world.folder);
  record_in_journal(world.files, world.settings, world.outputs);
  BOOST_TEST(remove_from_journal(world.files, world.settings, world.outputs.front()).has_value());
  BOOST_TEST(!world.is_known());
  BOOST_TEST((tree_of(world.folder) == before));
}

BOOST_AUTO_TEST_CASE(paths_with_line_ends_do_not_look_like_two_outputs) {
  Finished world;
  const auto odd = world.folder.file("left\noutput " + world.outputs[1]);
  record_in_journal(world.files, world.settings, {odd});
  BOOST_TEST(!is_in_journal(world.files, world.settings, {world.folder.file("left"), world.outputs[1]}));
}

// A journal that cannot be written costs a later attempt its output, never the data of others.
BOOST_AUTO_TEST_CASE(a_fault_makes_a_commit_unknown_and_never_known) {
  for (const auto fault : all_faults)
    for (int at = 0;; ++at) {
      Finished world;
      FaultyStore faulty{fault, at};
      record_in_journal(faulty, world.settings, world.outputs);
      if (!faulty.has_failed()) {
        BOOST_TEST(at > 0);
        break;
      }
      BOOST_TEST(world.is_known() == (fault == Fault::answer_is_lost));
      record_in_journal(world.files, world.settings, world.outputs);
      BOOST_TEST(world.is_known());
    }
  for (int at = 0;; ++at) {
    Finished world;
    record_in_journal(world.files, world.settings, world.outputs);
    const FaultyStore faulty{Fault::call_fails, at};
    const bool is_known = is_in_journal(faulty, world.settings, world.outputs);
    BOOST_TEST(is_known != faulty.has_failed());
    if (!faulty.has_failed()) {
      BOOST_TEST(at == 5);  // the entry, and two calls for each output
      break;
    }
  }
}

BOOST_AUTO_TEST_CASE(an_entry_that_cannot_be_removed_is_an_error) {
  for (const auto fault : all_faults) {
    Finished world;
    record_in_journal(world.files, world.settings, world.outputs);
    FaultyStore faulty{fault, 0};
    BOOST_TEST(!remove_from_journal(faulty, world.settings, world.outputs.front()).has_value());
    BOOST_TEST(remove_from_journal(world.files, world.settings, world.outputs.front()).has_value());
    BOOST_TEST(!world.is_known());
  }
}

}  // namespace
}  // namespace output_test
}  // namespace heddle::work
