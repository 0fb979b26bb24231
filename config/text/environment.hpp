// What heddle takes from environment variables: read here once, handed on as values.
#pragma once

#include <optional>
#include <string>

namespace heddle::config {

/// Folders are empty where neither a variable nor HOME says where they are.
struct Environment {
  std::string config_folder;         // $XDG_CONFIG_HOME/heddle, else ~/.config/heddle
  std::string state_folder;          // $XDG_STATE_HOME/heddle, else ~/.local/state/heddle
  std::string spark_conf_folder;     // $SPARK_CONF_DIR, else $SPARK_HOME/conf
  std::string hadoop_conf_folder;    // $HADOOP_CONF_DIR, else $YARN_CONF_DIR
  std::string hadoop_conf_variable;  // the one of both that is set
  std::string temporary_folder;      // $TMPDIR, else /tmp
  std::string user;
  bool is_dumb_terminal = false;  // TERM=dumb: no bars
  bool no_color = false;          // NO_COLOR is set and not empty
};

[[nodiscard]] Environment read_environment();
/// One variable by name, as files of others refer to it.
[[nodiscard]] std::optional<std::string> environment_variable(const std::string& name);

}  // namespace heddle::config
