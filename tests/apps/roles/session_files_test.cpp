// Goal: the settings of logs and folders decide where the files of an application are, how long they get, and how long
// they stay.
// Method: one folder per test.
#include "apps/roles/session_files.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <optional>
#include <set>

#include "tests/support/fixed_random_source.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/scratch_folder.hpp"
#include "work/files/process_owner.hpp"

namespace heddle::apps {
namespace session_files_test {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

config::Settings settings_with(const Values& values) {
  config::Settings settings;
  for (const auto& [key, value] : values)
    BOOST_REQUIRE(settings.set(key, value, config::Origin::command_line, "test").has_value());
  return settings;
}

/// Writes `count` events of about 1000 bytes; returns the content of the log, or none if there is no log.
std::optional<std::string> log_with(const Values& values, int count) {
  const work::ScratchFolder folder;
  std::string path;
  {
    auto events = open_event_log(settings_with(values), folder.path(), "events", path);
    BOOST_REQUIRE(events.has_value());
    for (int i = 0; i < count; ++i)
      (*events)->write(Instant{}, "test", ports::EventFields{}.add("text", std::string(1000, 'x')));
  }
  if (path.empty()) return std::nullopt;
  BOOST_TEST(path == folder.file("events.jsonl"));
  return folder.read("events.jsonl");
}

BOOST_AUTO_TEST_CASE(without_an_event_log_there_is_no_file) {
  BOOST_TEST(log_with({{"heddle.event_log.enabled", "false"}}, 1).has_value() == false);
  const auto log = log_with({}, 1);
  BOOST_REQUIRE(log.has_value());
  BOOST_TEST(log->find(R"("heddle.event_log.enabled":"true")") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_event_log_ends_at_its_limit) {
  constexpr std::size_t limit = 100'000;
  constexpr std::size_t last_lines = 2'000;
  const auto whole = log_with({}, 300);
  const auto cut = log_with({{"heddle.event_log.bytes_max", "100000b"}}, 300);
  BOOST_REQUIRE((whole.has_value() && cut.has_value()));
  BOOST_TEST(whole->size() > 300'000U);
  BOOST_TEST(cut->size() > limit / 2);
  BOOST_TEST(cut->size() < limit + last_lines);
}

BOOST_AUTO_TEST_CASE(the_log_folder_of_tasks_is_the_first_of_the_setting) {
  const ApplicationId application{1000, 7};
  const auto folder = [&](const Values& values) {
    return task_log_folder(settings_with(values), "/state", application);
  };
  BOOST_TEST(folder({}) == "/state/tasks");
  BOOST_TEST(folder({{"heddle.task_log.dir", "/logs"}}) == "/logs/" + to_string(application));
  BOOST_TEST(folder({{"yarn.nodemanager.log-dirs", "/a,/b"}}) == "/a/" + to_string(application));
}

/// A folder for the logs of runs, each with 1 MB.
struct KeptLogs {
  work::ScratchFolder base;

  void add(const std::string& name, int hours_old, bool lives) const {
    auto owner = work::this_process_owner();
    if (!lives) ++owner.start_time;  // an earlier process with the same pid
    base.write(name + "/events.jsonl", std::string(1'000'000, 'x'));
    base.write(name + "/" + std::string{work::owner_file_name}, work::write_owner(owner));
    const auto changed = std::filesystem::file_time_type::clock::now() - std::chrono::hours{hours_old};
    for (const auto* file : {"/events.jsonl", "/OWNER", ""})
      std::filesystem::last_write_time(base.file(name) + file, changed);
  }
  /// Names of the logs that stay.
  [[nodiscard]] std::set<std::string> after(const std::string& age, const std::string& bytes) const {
    remove_old_logs(
        settings_with({{"heddle.event_log.retention_age", age}, {"heddle.event_log.retention_bytes", bytes}}),
        base.path());
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator{base.path()})
      if (entry.is_directory()) names.insert(entry.path().filename().string());
    return names;
  }
};

using Names = std::set<std::string>;

BOOST_AUTO_TEST_CASE(above_the_bytes_limit_the_logs_of_the_oldest_ended_runs_are_removed_first) {
  const KeptLogs logs;
  logs.add("b", 3, false);
  logs.add("c", 1, false);
  logs.add("a", 2, false);
  logs.add("d", 4, false);
  BOOST_TEST((logs.after("0s", "4500000b") == Names{"a", "b", "c", "d"}));
  BOOST_TEST((logs.after("0s", "3500000b") == Names{"a", "b", "c"}));
  BOOST_TEST((logs.after("0s", "1500000b") == Names{"c"}));
}

BOOST_AUTO_TEST_CASE(an_old_log_of_a_run_that_still_runs_stays) {
  const KeptLogs logs;
  logs.add("running", 1000, true);
  logs.add("ended", 900, false);
  logs.add("new", 1, false);
  BOOST_TEST((logs.after("24h", "0") == Names{"new", "running"}));
  BOOST_TEST((logs.after("0s", "1500000b") == Names{"running"}));  // its bytes count
  BOOST_TEST((logs.after("1h", "1b") == Names{"running"}));
}

BOOST_AUTO_TEST_CASE(a_token_is_128_bits_of_the_random_source_of_the_system) {
  const auto first = random_token();
  const auto second = random_token();
  for (const auto& token : {first, second}) {
    BOOST_TEST(token.size() == 32U);
    BOOST_TEST(token.find_first_not_of("0123456789abcdef") == std::string::npos);
  }
  BOOST_TEST(first != second);
#if !HEDDLE_HAS_ASAN  // it replaces getrandom itself
  const tests::FixedRandomSource source{{0x0123'4567'89ab'cdefU, 0xfU, 0xfedc'ba98'7654'3210U, 0}};
  BOOST_TEST(random_token() == "0123456789abcdef000000000000000f");
  BOOST_TEST(random_token() == "fedcba98765432100000000000000000");
#endif
}

BOOST_AUTO_TEST_CASE(a_working_folder_is_made_in_the_first_folder_of_the_setting_and_removed) {
  const work::ScratchFolder scratch;
  std::filesystem::create_directories(scratch.file("node"));
  {
    const auto made =
        WorkingFolder::make(settings_with({{"heddle.node_manager.directory", scratch.file("node") + ",/nowhere"}}));
    BOOST_REQUIRE(made.has_value());
    BOOST_TEST(std::filesystem::path{(*made)->path()}.parent_path() == scratch.file("node"));
    BOOST_TEST(std::filesystem::is_directory((*made)->path()));
  }
  BOOST_TEST(std::filesystem::is_empty(scratch.file("node")));
  const auto refused = WorkingFolder::make(settings_with({{"heddle.node_manager.directory", "/nowhere"}}));
  BOOST_REQUIRE(!refused.has_value());
  BOOST_TEST(refused.error().text.find("/nowhere") != std::string::npos);
}

}  // namespace
}  // namespace session_files_test
}  // namespace heddle::apps
