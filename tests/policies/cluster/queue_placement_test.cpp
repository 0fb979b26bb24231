// Goal: an application gets the queue of the first rule that decides, or is refused with an error message. Method:
// tables of rules, requests and existing queues; rules are written as in the file.
#include "policies/cluster/queue_placement.hpp"

#include <boost/test/unit_test.hpp>
#include <map>

namespace heddle::policies {
namespace queue_placement_test {
namespace {

std::string placed(const std::string& rules, const PlacementRequest& request,
                   const std::map<std::string, QueueKind>& queues = {}, const PlacementDefaults& defaults = {}) {
  const auto text = rules.empty()
                        ? std::string{"<allocations/>"}
                        : "<allocations><queuePlacementPolicy>" + rules + "</queuePlacementPolicy></allocations>";
  const auto file = config::read_fair_scheduler_xml(text, "fair-scheduler.xml");
  if (!file) return "error";
  const auto answer = place_application(*file, defaults, request, [&](std::string_view name) {
    const auto known = queues.find(std::string{name});
    return known == queues.end() ? QueueKind::absent : known->second;
  });
  return answer.refusal.empty() ? answer.queue : "refused";
}

constexpr const char* specified_then_user = "<rule name='specified'/><rule name='user'/>";

// C-Y-154.
BOOST_AUTO_TEST_CASE(a_named_queue_wins_over_the_users) {
  BOOST_TEST(placed(specified_then_user, {"specified", "someuser", {}}) == "root.specified");
  BOOST_TEST(placed(specified_then_user, {"default", "someuser", {}}) == "root.someuser");
  BOOST_TEST(placed(specified_then_user, {"", "someuser", {}}) == "root.someuser");
}

// C-Y-155.
BOOST_AUTO_TEST_CASE(a_rule_that_may_not_create_its_queue_leaves_the_decision_to_the_next) {
  const std::string rules =
      "<rule name='specified' create='false'/><rule name='user' create='false'/><rule name='default'/>";
  BOOST_TEST(placed(rules, {"unknown", "nobody", {}}) == "root.default");
  BOOST_TEST(placed(rules, {"unknown", "somebody", {}}, {{"root.somebody", QueueKind::leaf}}) == "root.somebody");
}

// C-Y-156.
BOOST_AUTO_TEST_CASE(rules_that_never_or_always_decide_in_the_wrong_place_are_errors) {
  BOOST_TEST(placed("<rule name='default'/><rule name='user'/>", {"", "a", {}}) == "error");
  BOOST_TEST(placed("<rule name='specified'/>", {"", "a", {}}) == "error");
}

// C-Y-157.
BOOST_AUTO_TEST_CASE(dots_in_the_name_of_a_user_make_no_queues) {
  BOOST_TEST(placed("<rule name='user'/>", {"", " first.last ", {}}) == "root.first_dot_last");
}

// C-Y-158.
BOOST_AUTO_TEST_CASE(a_nested_queue_needs_a_parent_that_is_no_leaf) {
  const std::string rules = "<rule name='nestedUserQueue'><rule name='primaryGroup'/></rule>";
  BOOST_TEST(placed(rules, {"", "ann", {"staff"}}) == "root.staff.ann");
  BOOST_TEST(placed(rules, {"", "ann", {"staff"}}, {{"root.staff", QueueKind::leaf}}) == "refused");
  BOOST_TEST(placed(rules, {"", "ann", {}}) == "refused");
}

// C-Y-159.
BOOST_AUTO_TEST_CASE(a_queue_named_with_dots_at_its_ends_is_refused) {
  for (const auto* name : {".A", "A.", " A", "A ", "."}) BOOST_TEST(placed("", {name, "ann", {}}) == "refused");
  BOOST_TEST(placed("", {"A.B", "ann", {}}) == "root.A.B");
}

BOOST_AUTO_TEST_CASE(the_first_secondary_group_that_has_a_queue_decides) {
  const std::string rules = "<rule name='secondaryGroupExistingQueue'/><rule name='default' queue='rest'/>";
  BOOST_TEST(placed(rules, {"", "ann", {"own", "a", "b"}},
                    {{"root.own", QueueKind::leaf}, {"root.b", QueueKind::leaf}}) == "root.b");
  BOOST_TEST(placed(rules, {"", "ann", {"own", "a"}}) == "root.rest");
}

BOOST_AUTO_TEST_CASE(reject_refuses) {
  BOOST_TEST(placed("<rule name='specified' create='false'/><rule name='reject'/>", {"x", "ann", {}}) == "refused");
}

// C-Y-120 and QP-6.
BOOST_AUTO_TEST_CASE(without_rules_the_settings_decide) {
  BOOST_TEST(placed("", {"x", "ann", {}}) == "root.x");
  BOOST_TEST(placed("", {"default", "ann", {}}) == "root.ann");
  BOOST_TEST(placed("", {"default", "ann", {}}, {}, {true, false}) == "root.default");
  BOOST_TEST(placed("", {"x", "ann", {}}, {}, {false, false}) == "root.default");
  BOOST_TEST(placed("", {"x", "ann", {}}, {{"root.ann", QueueKind::leaf}}, {false, true}) == "root.ann");
}

}  // namespace
}  // namespace queue_placement_test
}  // namespace heddle::policies
