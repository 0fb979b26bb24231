#include "config/text/environment.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace heddle::config {
namespace {

std::string variable(const char* name) {
  const auto* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

/// XDG rule: the absolute path in the variable, otherwise a folder below HOME.
std::string xdg_folder(const char* name, const char* below_home) {
  const auto folder = variable(name);
  if (!folder.empty() && folder.front() == '/') return folder + "/heddle";
  const auto home = variable("HOME");
  return home.empty() ? std::string{} : home + below_home + "/heddle";
}

std::string first_of(const std::string& first, const std::string& second) { return first.empty() ? second : first; }

/// Name of the user of this process; its number if it has no name.
std::string name_of_user() {
  constexpr std::size_t bytes_max = 16 << 10;
  std::string buffer(bytes_max, '\0');
  passwd entry{};
  passwd* found = nullptr;
  const auto user = ::geteuid();
  const bool is_known = ::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr;
  return is_known ? std::string{found->pw_name} : std::to_string(user);
}

}  // namespace

Environment read_environment() {
  Environment environment;
  environment.config_folder = xdg_folder("XDG_CONFIG_HOME", "/.config");
  environment.state_folder = xdg_folder("XDG_STATE_HOME", "/.local/state");
  const auto spark_home = variable("SPARK_HOME");
  environment.spark_conf_folder =
      first_of(variable("SPARK_CONF_DIR"), spark_home.empty() ? std::string{} : spark_home + "/conf");
  environment.hadoop_conf_folder = first_of(variable("HADOOP_CONF_DIR"), variable("YARN_CONF_DIR"));
  environment.hadoop_conf_variable = variable("HADOOP_CONF_DIR").empty() ? "YARN_CONF_DIR" : "HADOOP_CONF_DIR";
  environment.temporary_folder = first_of(variable("TMPDIR"), "/tmp");
  environment.user = first_of(first_of(variable("USER"), variable("LOGNAME")), name_of_user());
  environment.is_dumb_terminal = variable("TERM") == "dumb";
  environment.no_color = !variable("NO_COLOR").empty();
  return environment;
}

ContainerVariables read_container_variables() {
  return {variable("CONTAINER_ID"),
          variable("NM_HOST"),
          variable("LOCAL_DIRS"),
          variable("LOG_DIRS"),
          variable("HADOOP_TOKEN_FILE_LOCATION"),
          variable("USER")};
}

void drop_container_variables() {
  const bool is_container = !variable("CONTAINER_ID").empty();
  if (is_container && variable("LD_LIBRARY_PATH") == container_library_path) ::unsetenv("LD_LIBRARY_PATH");
}

std::optional<std::string> environment_variable(const std::string& name) {
  const auto* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>{value};
}

}  // namespace heddle::config
