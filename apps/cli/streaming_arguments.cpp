// Parsing inside Hadoop Streaming option values: commands and path lists.
#include <fmt/format.h>

#include <utility>

#include "apps/cli/streaming_job.hpp"

namespace heddle::apps {

Result<std::vector<std::string>> split_streaming_command(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  char quote = '\0';
  std::size_t quote_at = 0;
  bool has_word = false;
  for (std::size_t at = 0; at < command.size(); ++at) {
    const char letter = command[at];
    if (quote != '\0') {
      if (letter == quote) quote = '\0';
      else word += letter;
    } else if (letter == '\'' || letter == '"') {
      quote = letter;
      quote_at = at;
      has_word = true;
    } else if (letter == ' ') {
      if (has_word) words.push_back(std::exchange(word, {}));
      has_word = false;
    } else {
      word += letter;
      has_word = true;
    }
  }
  if (quote != '\0')
    return Error{Errc::usage,
                 fmt::format("the quote {} at character {} is not closed: {}", quote, quote_at + 1, command)};
  if (has_word) words.push_back(word);
  return words;
}

std::vector<std::string> split_input_paths(std::string_view paths) {
  std::vector<std::string> result;
  std::string path;
  int depth = 0;
  for (const char letter : paths) {
    if (letter == '{') ++depth;
    if (letter == '}' && depth > 0) --depth;
    if (letter == ',' && depth == 0) {
      if (!path.empty()) result.push_back(std::exchange(path, {}));
    } else {
      path += letter;
    }
  }
  if (!path.empty()) result.push_back(path);
  return result;
}

}  // namespace heddle::apps
