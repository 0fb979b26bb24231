// The heddle program. Runs a verb of the command line, or, if heddle started this process as a role of a cluster, that
// role.
#include "apps/commands/commands.hpp"
#include "apps/roles/role_process.hpp"

int main(int argc, char** argv) {
  if (const auto code = heddle::apps::play_role(argc, argv)) return *code;
  return heddle::apps::run_command_line(argc, argv);
}
