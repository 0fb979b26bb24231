// Completion scripts: verbs, then options of the verb, then files. Made from the option tables of the parsers.
#include <fmt/format.h>

#include <array>

#include "apps/cli/verb_parsers.hpp"
#include "apps/cli/verbs.hpp"
#include "config/text/did_you_mean.hpp"

namespace heddle::apps {
namespace {

std::string verb_list() { return fmt::format("{}", fmt::join(verb_names(), " ")); }

std::string option_list(std::string_view verb) {
  const auto* dashes = verb == "mapreduce" ? "-" : "--";
  std::string words;
  const auto table = options_of_verb(verb);
  for (const auto& option : table.options())
    words += fmt::format("{}{}{}", words.empty() ? "" : " ", dashes, option->long_name());
  if (verb == "help") words = verb_list() + " job-file settings";
  if (verb == "completion") words = "bash zsh fish";
  return words;
}

std::string bash_script() {
  std::string script =
      "# bash completion for heddle\n_heddle() {\n  local word=\"${COMP_WORDS[COMP_CWORD]}\" words=\"\"\n";
  script += fmt::format("  if [ \"$COMP_CWORD\" -eq 1 ]; then words=\"{}\"; else\n    case \"${{COMP_WORDS[1]}}\" in\n",
                        verb_list());
  for (const auto& verb : verbs())
    script += fmt::format("      {}) words=\"{}\" ;;\n", verb.name, option_list(verb.name));
  script +=
      "    esac\n  fi\n  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\ncomplete -o default -F _heddle heddle\n";
  return script;
}

std::string zsh_script() {
  std::string script = "#compdef heddle\n# zsh completion for heddle\n_heddle() {\n  if (( CURRENT == 2 )); then\n";
  script += fmt::format("    compadd -- {}\n    return\n  fi\n  case \"$words[2]\" in\n", verb_list());
  for (const auto& verb : verbs())
    script += fmt::format("    {}) compadd -- {} ;;\n", verb.name, option_list(verb.name));
  script += "  esac\n  _files\n}\ncompdef _heddle heddle\n";
  return script;
}

std::string fish_script() {
  std::string script = "# fish completion for heddle\n";
  for (const auto& verb : verbs()) {
    script += fmt::format("complete -c heddle -n __fish_use_subcommand -a {} -d '{}'\n", verb.name, verb.sentence);
    const auto table = options_of_verb(verb.name);
    for (const auto& option : table.options())
      script += fmt::format("complete -c heddle -n '__fish_seen_subcommand_from {}' -{} {}\n", verb.name,
                            verb.name == "mapreduce" ? "o" : "l", option->long_name());
  }
  return script;
}

}  // namespace

Result<std::string> completion_script(std::string_view shell) {
  if (shell == "bash") return bash_script();
  if (shell == "zsh") return zsh_script();
  if (shell == "fish") return fish_script();
  static constexpr std::array<std::string_view, 3> shells{"bash", "zsh", "fish"};
  return Error{Errc::usage, fmt::format("completion supports bash, zsh and fish, not \"{}\"{}", shell,
                                        config::suggestion(shell, shells))};
}

}  // namespace heddle::apps
