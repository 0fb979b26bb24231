// Environment variables that heddle uses: read once and passed on as values.
#pragma once

#include <optional>
#include <string>

namespace heddle::config {

/// A folder is empty if neither its variable nor HOME is set.
struct Environment {
  std::string config_folder;         // $XDG_CONFIG_HOME/heddle, else ~/.config/heddle
  std::string state_folder;          // $XDG_STATE_HOME/heddle, else ~/.local/state/heddle
  std::string spark_conf_folder;     // $SPARK_CONF_DIR, else $SPARK_HOME/conf
  std::string hadoop_conf_folder;    // $HADOOP_CONF_DIR, else $YARN_CONF_DIR
  std::string hadoop_conf_variable;  // name of the variable that is set
  std::string temporary_folder;      // $TMPDIR, else /tmp
  std::string user;
  bool is_dumb_terminal = false;  // TERM=dumb: no progress bars
  bool no_color = false;          // NO_COLOR is set and not empty
};

[[nodiscard]] Environment read_environment();

/// Variables that a NodeManager of Hadoop sets for the process of a container; empty: not set.
struct ContainerVariables {
  std::string container;      // CONTAINER_ID
  std::string host;           // NM_HOST
  std::string local_folders;  // LOCAL_DIRS, separated by commas
  std::string log_folders;    // LOG_DIRS, separated by commas
  std::string token_file;     // HADOOP_TOKEN_FILE_LOCATION
  std::string user;           // USER
};

[[nodiscard]] ContainerVariables read_container_variables();
/// LD_LIBRARY_PATH of such a process: libraries lie in a folder of their own, or beside the program.
inline constexpr std::string_view container_library_path = "libraries:.";
/// In such a process, removes that library path, which its own loader needed, so that commands of tasks do not inherit
/// it. Call it before any thread starts.
void drop_container_variables();
/// Value of one variable, for references in Hadoop files.
[[nodiscard]] std::optional<std::string> environment_variable(const std::string& name);

}  // namespace heddle::config
