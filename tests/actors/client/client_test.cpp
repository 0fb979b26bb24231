// Goal: the Client sends the effects of its protocol, ignores other Drivers, and keeps its deadlines. Method: fake
// ResourceManager and Drivers, virtual time, background work that the test runs.
#include "actors/client/client.hpp"

#include <boost/test/unit_test.hpp>
#include <deque>
#include <functional>
#include <new>
#include <utility>

#include "tests/support/actor_world.hpp"

namespace heddle::actors {
namespace client_test {
namespace {

using namespace std::chrono_literals;

struct Session final : ClientListener {
  void on_report(ClientReport report) override { reports.push_back(std::move(report)); }
  template <class Report>
  [[nodiscard]] std::vector<Report> all() const {
    std::vector<Report> found;
    for (const auto& report : reports)
      if (const auto* each = std::get_if<Report>(&report)) found.push_back(*each);
    return found;
  }
  std::vector<ClientReport> reports;
};

struct ByHand final : ports::Background {
  void run(std::function<void()> job) override { jobs.push_back(std::move(job)); }
  std::deque<std::function<void()>> jobs;
};

/// Must outlive the actors.
struct Outside {
  Session session;
  ByHand background;
  int ended_clusters = 0;
  std::vector<SettleOutput> settled;
  bool is_committed = false;
  bool has_memory = true;
};

struct ClientWorld : Outside, tests::ActorWorld {
  tests::Peer& cluster = peer("rm:1");
  tests::Peer& own = peer("own");
  ClientRoleActor client;

