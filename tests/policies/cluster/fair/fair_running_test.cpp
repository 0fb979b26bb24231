// Goal: no limit of running applications is exceeded, nobody waits without one, and who came first starts first.
// Method: random arrivals and departures under limits of users and queues, beside counts of the running ones.
#include "policies/cluster/fair/fair_running.hpp"

#include <boost/test/unit_test.hpp>
#include <map>

#include "model/random_stream.hpp"
#include "tests/support/fair_world.hpp"

namespace heddle::policies {
namespace fair_running_test {
namespace {

constexpr const char* limits =
    "<queue name=\"a\"><maxRunningApps>3</maxRunningApps>"
    "<queue name=\"one\"><maxRunningApps>2</maxRunningApps></queue><queue name=\"two\"/></queue>"
    "<queue name=\"b\"/>"
    "<user name=\"ann\"><maxRunningApps>2</maxRunningApps></user>";

struct Place {
  std::string queue;
  std::string user;
};

struct Fixture {
  FairWorld world{limits};
  std::map<FairWorld::App, Place> present;

  void submit(const std::string& queue, const std::string& user) {
    world.now += std::chrono::milliseconds{1};
    const auto app = world.submit(1024, 1, queue, 1, user);
    BOOST_REQUIRE(world.refusal.empty());
    present[app] = {queue, user};
  }
  [[nodiscard]] bool runs(FairWorld::App app) const { return world.application(app).is_runnable; }
  [[nodiscard]] int running(const std::string& queue, const std::string& user) const {
    int count = 0;
    for (const auto& [app, place] : present)
      if (runs(app) && place.queue.starts_with(queue) && (user.empty() || place.user == user)) ++count;
    return count;
  }
  /// Every limit above it has a place for one more.
  [[nodiscard]] bool may_run(const Place& place) const {
    if (place.user == "ann" && running("", "ann") >= 2) return false;
    if (place.queue == "root.a.one" && running("root.a.one", "") >= 2) return false;
    return !place.queue.starts_with("root.a") || running("root.a", "") < 3;
  }
  void check() const {
    BOOST_REQUIRE(running("", "ann") <= 2);
    BOOST_REQUIRE(running("root.a.one", "") <= 2);
    BOOST_REQUIRE(running("root.a", "") <= 3);
    for (const auto& [app, place] : present) BOOST_REQUIRE((runs(app) || !may_run(place)));
  }
};

BOOST_AUTO_TEST_CASE(limits_hold_and_nobody_waits_without_one) {
  const char* const queues[] = {"root.a.one", "root.a.two", "root.b"};
  const char* const users[] = {"ann", "bob", "cid"};
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomStream random{seed};
    Fixture f;
    for (int step = 0; step < 80; ++step) {
      if (f.present.empty() || random.below(5) < 3) {
        f.submit(queues[random.below(3)], users[random.below(3)]);
      } else {
        auto gone = f.present.begin();
        std::advance(gone, static_cast<std::ptrdiff_t>(random.below(f.present.size())));
        f.world.remove(gone->first);
        f.present.erase(gone);
      }
      f.world.fair.check_invariants();
      f.check();
    }
  }
}

BOOST_AUTO_TEST_CASE(who_came_first_starts_first_over_all_leaves_of_the_queue_that_was_full) {
  Fixture f;
  for (int i = 0; i < 3; ++i) f.submit("root.a.two", "bob");
  f.submit("root.a.one", "cid");  // 4
  f.submit("root.a.two", "bob");  // 5
  BOOST_TEST((!f.runs(4) && !f.runs(5)));
  f.world.remove(2);
  f.present.erase(2);
  BOOST_TEST((f.runs(4) && !f.runs(5)));
  f.world.remove(5);  // one that waits gives nobody a place
  f.present.erase(5);
  f.check();
}

// A new file is tried with all that wait.
BOOST_AUTO_TEST_CASE(a_higher_limit_starts_all_that_it_has_room_for) {
  FairWorld world{"<queue name=\"a\"><maxRunningApps>1</maxRunningApps></queue>"};
  for (int i = 0; i < 4; ++i) world.submit(1024, 1, "root.a");
  BOOST_TEST(world.queue("root.a").running == 1);
  world.reload("<queue name=\"a\"><maxRunningApps>3</maxRunningApps></queue>");
  BOOST_TEST(world.queue("root.a").running == 3);
  BOOST_TEST(world.queue("root.a").waiting.size() == 1U);
}

}  // namespace
}  // namespace fair_running_test
}  // namespace heddle::policies
