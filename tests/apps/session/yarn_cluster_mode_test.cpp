// Goal: in cluster mode a client stages its jobs, follows the application by what the ResourceManager reports, and
// leaves nothing behind. Method: a fake ResourceManager that starts no container; folders of the local file system.
#include "apps/session/yarn_cluster_mode.hpp"

#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#include "actors/client/client_protocol.hpp"
#include "apps/job_files/staging_folder.hpp"
#include "apps/roles/role_settings.hpp"
#include "apps/roles/session_files.hpp"
#include "apps/session/session_request.hpp"
#include "config/files/settings_text.hpp"
#include "interop/hadoop/proto/yarn_protocols.pb.h"
#include "interop/hadoop/token_file.hpp"
#include "interop/yarn/launch_context.hpp"
#include "interop/yarn/yarn_ids.hpp"
#include "interop/yarn/yarn_records.hpp"
#include "tests/support/fake_rpc_server.hpp"
#include "tests/support/scratch_folder.hpp"
#include "work/files/local_file_system.hpp"
#include "work/output/commit_journal.hpp"
#include "work/output/output_commit.hpp"

namespace heddle::apps {
namespace yarn_cluster_mode_test {
namespace {

using tests::answer_of;

constexpr std::int64_t cluster_start = 1700000000000;

/// Gives out applications from number 7 on. After the submission each report of one has its next state.
class FakeResourceManager {
public:
  std::vector<interop::proto::ApplicationState> states{
      interop::proto::APPLICATION_ACCEPTED, interop::proto::APPLICATION_RUNNING, interop::proto::APPLICATION_FINISHED};
  interop::proto::FinalStatus final_status = interop::proto::FINAL_SUCCEEDED;
  std::string diagnostics;
  std::atomic<bool> may_end = true;
  bool refuses = false;
  std::int32_t ended = 0;  // number of an application that ended before
  std::int64_t ended_ms = 0;
  std::int32_t running = 0;  // of one that was submitted before and runs

  tests::FakeAnswer answer(const tests::FakeCall& call) {
    const std::lock_guard lock{mutex_};
    if (call.method == "getNewApplication") {
      interop::proto::GetNewApplicationResponse response;
      *response.mutable_application_id() = interop::to_proto(ApplicationId{cluster_start, next_++});
      *response.mutable_capability_max() = interop::to_proto(Resource{4096, 4});
      return answer_of(response);
    }
    if (call.method == "getClusterNodes") {
      interop::proto::GetClusterNodesResponse response;
      auto& node = *response.add_nodes();
      node.mutable_node_id()->set_host("h1");
      *node.mutable_capability() = interop::to_proto(Resource{8192, 4});
      return answer_of(response);
    }
    if (call.method == "submitApplication") {
      if (refuses)
        return tests::exception_of("org.apache.hadoop.yarn.exceptions.YarnException", "unknown queue: root.nosuch");
      interop::proto::SubmitApplicationRequest request;
      static_cast<void>(request.ParseFromString(call.request));
      submitted_[request.context().application_id().id()] = 0;
      return answer_of(interop::proto::Empty{});
    }
    if (call.method == "forceKillApplication") {
      is_killed_ = true;
      interop::proto::ForceKillApplicationResponse response;
      response.set_is_kill_completed(true);
      return answer_of(response);
    }
    if (call.method == "getApplicationReport") return report(call);
    return tests::exception_of("java.io.IOException", "unexpected call of " + call.method);
  }

private:
  tests::FakeAnswer report(const tests::FakeCall& call) {
    interop::proto::GetApplicationReportRequest request;
    static_cast<void>(request.ParseFromString(call.request));
    const auto number = request.application_id().id();
    interop::proto::GetApplicationReportResponse response;
    auto& content = *response.mutable_report();
    *content.mutable_application_id() = request.application_id();
    content.set_state(interop::proto::APPLICATION_FINISHED);
    content.set_final_status(final_status);
    if (number == ended) content.set_finish_time(ended_ms);
    if (number == ended) return answer_of(response);
    if (number == running) {
      content.set_state(interop::proto::APPLICATION_RUNNING);
      return answer_of(response);
    }
    const auto known = submitted_.find(number);
    if (known == submitted_.end())
      return tests::exception_of("org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException", "unknown");
    auto state = is_killed_ ? interop::proto::APPLICATION_KILLED : states[std::min(known->second++, states.size() - 1)];
    if (interop::is_final(state) && !may_end) state = interop::proto::APPLICATION_RUNNING;
    content.set_state(state);
    content.set_queue("root.default");
    if (interop::is_final(state)) content.set_diagnostics(diagnostics);
    return answer_of(response);
  }

