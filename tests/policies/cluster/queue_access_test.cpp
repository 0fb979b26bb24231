// Goal: access to queues is granted as in Hadoop's two schedulers. Method: lists and whole files as tables; numbered
// rules of the specification (Q-15, FS-19).
#include "policies/cluster/queue_access.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::policies {
namespace queue_access_test {
namespace {

BOOST_AUTO_TEST_CASE(a_list_names_users_then_groups) {
  struct Case {
    const char* list;
    bool user;        // ann, without a group
    bool other_user;  // bob, without a group
    bool group;       // eve, in groups staff and etl
  };
  const Case cases[] = {
      {"*", true, true, true},
      {" * ", true, true, true},
      {"", false, false, false},
      {" ", false, false, false},
      {"ann", true, false, false},
      {"ann,bob", true, true, false},
      {" etl", false, false, true},
      {"ann etl", true, false, true},
      {"bob staff,x", false, true, true},
      {",ann,, ,etl", true, false, true},
      {"etl", false, false, false},
      {"ANN", false, false, false},
  };
  for (const auto& each : cases) {
    const AccessList list{each.list};
    BOOST_TEST_CONTEXT("\"" << each.list << "\"") {
      BOOST_TEST(list.allows("ann", {}) == each.user);
      BOOST_TEST(list.allows("bob", {}) == each.other_user);
      BOOST_TEST(list.allows("eve", {"staff", "etl"}) == each.group);
    }
  }
}

BOOST_AUTO_TEST_CASE(without_a_file_everybody_may_submit_everywhere) {
  BOOST_TEST(QueueAccess{}.may_submit("root.a", "ann", {}));
}

// Q-15: root grants access to everybody unless its list says otherwise, and access to a parent is access to its queues.
BOOST_AUTO_TEST_CASE(access_is_granted_by_any_ancestor_of_a_fair_queue) {
  const auto open = config::read_fair_scheduler_xml(
      R"(<allocations><queue name="a"><aclSubmitApps>ann</aclSubmitApps></queue></allocations>)", "fair-scheduler.xml");
  BOOST_REQUIRE(open);
  BOOST_TEST(QueueAccess{*open}.may_submit("root.a", "bob", {}));
  const auto closed = config::read_fair_scheduler_xml(R"(<allocations>
    <queue name="root"><aclSubmitApps> </aclSubmitApps><aclAdministerApps> ops</aclAdministerApps>
      <queue name="a"><aclSubmitApps>ann</aclSubmitApps><queue name="b"/></queue>
      <queue name="c"/>
    </queue></allocations>)",
                                                      "fair-scheduler.xml");
  BOOST_REQUIRE(closed);
  const QueueAccess access{*closed};
  BOOST_TEST(access.may_submit("root.a", "ann", {}));
  BOOST_TEST(access.may_submit("root.a.b", "ann", {}));
  BOOST_TEST(access.may_submit("root.a.made_now", "ann", {}));
  BOOST_TEST(!access.may_submit("root.c", "ann", {}));
  BOOST_TEST(!access.may_submit("root.a", "bob", {}));
  BOOST_TEST(access.may_submit("root.c", "bob", {"ops"}));
}

BOOST_AUTO_TEST_CASE(a_capacity_queue_is_found_by_its_short_name) {
  const auto file =
      config::read_capacity_properties({{"yarn.scheduler.capacity.root.queues", "a,b", 0},
                                        {"yarn.scheduler.capacity.root.acl_submit_applications", " ", 0},
                                        {"yarn.scheduler.capacity.root.acl_administer_queue", "", 0},
                                        {"yarn.scheduler.capacity.root.a.capacity", "50", 0},
                                        {"yarn.scheduler.capacity.root.b.capacity", "50", 0},
                                        {"yarn.scheduler.capacity.root.a.acl_submit_applications", " etl", 0},
                                        {"yarn.scheduler.capacity.root.b.acl_administer_queue", "bob", 0}},
                                       "capacity-scheduler.xml");
  BOOST_REQUIRE(file);
  BOOST_TEST(file->unread_keys.empty());
  const QueueAccess access{*file};
  for (const auto* name : {"a", "root.a"}) {
    BOOST_TEST(access.may_submit(name, "ann", {"etl"}));
    BOOST_TEST(!access.may_submit(name, "bob", {}));
  }
  BOOST_TEST(access.may_submit("b", "bob", {}));
  BOOST_TEST(!access.may_submit("b", "ann", {"etl"}));
}

}  // namespace
}  // namespace queue_access_test
}  // namespace heddle::policies