  explicit ClientWorld(bool has_own_driver = false, const std::string& address = "rm:1",
                       const std::string& job_tracker = {}) {
    ClientStart start;
    start.resource_manager_address = address;
    start.job_tracker_address = job_tracker;
    start.application = {1000, 1};
    start.submission.name = "words";
    if (has_own_driver) start.driver = own.as<DriverActor>();
    ClientPorts ports;
    ports.listener = &session;
    ports.background = &background;
    ports.end_cluster = [this] {
      ++ended_clusters;
      if (!has_memory) throw std::bad_alloc{};
    };
    ports.settle_output = [this](const SettleOutput& left) {
      settled.push_back(left);
      if (!has_memory) throw std::bad_alloc{};
      return OutputSettled{left.request, is_committed, {}};
    };
    client = adopt(spawn_client(system(), start, tools(), ports));
    settle();
  }
  void run(std::int64_t request) {
    RunJob message;
    message.job.request = request;
    StageDescription stage;
    stage.output.emplace().path = "/out";
    message.job.package.graph.stages.push_back(stage);
    say(client, message);
  }
  void work() {
    while (!background.jobs.empty()) {
      auto job = std::move(background.jobs.front());
      background.jobs.pop_front();
      job();
      settle();
    }
  }
  static JobFinished end_of(std::int64_t job, JobStatus status) {
    JobFinished end;
    end.job = JobId{job};
    end.status = status;
    return end;
  }
};

BOOST_AUTO_TEST_CASE(a_job_goes_to_the_driver_that_the_resource_manager_names) {
  ClientWorld world;
  BOOST_TEST(world.cluster.last<SubmitApplication>().name == "words");
  world.say(world.cluster, world.client, ApplicationAccepted{{1000, 1}, "root.default"});
  world.run(3);
  auto& driver = world.peer("driver:1");
  world.say(world.cluster, world.client, DriverReady{{{1000, 1}, 1}, "driver:1"});
  BOOST_TEST(driver.last<SubmitJob>().request == 3);
  world.say(driver, world.client, JobAccepted{3, JobId{0}});
  world.say(driver, world.client, JobProgress{JobId{0}, {}, 1, 2, {}});
  world.say(driver, world.client, Notice{"an executor is lost"});
  world.say(driver, world.client, ClientWorld::end_of(0, JobStatus::succeeded));
  BOOST_TEST(world.session.all<JobProgress>().size() == 1U);
  BOOST_TEST(world.session.all<Notice>().size() == 1U);
  BOOST_TEST_REQUIRE(world.session.all<RequestEnded>().size() == 1U);
  BOOST_TEST(world.session.all<RequestEnded>().front().request == 3);
  world.say(world.client, LeaveApplication{true});
  BOOST_TEST(driver.last<StopDriver>().succeeded);
  BOOST_TEST(world.events().names ==
                 (std::vector<std::string>{"client_phase", "client_phase", "client_job_sent", "client_phase"}),
             boost::test_tools::per_element());
}

// The job must not get an end from a Driver that the application has replaced.
BOOST_AUTO_TEST_CASE(messages_of_a_replaced_driver_are_ignored) {
  ClientWorld world;
  world.run(0);
  auto& first = world.peer("driver:1");
  auto& second = world.peer("driver:2");
  world.say(world.cluster, world.client, DriverReady{{{1000, 1}, 1}, "driver:1"});
  world.say(first, world.client, JobAccepted{0, JobId{0}});
  world.say(world.cluster, world.client, DriverReady{{{1000, 1}, 2}, "driver:2"});
  world.say(first, world.client, JobAccepted{0, JobId{0}});
  world.say(first, world.client, ClientWorld::end_of(0, JobStatus::failed));
  BOOST_TEST(world.session.all<RequestEnded>().empty());
  BOOST_TEST(second.last<SubmitJob>().earlier_drivers == 1);
  world.say(second, world.client, JobAccepted{0, JobId{0}});
  world.say(second, world.client, ClientWorld::end_of(0, JobStatus::succeeded));
  BOOST_TEST(world.session.all<RequestEnded>().size() == 1U);
}

BOOST_AUTO_TEST_CASE(an_unreachable_driver_is_tried_again_without_blocking) {
  ClientWorld world;
  world.run(0);
  world.say(world.cluster, world.client, DriverReady{{{1000, 1}, 1}, "driver:1"});
  world.advance(400ms);
  auto& driver = world.peer("driver:1");
  BOOST_TEST(driver.count<SubmitJob>() == 0);
  world.advance(200ms);
  BOOST_TEST(driver.count<SubmitJob>() == 1);
  world.advance(1min);
  BOOST_TEST(driver.count<SubmitJob>() == 1);
  BOOST_TEST(world.timers_in(1h) == 0U);
}

BOOST_AUTO_TEST_CASE(a_job_run_after_the_loss_of_the_driver_is_new_to_the_next_one) {
  ClientWorld world;
  world.say(world.cluster, world.client, DriverReady{{{1000, 1}, 1}, "driver:1"});
  world.peer("driver:1");
  world.advance(1s);
  world.kill(world.peer("driver:1"));
  world.run(0);
  auto& second = world.peer("driver:2");
  world.say(world.cluster, world.client, DriverReady{{{1000, 1}, 2}, "driver:2"});
  BOOST_TEST(second.last<SubmitJob>().earlier_drivers == 0);
}

BOOST_AUTO_TEST_CASE(a_job_that_no_driver_cancels_is_killed_and_settled_in_the_background) {
  ClientWorld world;
  world.is_committed = true;
  auto& driver = world.peer("driver:1");
  world.say(world.cluster, world.client, DriverReady{{{1000, 1}, 1}, "driver:1"});
  world.run(0);
  world.say(driver, world.client, JobAccepted{0, JobId{0}});
  world.say(world.client, CancelJobs{});
  BOOST_TEST(driver.last<CancelJob>().job.value == 0);
  world.advance(3s);
  BOOST_TEST(world.cluster.count<KillApplication>() == 0);
  world.advance(2s);
  BOOST_TEST((world.cluster.last<KillApplication>().application == ApplicationId{1000, 1}));
  world.advance(4s);
  BOOST_TEST(world.ended_clusters == 0);
  world.work();
  BOOST_TEST(world.ended_clusters == 1);
  BOOST_TEST_REQUIRE(world.settled.size() == 1U);
  BOOST_TEST(world.settled.front().attempt == 2);
  BOOST_TEST_REQUIRE(world.session.all<RequestEnded>().size() == 1U);
  BOOST_TEST((world.session.all<RequestEnded>().front().end->status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(a_job_ends_although_the_background_has_no_memory) {
  ClientWorld world;
  world.has_memory = false;
  world.peer("driver:1");
  world.say(world.cluster, world.client, DriverReady{{{1000, 1}, 1}, "driver:1"});
  world.run(0);
  world.say(world.client, NodesLost{"no node is left"});
  world.work();
  BOOST_TEST(world.ended_clusters == 1);
  BOOST_TEST(world.settled.size() == 1U);
  BOOST_TEST_REQUIRE(world.session.all<RequestEnded>().size() == 1U);
  const auto end = world.session.all<RequestEnded>().front().end;
  BOOST_TEST((!end || end->status != JobStatus::succeeded));
  BOOST_TEST((end ? end->text : end.error().text).find("work on the output failed") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_driver_of_this_process_that_does_not_cancel_ends_with_its_cluster) {
  ClientWorld world{true};
  world.run(0);
  world.say(world.own, world.client, JobAccepted{0, JobId{0}});
  world.say(world.client, CancelJobs{});
  BOOST_TEST(world.own.count<CancelJob>() == 1);
  world.advance(9s);
  BOOST_TEST(world.cluster.count<KillApplication>() == 1);
  world.work();
  BOOST_TEST(world.ended_clusters == 1);
  BOOST_TEST_REQUIRE(world.session.all<RequestEnded>().size() == 1U);
  BOOST_TEST((world.session.all<RequestEnded>().front().end->status == JobStatus::cancelled));
}

BOOST_AUTO_TEST_CASE(a_driver_of_this_process_fails_its_jobs_when_the_cluster_is_lost) {
  ClientWorld world{true};
  world.run(0);
  world.kill(world.cluster);
  BOOST_TEST(world.own.last<FailJobs>().text == cluster_lost);
  BOOST_TEST(world.session.all<ClusterUnusable>().size() == 1U);
}

BOOST_AUTO_TEST_CASE(the_loss_of_the_resource_manager_or_of_all_nodes_ends_the_application) {
  for (const bool is_manager : {true, false}) {
    ClientWorld world;
    world.run(0);
    if (is_manager) world.kill(world.cluster);
    else world.say(world.client, NodesLost{"no node is left"});
    BOOST_TEST_REQUIRE(world.session.all<ApplicationOver>().size() == 1U);
    BOOST_TEST(world.session.all<ApplicationOver>().front().why.text ==
               (is_manager ? std::string{cluster_lost} : "no node is left"));
    world.work();  // sends ClusterGone
    BOOST_TEST(world.session.all<RequestEnded>().size() == 1U);
  }
}

BOOST_AUTO_TEST_CASE(an_unreachable_resource_manager_and_a_refusal_are_reported) {
  ClientWorld nowhere{false, "nowhere:1"};
  BOOST_TEST((nowhere.session.all<ApplicationOver>().front().why.code == Errc::unreachable));
  ClientWorld refused;
  refused.say(refused.cluster, refused.client, ApplicationRefused{"no such queue"});
  BOOST_TEST((refused.session.all<ApplicationOver>().front().why == Error{Errc::refused, "no such queue"}));
  ClientWorld ended;
  ended.say(ended.cluster, ended.client, ApplicationEnded{{1000, 1}, false, "killed"});
  BOOST_TEST(ended.session.all<ApplicationOver>().front().why.text == "killed");
}

BOOST_AUTO_TEST_CASE(a_job_tracker_gets_the_file_of_a_package_and_its_loss_ends_the_job) {
  ClientWorld world{false, "", "rm:1"};  // the peer is a JobTracker
  RunJob message;
  message.job.request = 4;
  message.job.package.graph.stages.resize(1);
  message.job.package.graph.stages.front().output.emplace().path = "/out";
  message.job.package_file = "/state/job-1.package";
  world.say(world.client, message);
  BOOST_TEST(world.cluster.count<SubmitApplication>() == 0);
  BOOST_TEST(world.cluster.last<SubmitJob>().package_file == "/state/job-1.package");
  BOOST_TEST(world.cluster.last<SubmitJob>().package.graph.stages.empty());
  world.say(world.cluster, world.client, JobAccepted{4, JobId{1}});
  world.say(world.client, CancelJobs{});
  BOOST_TEST((world.cluster.last<CancelJob>().job == JobId{1}));
  world.kill(world.cluster);
  BOOST_TEST(world.session.all<ApplicationOver>().front().why.text == job_tracker_lost);
  world.work();
  BOOST_TEST(world.ended_clusters == 1);
  BOOST_TEST_REQUIRE(world.settled.size() == 1U);
  BOOST_TEST(world.settled.front().paths == std::vector<std::string>{"/out"});
}

BOOST_AUTO_TEST_CASE(stale_ticks_and_stale_background_results_change_nothing) {
  ClientWorld world;
  world.run(0);
  const auto before = world.session.reports.size();
  world.say(world.client, ClientTick{99});
  world.say(world.client, ClusterGone{});
  world.say(world.client, OutputSettled{0, true, {}});
  BOOST_TEST(world.session.reports.size() == before);
}

}  // namespace
}  // namespace client_test
}  // namespace heddle::actors
