// Whole jobs recorded with Hadoop Streaming 3.4.2: each case runs the heddle program in its own folder.
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "tests/conformance/base64.hpp"
#include "tests/conformance/kind.hpp"

namespace heddle::conformance {
namespace streaming_job_kind {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

/// A folder that the destructor removes. The job runs in `job`; the rest belongs to the test.
class CaseFolder {
public:
  CaseFolder() {
    auto pattern = (fs::temp_directory_path() / "heddle-streaming-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"no temporary folder can be made"};
    path_ = pattern;
    fs::create_directories(job());
  }
  ~CaseFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;
  [[nodiscard]] fs::path job() const { return path_ / "job"; }
  [[nodiscard]] fs::path state() const { return path_ / "state"; }
  [[nodiscard]] fs::path answer() const { return path_ / "answer"; }

private:
  fs::path path_;
};

std::string read_file(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::string unpacked(const fs::path& path) {
  std::string text;
  auto* const file = ::gzopen(path.c_str(), "rb");
  if (file == nullptr) return text;
  char buffer[1 << 14];
  for (int count = ::gzread(file, buffer, sizeof buffer); count > 0; count = ::gzread(file, buffer, sizeof buffer))
    text.append(buffer, static_cast<std::size_t>(count));
  ::gzclose(file);
  return text;
}

void lay_out(const json::object& input, const fs::path& folder) {
  for (const auto& [name, content] : input.at("files").as_object()) {
    const auto path = folder / std::string{name};
    fs::create_directories(path.parent_path());
    std::ofstream file{path, std::ios::binary};
    file << from_base64(content.as_string());
  }
  if (const auto* folders = input.if_contains("existing_folders"))
    for (const auto& name : folders->as_array()) fs::create_directories(folder / std::string{name.as_string()});
}

/// Runs the heddle program beside this one. Returns its exit code, or 128 + n if signal n killed it.
int run_program(std::vector<std::string> words, const CaseFolder& folder) {
  words.insert(words.begin(), (fs::read_symlink("/proc/self/exe").parent_path() / "heddle").string());
  if (!fs::exists(words.front())) throw std::runtime_error{"there is no program heddle beside heddle-conformance"};
  std::vector<std::string> variables{"XDG_STATE_HOME=" + folder.state().string()};
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (std::string_view{*variable}.rfind("XDG_STATE_HOME=", 0) != 0) variables.emplace_back(*variable);
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (auto& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
  };
  const auto arguments = pointers(words);
  const auto environment = pointers(variables);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.job().c_str());
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, folder.answer().c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int failure =
      ::posix_spawn(&child, words.front().c_str(), &actions, nullptr, arguments.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw std::runtime_error{"the program heddle cannot be started"};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<std::string> sorted_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::map<std::string, std::string> parts_of(const fs::path& output) {
  std::map<std::string, std::string> parts;
  if (!fs::is_directory(output)) return parts;
  for (const auto& entry : fs::directory_iterator{output}) {
    const auto name = entry.path().filename().string();
    if (name.rfind("part-", 0) == 0)
      parts[name] = entry.path().extension() == ".gz" ? unpacked(entry.path()) : read_file(entry.path());
  }
  return parts;
}

void check_parts(const json::object& expected, bool by_lines, const fs::path& output, Report& report) {
  const auto got = parts_of(output);
  json::array wanted_names;
  json::array got_names;
  std::map<std::string, std::string> wanted;
  for (const auto& [name, content] : expected) wanted[std::string{name}] = from_base64(content.as_string());
  for (const auto& [name, content] : wanted) wanted_names.emplace_back(name);
  for (const auto& [name, content] : got) got_names.emplace_back(name);
  report.check(-1, "parts", wanted_names, got_names);
  for (const auto& [name, content] : wanted) {
    const auto found = got.find(name);
    if (found == got.end()) continue;
    const bool is_same = by_lines ? sorted_lines(content) == sorted_lines(found->second) : content == found->second;
    if (!is_same) report.differ(-1, name, json::value(to_base64(content)), json::value(to_base64(found->second)));
  }
}

/// Checks the recorded counters; the answer may have others too.
void check_counters(const json::object& expected, std::string_view answer, Report& report) {
  std::error_code broken;
  const auto summary = json::parse({answer.data(), answer.size()}, broken);
  const auto* groups = summary.is_object() ? summary.as_object().if_contains("counters") : nullptr;
  for (const auto& [group, counters] : expected) {
    const auto* got = groups != nullptr ? groups->as_object().if_contains(group) : nullptr;
    for (const auto& [name, value] : counters.as_object()) {
      const auto* one = got != nullptr ? got->as_object().if_contains(name) : nullptr;
      report.check(-1, std::string{"counters."} + std::string{group} + "." + std::string{name}, value,
                   one != nullptr ? *one : json::value{});
    }
  }
}

void run(const json::object& test_case, Report& report) {
  const auto& input = test_case.at("input").as_object();
  const auto& expected = test_case.at("expected").as_object();
  const CaseFolder folder;
  lay_out(input, folder.job());
  std::vector<std::string> words{"mapreduce", "--format", "json", "--master", "local[2]", "-D", "mapreduce.job.maps=1"};
  for (const auto& word : input.at("args").as_array()) words.emplace_back(word.as_string());
  const int exit = run_program(std::move(words), folder);
  const auto output = folder.job() / "out";
  report.check(-1, "exit", expected.at("exit"), exit);
  if (const auto* success = expected.if_contains("success_file"))
    report.check(-1, "success_file", *success, fs::exists(output / "_SUCCESS"));
  if (const auto* parts = expected.if_contains("parts"); parts != nullptr && parts->is_object())
    check_parts(parts->as_object(), input.at("compare").as_string() == "lines", output, report);
  if (const auto* counters = expected.if_contains("counters"); counters != nullptr && counters->is_object())
    check_counters(counters->as_object(), read_file(folder.answer()), report);
}

const Kind kind{"streaming_job", run};

}  // namespace
}  // namespace streaming_job_kind
}  // namespace heddle::conformance
