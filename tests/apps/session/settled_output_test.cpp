// Goal: the output of a lost Driver is completed or removed by the application's settings, from every point of failure.
// Method: real files; the Driver's commit fails at its n-th change, for every n.
#include "apps/session/settled_output.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "apps/roles/role_settings.hpp"
#include "tests/support/output_world.hpp"

namespace heddle::apps {
namespace settled_output_test {
namespace {

using namespace work::output_test;

struct LeftJob {
  work::ScratchFolder folder;
  OutputOwner owner;
  work::OutputCommitSettings of_driver;
  explicit LeftJob(bool keeps_success) {
    BOOST_REQUIRE(owner.settings.set("heddle.output.success_file", keeps_success ? "true" : "false",
                                     config::Origin::command_line, ""));
    owner.application = {1000, 7};
    owner.journal = folder.file("journal");
    std::filesystem::create_directories(owner.journal);
    of_driver = commit_settings(owner.settings, owner.application);
    of_driver.journal = owner.journal;
  }
  [[nodiscard]] std::vector<std::string> paths() const { return {folder.file("left"), folder.file("right")}; }
  [[nodiscard]] bool has(const std::string& name) const { return std::filesystem::exists(folder.file(name)); }
};

BOOST_AUTO_TEST_CASE(a_recorded_commit_is_completed_with_the_settings_of_the_application) {
  int committed = 0;
  int removed = 0;
  for (int changes = 0;; ++changes) {
    BOOST_TEST_REQUIRE(changes < 100);
    LeftJob job{changes % 2 == 0};
    const auto outputs = two_outputs(job.folder, 1, job.of_driver);
    BreakingStore breaking{changes / 2};
    static_cast<void>((work::FileOutputCommit{breaking, job.of_driver}.commit(outputs, 1).has_value()));
    const bool was_decided = job.has("left/_temporary/COMMIT") || job.has("left/part-00000");
    const auto settled = settle_output(job.owner, job.paths(), 2);
    BOOST_TEST(settled.is_committed == was_decided);
    BOOST_TEST(settled.text == "");
    ++(settled.is_committed ? committed : removed);
    for (const std::string name : {"left", "right"}) {
      BOOST_TEST(job.has(name) == was_decided);
      BOOST_TEST(job.has(name + "/part-00001") == was_decided);
      BOOST_TEST(!job.has(name + "/_temporary"));
      BOOST_TEST(job.has(name + "/_SUCCESS") == (was_decided && changes % 2 == 0));
    }
    if (!breaking.has_broken()) break;
  }
  BOOST_TEST(committed > 2);
  BOOST_TEST(removed > 0);
}

BOOST_AUTO_TEST_CASE(an_output_of_another_application_is_kept) {
  LeftJob job{true};
  auto of_others = job.of_driver;
  of_others.owner = work::this_process_owner({1000, 8});
  static_cast<void>(two_outputs(job.folder, 1, of_others));
  const auto settled = settle_output(job.owner, job.paths(), 2);
  BOOST_TEST(!settled.is_committed);
  BOOST_TEST(job.has("left/_temporary/OWNER"));
  BOOST_TEST(job.has("right/_temporary/OWNER"));
}

}  // namespace
}  // namespace settled_output_test
}  // namespace heddle::apps
