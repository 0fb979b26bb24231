#include "apps/library/session_arguments.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace heddle::apps {
namespace {

constexpr std::array<std::string_view, 4> option_names{"--master", "--set", "--topology", "--deploy-mode"};

void take(SessionWords& taken, std::string_view option, std::string value) {
  if (option == "--master") taken.master = std::move(value);
  else if (option == "--topology") taken.topology = std::move(value);
  else if (option == "--deploy-mode") taken.deploy_mode = std::move(value);
  else taken.assignments.push_back(std::move(value));
}

/// The session option in `word`, which is "--master" or "--master=VALUE"; empty if there is none.
std::string_view option_of(std::string_view word) {
  const auto head = word.substr(0, word.find('='));
  for (const auto option : option_names)
    if (head == option) return option;
  return {};
}

}  // namespace

Result<SessionWords> parse_session_words(std::span<const std::string> words) {
  SessionWords taken;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (word == "--") {
      taken.others.insert(taken.others.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    const auto option = option_of(word);
    if (option.empty()) {
      taken.others.push_back(word);
    } else if (word.size() > option.size()) {
      take(taken, option, word.substr(option.size() + 1));
    } else {
      if (++i == words.size()) return Error{Errc::usage, fmt::format("{} needs a value", option)};
      take(taken, option, words[i]);
    }
  }
  return taken;
}

}  // namespace heddle::apps
