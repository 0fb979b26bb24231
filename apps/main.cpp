// The heddle program: the command line, or a role of a cluster that this program itself has started.
#include "apps/commands/commands.hpp"
#include "apps/roles/role_process.hpp"

int main(int argc, char** argv) {
  if (const auto code = heddle::apps::play_role(argc, argv)) return *code;
  return heddle::apps::run_command_line(argc, argv);
}
