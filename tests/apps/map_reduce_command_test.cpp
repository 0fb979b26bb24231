// Goal: errors of the mapreduce command offer only what its framework can use. Method: command lines and their errors.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/cli/command_line.hpp"
#include "tests/support/scratch_folder.hpp"

namespace heddle::apps {
namespace map_reduce_command_test {
namespace {

std::string refusal(const std::vector<std::string>& more) {
  std::vector<std::string> words{"mapreduce", "-input", "in", "-output", "out", "-mapper", "cat"};
  words.insert(words.end(), more.begin(), more.end());
  const auto parsed = parse_command_line(words, 4);
  return parsed ? std::string{} : parsed.error().text;
}

BOOST_AUTO_TEST_CASE(a_framework_of_a_cluster_offers_only_a_local_cluster_as_master) {
  const std::vector<std::vector<std::string>> frameworks{{"--framework", "classic"},
                                                         {"--framework", "yarn"},
                                                         {"-D", "mapreduce.framework.name=yarn"},
                                                         {"-jobconf", "mapreduce.framework.name=classic"}};
  for (auto words : frameworks) {
    words.insert(words.end(), {"--master", "foo"});
    BOOST_TEST(refusal(words) == "--master \"foo\" is unknown; expected: local-cluster[n,c,m]");
  }
  const std::vector<std::vector<std::string>> local{
      {}, {"--framework", "driver"}, {"--framework", "driver", "-D", "mapreduce.framework.name=classic"}};
  for (auto words : local) {
    words.insert(words.end(), {"--master", "foo"});
    BOOST_TEST(refusal(words).find("local[N]") != std::string::npos);
  }
}

/// The working folder has a heddle.toml.
struct SettingsFile {
  work::ScratchFolder folder;
  std::filesystem::path before = std::filesystem::current_path();
  explicit SettingsFile(const std::string& framework) {
    folder.write("heddle.toml", "\"heddle.map_reduce.framework\" = \"" + framework + "\"\n");
    std::filesystem::current_path(folder.path());
  }
  ~SettingsFile() { std::filesystem::current_path(before); }
};

BOOST_AUTO_TEST_CASE(a_framework_of_a_cluster_offers_only_a_local_cluster_whichever_source_names_it) {
  const std::string offer = "--master \"foo\" is unknown; expected: local-cluster[n,c,m]";
  for (const std::string framework : {"classic", "yarn"}) {
    const auto key = "heddle.map_reduce.framework=" + framework;
    BOOST_TEST(refusal({"--master", "foo", "--set", key}) == offer);
    BOOST_TEST(refusal({"-D", "mapreduce.framework.name=local", "--master", "foo", "--set", key}) == offer);
    const SettingsFile file{framework};
    BOOST_TEST(refusal({"--master", "foo"}) == offer);
    BOOST_TEST(refusal({"--master", "spark://x"}).find("; use local-cluster[n,c,m]") != std::string::npos);
    BOOST_TEST(refusal({"-background"}).find("omit -background") != std::string::npos);
    for (const auto& driver : {std::vector<std::string>{"--framework", "driver"},
                               std::vector<std::string>{"-D", "mapreduce.framework.name=local"}}) {
      auto words = driver;
      words.insert(words.end(), {"--master", "foo"});
      BOOST_TEST(refusal(words).find("local[N]") != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(hosts_of_a_topology_are_offered_a_local_cluster_only) {
  const work::ScratchFolder folder;
  const auto path = folder.write("t.toml", "[[host]]\nname = \"a\"\n");
  const std::string offer = "--master \"foo\" is unknown; expected: local-cluster[n,c,m]";
  BOOST_TEST(refusal({"--master", "foo", "--topology", path}) == offer);
  const auto run = parse_command_line(std::vector<std::string>{"run", "--topology", path, "--master", "foo"}, 4);
  BOOST_TEST_REQUIRE(!run.has_value());
  BOOST_TEST(run.error().text == offer);
  const auto other = parse_command_line(std::vector<std::string>{"run", "--master", "foo", "--", "true"}, 4);
  BOOST_TEST_REQUIRE(!other.has_value());
  BOOST_TEST(other.error().text.find("local[N]") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_framework_of_a_cluster_has_no_background_and_does_not_offer_hadoop) {
  for (const std::string framework : {"classic", "yarn"})
    BOOST_TEST(refusal({"--framework", framework, "-background"}) ==
               "-background is not available with --framework " + framework +
                   ": a local cluster ends with the command that started it; omit -background");
}

}  // namespace
}  // namespace map_reduce_command_test
}  // namespace heddle::apps