  std::mutex mutex_;
  std::int32_t next_ = 7;
  std::map<std::int32_t, std::size_t> submitted_;  // reports of each
  bool is_killed_ = false;
};

struct World {
  work::ScratchFolder folder;
  std::filesystem::path before = std::filesystem::current_path();
  FakeResourceManager cluster;
  tests::FakeRpcServer server{[this](const tests::FakeCall& call) { return cluster.answer(call); }};
  std::vector<std::string> notices;
  JobCallbacks callbacks;

  World() {
    std::filesystem::current_path(folder.path());
    folder.write("yarn-site.xml", "<configuration><property><name>yarn.resourcemanager.address</name><value>" +
                                      server.address() +
                                      "</value></property><property><name>yarn.resourcemanager.scheduler.address</name>"
                                      "<value>" +
                                      server.address() + "</value></property></configuration>");
    ::setenv("HADOOP_CONF_DIR", folder.path().c_str(), 1);
    callbacks.on_notice = [this](const Notice& notice) { notices.push_back(notice.text); };
  }
  ~World() {
    ::unsetenv("HADOOP_CONF_DIR");
    std::filesystem::current_path(before);
  }
  [[nodiscard]] SessionOptions options() const {
    SessionRequest request;
    request.name = "words";
    request.master = *config::parse_master("yarn", 2);
    request.is_cluster_deploy = true;
    for (const auto* each :
         {"heddle.yarn.staging_dir=local", "heddle.yarn.connect_wait=100ms", "heddle.yarn.report_interval=10ms"})
      request.assignments.emplace_back(each);
    request.assignments.push_back("heddle.event_log.dir=" + folder.path() + "/state");
    const auto prepared = prepare_session(request);
    BOOST_REQUIRE_MESSAGE(prepared.has_value(), (prepared ? "" : prepared.error().text));
    return prepared->options;
  }
  [[nodiscard]] std::unique_ptr<Session> open() const {
    auto session = Session::open(options());
    BOOST_REQUIRE_MESSAGE(session.has_value(), (session ? "" : session.error().text));
    return std::move(*session);
  }
  [[nodiscard]] JobGraph graph(const std::string& output = {}) const {
    JobGraph made;
    made.name = "words";
    auto& stage = made.stages.emplace_back();
    stage.name = "one";
    stage.partitions = 1;
    if (!output.empty()) stage.output.emplace().path = folder.file(output);
    return made;
  }
  [[nodiscard]] std::string staging(int number) const {
    return folder.path() + "/.heddle/applications/application_1700000000000_000" + std::to_string(number);
  }
  [[nodiscard]] LaunchSpec launched() const {
    for (const auto& call : server.calls()) {
      interop::proto::SubmitApplicationRequest request;
      if (call.method != "submitApplication" || !request.ParseFromString(call.request)) continue;
      const auto tokens = interop::parse_token_file("tokens", request.context().master_container().tokens());
      return *read_launch_spec(*tokens->secret(interop::launch_secret));
    }
    BOOST_FAIL("no application was submitted");
    return {};
  }
};

BOOST_AUTO_TEST_CASE(a_submitted_application_has_its_jobs_in_staging_and_needs_no_client) {
  World world;
  const auto submitted = submit_to_yarn(world.options(), {world.graph(), world.graph("out")}, {}, {});
  BOOST_REQUIRE_MESSAGE(submitted.has_value(), (submitted ? "" : submitted.error().text));
  BOOST_TEST(*submitted == "application_1700000000000_0007");
  const auto jobs = read_staged_jobs(work::LocalFileSystem{}, world.staging(7));
  BOOST_REQUIRE(jobs.has_value());
  BOOST_TEST(jobs->size() == 2U);
  const auto spec = world.launched();
  const auto& master = std::get<ApplicationMasterLaunch>(spec.role);
  BOOST_TEST((master.job_service == JobServiceKind::driver));
  BOOST_TEST(master.staging_folder == world.staging(7));
  BOOST_TEST(!master.is_followed);
  const auto owner = work::read_owner(master.owner);
  BOOST_REQUIRE(owner.has_value());
  BOOST_TEST(!work::is_dead(*owner, work::this_process_owner()));
  BOOST_TEST(!config::read_settings(spec.settings)->is_set("heddle.driver.bind_address"));  // of this host
  for (const auto& call : world.server.calls()) BOOST_TEST(call.method != "forceKillApplication");
}

BOOST_AUTO_TEST_CASE(a_refused_application_leaves_nothing_in_staging) {
  World world;
  world.cluster.refuses = true;
  const auto submitted = submit_to_yarn(world.options(), {world.graph()}, {}, {});
  BOOST_TEST(submitted.error().text.find("unknown queue: root.nosuch") != std::string::npos);
  const auto finished = world.open()->run(world.graph(), world.callbacks);
  BOOST_REQUIRE(!finished.has_value());
  BOOST_TEST(finished.error().text.find("unknown queue: root.nosuch") != std::string::npos, finished.error().text);
  BOOST_TEST(!std::filesystem::exists(world.folder.path() + "/.heddle/applications"));
}

BOOST_AUTO_TEST_CASE(the_final_status_of_an_application_is_the_result_if_its_driver_was_not_reached) {
  World world;
  const auto finished = world.open()->run(world.graph(), world.callbacks);
  BOOST_REQUIRE_MESSAGE(finished.has_value(), (finished ? "" : finished.error().text));
  BOOST_TEST((finished->status == JobStatus::succeeded));
  BOOST_TEST(std::get<ApplicationMasterLaunch>(world.launched().role).is_followed);
  BOOST_TEST_REQUIRE(world.notices.size() == 2U);
  BOOST_TEST(world.notices[0].find("application_1700000000000_0007 is submitted") != std::string::npos);
  BOOST_TEST(world.notices[1] == actors::ended_unseen);
  BOOST_TEST(!std::filesystem::exists(world.folder.path() + "/.heddle/applications"));
}

BOOST_AUTO_TEST_CASE(each_run_is_an_application_of_its_own) {
  World world;
  const auto session = world.open();
  BOOST_TEST(session->application() == "application_1700000000000_0007");
  BOOST_TEST(session->run(world.graph(), world.callbacks).has_value());
  BOOST_TEST(session->application() == "application_1700000000000_0007");
  BOOST_TEST(session->run_all({world.graph(), world.graph()}, world.callbacks)->size() == 2U);
  BOOST_TEST(session->application() == "application_1700000000000_0008");
}

BOOST_AUTO_TEST_CASE(the_output_of_an_application_whose_masters_died_is_removed) {
  World world;
  world.cluster.final_status = interop::proto::FINAL_FAILED;
  world.cluster.states.back() = interop::proto::APPLICATION_FAILED;
  world.cluster.diagnostics = "failed 2 times due to AM Container";
  work::LocalFileSystem files;
  // A master claims the output after the client has looked for it.
  bool is_written = false;
  world.callbacks.on_notice = [&](const Notice&) {
    if (std::exchange(is_written, true)) return;
    auto settings = commit_settings({}, {cluster_start, 7});
    settings.owner = work::application_owner({cluster_start, 7});
    const std::vector<std::string> outputs{world.folder.file("out")};
    BOOST_REQUIRE((work::FileOutputCommit{files, settings}.set_up(outputs.front(), outputs, 2).has_value()));
  };
  const auto finished = world.open()->run(world.graph("out"), world.callbacks);
  BOOST_REQUIRE_MESSAGE(finished.has_value(), (finished ? "" : finished.error().text));
  BOOST_TEST((finished->status == JobStatus::failed));
  BOOST_TEST(finished->text == "failed 2 times due to AM Container");
  BOOST_TEST(is_written);
  BOOST_TEST(!std::filesystem::exists(world.folder.file("out")));
  BOOST_TEST(!std::filesystem::exists(world.folder.path() + "/.heddle/applications"));
}

BOOST_AUTO_TEST_CASE(of_an_application_that_failed_each_output_is_settled_by_what_its_driver_decided) {
  World world;
  world.cluster.final_status = interop::proto::FINAL_FAILED;
  world.cluster.diagnostics = "job 'second': task 3 failed 4 times";
  work::LocalFileSystem files;
  world.cluster.may_end = false;
  world.callbacks.on_application = [&](const ApplicationAccepted&) {
    auto settings = commit_settings({}, {cluster_start, 7});
    settings.owner = work::application_owner({cluster_start, 7});
    settings.journal = world.staging(7);
    work::FileOutputCommit commit{files, settings};
    for (const auto& output : {world.folder.file("first"), world.folder.file("second")})
      BOOST_REQUIRE(commit.set_up(output, {output}, 1).has_value());
    BOOST_REQUIRE(commit.commit({OutputWinners{world.folder.file("first"), false, {}}}, 1).has_value());
    world.cluster.may_end = true;
  };
  const auto ended = world.open()->run_all({world.graph("first"), world.graph("second")}, world.callbacks);
  BOOST_REQUIRE_MESSAGE(ended.has_value(), (ended ? "" : ended.error().text));
  BOOST_TEST((ended->at(0).status == JobStatus::succeeded));
  BOOST_TEST((ended->at(1).status == JobStatus::failed));
  BOOST_TEST(ended->at(1).text == world.cluster.diagnostics);
  BOOST_TEST(std::filesystem::exists(world.folder.file("first")));
  BOOST_TEST(!std::filesystem::exists(world.folder.file("second")));
  BOOST_TEST(!std::filesystem::exists(world.folder.path() + "/.heddle/applications"));
}

BOOST_AUTO_TEST_CASE(the_output_of_an_ended_application_is_settled_and_that_of_another_one_kept) {
  for (const bool has_ended : {true, false}) {
    World world;
    world.cluster.ended = has_ended ? 3 : 0;
    work::LocalFileSystem files;
    auto settings = commit_settings({}, {cluster_start, 3});
    settings.owner = work::application_owner({cluster_start, 3});
    const std::vector<std::string> outputs{world.folder.file("out")};
    BOOST_REQUIRE((work::FileOutputCommit{files, settings}.set_up(outputs.front(), outputs, 1).has_value()));
    const auto submitted = submit_to_yarn(world.options(), {world.graph("out")}, {}, world.callbacks.on_notice);
    BOOST_TEST(submitted.has_value() == has_ended, (submitted ? "" : submitted.error().text));
    BOOST_TEST(std::filesystem::exists(world.folder.file("out")) != has_ended);
    if (!has_ended)
      BOOST_TEST(submitted.error().text.find("application_1700000000000_0003 writes it") != std::string::npos);
    const auto said = std::count_if(world.notices.begin(), world.notices.end(), [](const auto& notice) {
      return notice.starts_with("application_1700000000000_0003 has ended and has left an output");
    });
    BOOST_TEST(said == (has_ended ? 1 : 0));
  }
}

BOOST_AUTO_TEST_CASE(the_output_of_a_killed_client_is_settled_when_its_application_has_ended_or_is_unknown) {
  enum class Application : std::uint8_t { ended, unknown, runs };
  for (const auto each : {Application::ended, Application::unknown, Application::runs}) {
    World world;
    world.cluster.ended = each == Application::ended ? 3 : 0;
    world.cluster.running = each == Application::runs ? 3 : 0;
    work::LocalFileSystem files;
    auto settings = commit_settings({}, {cluster_start, 3});
    ++settings.owner.start_time;  // the process with this id is another one
    const std::vector<std::string> outputs{world.folder.file("out")};
    BOOST_REQUIRE((work::FileOutputCommit{files, settings}.set_up(outputs.front(), outputs, 1).has_value()));
    const auto submitted = submit_to_yarn(world.options(), {world.graph("out")}, {}, world.callbacks.on_notice);
    const bool goes = each != Application::runs;
    BOOST_TEST(submitted.has_value() == goes, (submitted ? "" : submitted.error().text));
    BOOST_TEST(std::filesystem::exists(world.folder.file("out")) != goes);
    if (!goes) BOOST_TEST(submitted.error().text.ends_with("try again then"), submitted.error().text);
  }
}

BOOST_AUTO_TEST_CASE(a_cancellation_kills_the_application) {
  World world;
  world.cluster.states.back() = interop::proto::APPLICATION_RUNNING;
  bool is_submitted = false;
  world.callbacks.on_notice = [&](const Notice&) { is_submitted = true; };
  world.callbacks.is_cancelled = [&] { return is_submitted; };
  const auto finished = world.open()->run(world.graph(), world.callbacks);
  BOOST_REQUIRE_MESSAGE(finished.has_value(), (finished ? "" : finished.error().text));
  BOOST_TEST((finished->status == JobStatus::cancelled));
  const auto calls = world.server.calls();
  BOOST_TEST((std::count_if(calls.begin(), calls.end(),
                            [](const auto& call) { return call.method == "forceKillApplication"; }) > 0));
  BOOST_TEST(!std::filesystem::exists(world.folder.path() + "/.heddle/applications"));
}

BOOST_AUTO_TEST_CASE(folders_of_ended_applications_are_removed_by_the_next_submission) {
  World world;
  world.cluster.ended = 1;
  for (const int number : {1, 2}) {  // the ResourceManager does not know 2, which may be about to be submitted
    std::filesystem::create_directories(world.staging(number));
    std::ofstream{world.staging(number) + "/job-1.package"} << "job";
  }
  BOOST_REQUIRE(submit_to_yarn(world.options(), {world.graph()}, {}, {}).has_value());
  BOOST_TEST(!std::filesystem::exists(world.staging(1)));
  BOOST_TEST(std::filesystem::exists(world.staging(2)));
  BOOST_TEST(std::filesystem::exists(world.staging(7)));
}

BOOST_AUTO_TEST_CASE(the_folder_of_an_application_that_has_just_ended_stays_while_it_says_which_jobs_were_committed) {
  for (const bool has_just_ended : {true, false}) {
    World world;
    world.cluster.ended = 1;
    world.cluster.ended_ms = wall_clock_ms() - (has_just_ended ? 0 : 3'600'000);
    std::filesystem::create_directories(world.staging(1));
    std::ofstream{world.staging(1) + "/" + std::string{work::journal_entry_prefix} + "5"} << "output /out";
    BOOST_REQUIRE(submit_to_yarn(world.options(), {world.graph()}, {}, {}).has_value());
    BOOST_TEST(std::filesystem::exists(world.staging(1)) == has_just_ended);
  }
}

BOOST_AUTO_TEST_CASE(a_command_with_a_terminal_is_refused_before_anything_is_submitted) {
  World world;
  auto graph = world.graph();
  graph.stages.front().pass_through = true;
  const auto finished = world.open()->run(graph, world.callbacks);
  BOOST_REQUIRE(!finished.has_value());
  BOOST_TEST((finished.error().code == Errc::usage));
  BOOST_TEST(finished.error().text.find("omit --deploy-mode cluster") != std::string::npos);
  BOOST_TEST(!std::filesystem::exists(world.folder.path() + "/.heddle"));
}

}  // namespace
}  // namespace yarn_cluster_mode_test
}  // namespace heddle::apps
