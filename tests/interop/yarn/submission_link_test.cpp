// Goal: the Client hears what Hadoop's ResourceManager says about its application. Method: a fake ResourceManager.
#include "interop/yarn/submission_link.hpp"

#include "interop/yarn/container_start.hpp"
#include "interop/yarn/launch_context.hpp"
#include "interop/yarn/yarn_ids.hpp"
#include "tests/interop/yarn/link_world.hpp"

namespace heddle::interop {
namespace submission_link_test {
namespace {

using namespace std::chrono_literals;
using tests::answer_of;
using tests::exception_of;

const ApplicationId application{1700000000000, 7};

proto::GetApplicationReportResponse report(proto::ApplicationState state, const std::string& diagnostics = {}) {
  proto::GetApplicationReportResponse made;
  auto& content = *made.mutable_report();
  *content.mutable_application_id() = to_proto(application);
  content.set_state(state);
  content.set_queue("root.default");
  content.set_diagnostics(diagnostics);
  if (state == proto::APPLICATION_FINISHED) content.set_final_status(proto::FINAL_SUCCEEDED);
  return made;
}

struct World : LinkWorld {
  std::unique_ptr<RpcClient> client;
  SubmissionLinkActor link;

  explicit World(Duration waiting_time = 1h, const tests::FakeAnswer& submitted = answer_of(proto::Empty{}),
                 StartMaster start_master = {}) {
    answers.add("submitApplication", submitted);
    RpcTarget target;
    target.addresses = {server.address()};
    target.protocol = application_client_protocol;
    target.user = "ann";
    client = std::make_unique<RpcClient>(thread, std::move(target), no_retries);
    SubmissionLinkSettings settings;
    settings.rules = {application, "HEDDLE", {}, start_master != nullptr};
    settings.start_master = std::move(start_master);
    settings.program = program_context({}, "ann")->SerializeAsString();
    settings.token = "secret";
    settings.scheduler_address = "yarn-scheduler:h:8030";
    settings.report_interval = settings.report_interval_begin = 1ms;
    settings.waiting_time = waiting_time;
    link = keep(spawn_submission_link(*system, settings, tools(), client.get()));
  }
  ~World() {
    for (auto& each : links) {
      caf::anon_send_exit(each, caf::exit_reason::user_shutdown);
      (*self)->wait_for(each);
    }
    links.clear();
    client.reset();
  }
  void reports(proto::ApplicationState state, const std::string& diagnostics = {}) {
    answers.add("getApplicationReport", answer_of(report(state, diagnostics)));
  }
  void submit() {
    SubmitApplication message{"words", "default", "ann", {512, 1}, 2, {}, "", 0};
    message.launch.settings = "a = 1\n";
    (*self)->send(link, message);
  }
};

BOOST_AUTO_TEST_CASE(an_application_is_accepted_and_ends) {
  World world;
  for (const auto state : {proto::APPLICATION_SUBMITTED, proto::APPLICATION_ACCEPTED, proto::APPLICATION_RUNNING,
                           proto::APPLICATION_FINISHED})
    world.reports(state);
  world.submit();
  const auto accepted = world.next<ApplicationAccepted>();
  BOOST_TEST((accepted.application == application));
  BOOST_TEST(accepted.queue == "root.default");
  const auto ended = world.next<ApplicationEnded>();
  BOOST_TEST(ended.succeeded);
  BOOST_TEST((ended.application == application));
  const auto request = world.request<proto::SubmitApplicationRequest>("submitApplication");
  BOOST_TEST(world.server.calls().front().user == "ann");
  const auto credentials = parse_token_file("tokens", request.context().master_container().tokens());
  BOOST_REQUIRE(credentials.has_value());
  const auto spec = read_launch_spec(*credentials->secret(launch_secret));
  BOOST_REQUIRE(spec.has_value());
  BOOST_TEST(spec->settings == "a = 1\n");
  BOOST_TEST(spec->container.token == "secret");
  BOOST_TEST(spec->container.resource_manager_address == "yarn-scheduler:h:8030");
  BOOST_TEST(credentials->secret(program_secret) != nullptr);
}

BOOST_AUTO_TEST_CASE(an_unmanaged_master_is_started_once_with_the_token_of_its_report) {
  std::vector<std::pair<LaunchSpec, CredentialFile>> started;
  World world{1h, answer_of(proto::Empty{}), [&started](const LaunchSpec& spec, const CredentialFile& credentials) {
                started.emplace_back(spec, credentials);
              }};
  world.reports(proto::APPLICATION_ACCEPTED);
  for (int i = 0; i < 2; ++i) {
    auto launched = report(proto::APPLICATION_ACCEPTED);
    auto& content = *launched.mutable_report();
    *content.mutable_current_attempt_id() = to_proto(AttemptId{application, 1});
    content.mutable_master_token()->set_identifier("who");
    content.mutable_master_token()->set_password("proof");
    content.mutable_master_token()->set_kind(std::string{master_token_kind});
    content.mutable_master_token()->set_service("");
    world.answers.add("getApplicationReport", answer_of(launched));
  }
  world.reports(proto::APPLICATION_FINISHED);
  world.submit();
  BOOST_TEST(world.next<ApplicationAccepted>().queue == "root.default");
  BOOST_TEST(world.next<ApplicationEnded>().succeeded);
  const auto request = world.request<proto::SubmitApplicationRequest>("submitApplication");
  BOOST_TEST(request.context().unmanaged_master());
  BOOST_TEST(request.context().master_container().tokens().empty());
  BOOST_REQUIRE(started.size() == 1U);
  const auto& [spec, credentials] = started.front();
  BOOST_TEST((spec.container.attempt == AttemptId{application, 1}));
  BOOST_TEST(spec.container.token == "secret");
  BOOST_TEST(std::holds_alternative<ApplicationMasterLaunch>(spec.role));
  BOOST_REQUIRE(credentials.token_of_kind(master_token_kind) != nullptr);
  BOOST_TEST(credentials.token_of_kind(master_token_kind)->password == "proof");
  BOOST_TEST(credentials.secret(program_secret) != nullptr);
}

BOOST_AUTO_TEST_CASE(a_refused_submission_has_the_words_of_the_resource_manager) {
  World world{1h, exception_of("org.apache.hadoop.yarn.exceptions.YarnException",
                               "application submitted to unknown queue: root.nosuch")};
  world.submit();
  BOOST_TEST(world.next<ApplicationRefused>().text.find("unknown queue: root.nosuch") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_application_that_fails_before_it_is_accepted_is_refused) {
  World world;
  world.reports(proto::APPLICATION_SUBMITTED);
  world.reports(proto::APPLICATION_FAILED, "rejected by queue placement policy");
  world.submit();
  BOOST_TEST(world.next<ApplicationRefused>().text == "rejected by queue placement policy");
}

BOOST_AUTO_TEST_CASE(an_application_that_ran_and_failed_before_its_first_report_has_ended) {
  World world;
  auto failed = report(proto::APPLICATION_FAILED, "the master ended");
  *failed.mutable_report()->mutable_current_attempt_id() = to_proto(AttemptId{application, 1});
  world.answers.add("getApplicationReport", answer_of(failed));
  world.submit();
  BOOST_TEST((world.next<ApplicationAccepted>().application == application));
  const auto ended = world.next<ApplicationEnded>();
  BOOST_TEST(!ended.succeeded);
  BOOST_TEST(ended.text.find("the master ended") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_submission_without_an_answer_is_not_called_refused) {
  auto lost = answer_of(proto::Empty{});
  lost.delivery = tests::FakeAnswer::Delivery::lost;
  World world{1h, lost};
  (*world.self)->monitor(world.link);
  world.submit();
  BOOST_TEST(world.next<Notice>().text.find("ResourceManager") != std::string::npos);
  BOOST_TEST((world.next<caf::down_msg>().source == world.link.address()));
}

BOOST_AUTO_TEST_CASE(a_waiting_application_says_why_once) {
  World world{0ms};
  world.reports(proto::APPLICATION_ACCEPTED, "AM share is exceeded");
  world.reports(proto::APPLICATION_ACCEPTED, "AM share is exceeded");
  world.reports(proto::APPLICATION_RUNNING);
  world.reports(proto::APPLICATION_FINISHED);
  world.submit();
  BOOST_TEST(world.next<ApplicationAccepted>().queue == "root.default");
  BOOST_TEST(world.next<Notice>().text ==
             "application application_1700000000000_0007 waits for its master container: AM share is exceeded");
  BOOST_TEST(world.next<ApplicationEnded>().succeeded);
}

BOOST_AUTO_TEST_CASE(the_driver_of_each_attempt_is_reported_once) {
  World world;
  world.reports(proto::APPLICATION_ACCEPTED);
  for (const int attempt : {1, 1, 2}) {
    auto running = report(proto::APPLICATION_RUNNING);
    running.mutable_report()->set_host("h1");
    running.mutable_report()->set_rpc_port(4000 + attempt);
    *running.mutable_report()->mutable_current_attempt_id() = to_proto(AttemptId{application, attempt});
    world.answers.add("getApplicationReport", answer_of(running));
  }
  world.reports(proto::APPLICATION_FINISHED);
  world.submit();
  BOOST_TEST((world.next<ApplicationAccepted>().application == application));
  BOOST_TEST(world.next<DriverReady>().address == "h1:4001");
  const auto second = world.next<DriverReady>();
  BOOST_TEST(second.attempt.attempt == 2);
  BOOST_TEST(second.address == "h1:4002");
  BOOST_TEST(world.next<ApplicationEnded>().succeeded);
}

BOOST_AUTO_TEST_CASE(an_application_that_failed_ends_with_the_diagnostics_of_all_attempts) {
  World world;
  auto failed = report(proto::APPLICATION_FAILED, "failed 2 times; master 2 exited with 137\n");
  *failed.mutable_report()->mutable_current_attempt_id() = to_proto(AttemptId{application, 2});
  world.reports(proto::APPLICATION_RUNNING);
  world.answers.add("getApplicationReport", answer_of(failed));
  proto::GetApplicationAttemptsResponse attempts;
  for (const int number : {2, 1}) {
    auto& attempt = *attempts.add_attempts();
    *attempt.mutable_attempt_id() = to_proto(AttemptId{application, number});
    attempt.set_diagnostics("master " + std::to_string(number) + " exited with 137\n");
  }
  world.answers.add("getApplicationAttempts", answer_of(attempts));
  world.submit();
  BOOST_TEST((world.next<ApplicationAccepted>().application == application));
  const auto ended = world.next<ApplicationEnded>();
  BOOST_TEST(!ended.succeeded);
  BOOST_TEST(ended.text == "failed 2 times; master 2 exited with 137\nattempt 1: master 1 exited with 137");
}

BOOST_AUTO_TEST_CASE(an_application_whose_attempts_are_unknown_ends_with_its_own_diagnostics) {
  World world;
  auto failed = report(proto::APPLICATION_FAILED, "failed 2 times");
  *failed.mutable_report()->mutable_current_attempt_id() = to_proto(AttemptId{application, 2});
  world.reports(proto::APPLICATION_RUNNING);
  world.answers.add("getApplicationReport", answer_of(failed));
  world.answers.add("getApplicationAttempts",
                    exception_of("org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException", "no such"));
  world.submit();
  BOOST_TEST((world.next<ApplicationAccepted>().application == application));
  BOOST_TEST(world.next<ApplicationEnded>().text == "failed 2 times");
}

BOOST_AUTO_TEST_CASE(an_application_that_the_resource_manager_forgot_has_ended) {
  World world;
  world.reports(proto::APPLICATION_RUNNING);
  world.answers.add("getApplicationReport",
                    exception_of("org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException", "no such"));
  world.submit();
  BOOST_TEST((world.next<ApplicationAccepted>().application == application));
  const auto ended = world.next<ApplicationEnded>();
  BOOST_TEST(!ended.succeeded);
  BOOST_TEST(ended.text == "the ResourceManager no longer knows application application_1700000000000_0007");
}

BOOST_AUTO_TEST_CASE(a_kill_is_sent_and_its_end_reported) {
  World world;
  world.reports(proto::APPLICATION_ACCEPTED);
  proto::ForceKillApplicationResponse killed;
  killed.set_is_kill_completed(true);
  world.answers.add("forceKillApplication", answer_of(killed));
  world.submit();
  BOOST_TEST((world.next<ApplicationAccepted>().application == application));
  (*world.self)->send(world.link, KillApplication{application, "cancelled by the user"});
  BOOST_TEST(world.server.wait_for_calls(4));
  world.reports(proto::APPLICATION_KILLED, "cancelled by the user");
  BOOST_TEST(world.next<ApplicationEnded>().text == "cancelled by the user");
  BOOST_TEST(world.request<proto::ForceKillApplicationRequest>("forceKillApplication").diagnostics() ==
             "cancelled by the user");
}

BOOST_AUTO_TEST_CASE(a_kill_waits_for_the_answer_to_the_submission) {
  auto held = answer_of(proto::Empty{});
  held.delivery = tests::FakeAnswer::Delivery::held;
  World world{1h, held};
  world.reports(proto::APPLICATION_KILLED, "cancelled by the user");
  world.answers.add("forceKillApplication", answer_of(proto::ForceKillApplicationResponse{}));
  world.submit();
  BOOST_TEST(world.server.wait_for_calls(1));
  (*world.self)->send(world.link, ReportSoon{});
  (*world.self)->send(world.link, KillApplication{application, "cancelled by the user"});
  (*world.self)
      ->request(caf::actor_cast<caf::actor>(world.link), 20s, std::string{"a message that the link lacks"})
      .receive([](const caf::message&) {}, [](const caf::error&) {});  // it has handled the other two
  BOOST_TEST(world.server.calls().size() == 1U);
  world.server.release_held();
  BOOST_TEST(world.next<ApplicationRefused>().text == "cancelled by the user");
  BOOST_TEST(world.request<proto::ForceKillApplicationRequest>("forceKillApplication").diagnostics() ==
             "cancelled by the user");
}

BOOST_AUTO_TEST_CASE(without_a_resource_manager_the_link_says_why_and_ends) {
  World world;
  world.reports(proto::APPLICATION_RUNNING);
  auto lost = answer_of(proto::Empty{});
  lost.delivery = tests::FakeAnswer::Delivery::lost;
  world.answers.add("getApplicationReport", lost);
  (*world.self)->monitor(world.link);
  world.submit();
  BOOST_TEST((world.next<ApplicationAccepted>().application == application));
  BOOST_TEST(world.next<Notice>().text.find("ResourceManager") != std::string::npos);
  BOOST_TEST((world.next<caf::down_msg>().source == world.link.address()));
}

}  // namespace
}  // namespace submission_link_test
}  // namespace heddle::interop
