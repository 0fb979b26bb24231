// Goal: errors of the mapreduce command offer only what its framework can use. Method: command lines and their errors.
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "apps/cli/command_line.hpp"

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

BOOST_AUTO_TEST_CASE(a_framework_of_a_cluster_has_no_background_and_does_not_offer_hadoop) {
  for (const std::string framework : {"classic", "yarn"})
    BOOST_TEST(refusal({"--framework", framework, "-background"}) ==
               "-background is not available with --framework " + framework +
                   ": a local cluster ends with the command that started it; omit -background");
}

}  // namespace
}  // namespace map_reduce_command_test
}  // namespace heddle::apps
