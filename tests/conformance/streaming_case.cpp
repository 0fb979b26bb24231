#include "tests/conformance/streaming_case.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "tests/conformance/base64.hpp"

namespace heddle::conformance {

namespace json = boost::json;
namespace fs = std::filesystem;

CaseFolder::CaseFolder() {
  auto pattern = (fs::temp_directory_path() / "heddle-streaming-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"no temporary folder can be made"};
  path_ = pattern;
  fs::create_directories(job());
  fs::create_directories(scratch());
}

CaseFolder::~CaseFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string read_file(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
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

StreamingTarget& streaming_target() {
  static StreamingTarget target;
  return target;
}

std::vector<std::string> streaming_words(int attempts) {
  const auto& [framework, master] = streaming_target();
  const bool is_local = framework == "driver";
  // Room for every reduce and a map beside them. On two cores a failed map's container may go to a reduce before the
  // map is asked for again; the master then preempts a reduce, as Hadoop does, and attempts differ from the record.
  const std::string usual = is_local ? "local[2]" : "local-cluster[1,8,4096]";
  std::vector<std::string> words{
      "mapreduce", "--format", "json", "--master", master.empty() ? usual : master, "-D", "mapreduce.job.maps=1"};
  if (!is_local) words.insert(words.end(), {"--framework", framework});
  if (attempts > 0)
    for (const auto* kind : {"map", "reduce"})
      words.insert(words.end(), {"-D", std::string{"mapreduce."} + kind + ".maxattempts=" + std::to_string(attempts)});
  return words;
}

int attempts_of_local_runner() { return streaming_target().framework == "driver" ? 0 : 1; }

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

json::object counters_of(const CaseFolder& folder) {
  std::error_code broken;
  const auto summary = json::parse(read_file(folder.answer()), broken);
  const auto* counters = summary.is_object() ? summary.as_object().if_contains("counters") : nullptr;
  return counters != nullptr ? counters->as_object() : json::object{};
}

}  // namespace heddle::conformance
