#include "work/files/glob.hpp"

namespace heddle::work {
namespace {

// Length of the set [..] at the start of `pattern`, 0 if it is not closed; sets `hit` if it contains `c`.
std::size_t match_set(std::string_view pattern, char c, bool& hit) {
  std::size_t at = 1;
  const bool negated = at < pattern.size() && (pattern[at] == '^' || pattern[at] == '!');
  if (negated) ++at;
  bool found = false;
  for (bool first = true; at < pattern.size() && (first || pattern[at] != ']'); first = false) {
    if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
    const char low = pattern[at];
    char high = low;
    if (at + 2 < pattern.size() && pattern[at + 1] == '-' && pattern[at + 2] != ']') {
      high = pattern[at + 2];
      at += 2;
    }
    if (low <= c && c <= high) found = true;
    ++at;
  }
  if (at >= pattern.size()) return 0;
  hit = found != negated;
  return at + 1;
}

// Length of the pattern's first element if it matches `c`, otherwise 0.
std::size_t match_one(std::string_view pattern, char c) {
  if (pattern[0] == '?') return 1;
  if (pattern[0] == '[') {
    bool hit = false;
    if (const auto length = match_set(pattern, c, hit); length != 0) return hit ? length : 0;
  }
  if (pattern[0] == '\\' && pattern.size() > 1) return pattern[1] == c ? 2 : 0;
  return pattern[0] == c ? 1 : 0;
}

// Positions of the first opening brace and of its closing brace; npos if there is none.
std::pair<std::size_t, std::size_t> find_braces(std::string_view text) {
  std::size_t open = text.npos;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') ++i;
    else if (text[i] == '{' && depth++ == 0) open = i;
    else if (text[i] == '}' && depth > 0 && --depth == 0) return {open, i};
  }
  return {text.npos, text.npos};
}

/// Expands all braces from left to right; returns false if there are too many.
bool expand(std::string_view pattern, int braces_left, std::vector<std::string>& result) {
  constexpr std::size_t most = 10'000;
  const auto [open, close] = find_braces(pattern);
  if (open == pattern.npos) {
    result.emplace_back(pattern);
    return result.size() <= most;
  }
  if (braces_left == 0) return false;
  std::size_t begin = open + 1;
  int depth = 0;
  for (std::size_t i = begin; i <= close; ++i) {
    if (pattern[i] == '\\') ++i;
    else if (pattern[i] == '{') ++depth;
    else if (pattern[i] == '}' && i != close) --depth;
    else if (i == close || (pattern[i] == ',' && depth == 0)) {
      std::string text{pattern.substr(0, open)};
      text.append(pattern.substr(begin, i - begin)).append(pattern.substr(close + 1));
      if (!expand(text, braces_left - 1, result)) return false;
      begin = i + 1;
    }
  }
  return true;
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view name) {
  std::size_t in_pattern = 0;
  std::size_t in_name = 0;
  std::size_t star = pattern.npos;
  std::size_t star_name = 0;
  while (in_name < name.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      star_name = in_name;
      continue;
    }
    const auto length = in_pattern < pattern.size() ? match_one(pattern.substr(in_pattern), name[in_name]) : 0;
    if (length != 0) {
      in_pattern += length;
      ++in_name;
    } else if (star != pattern.npos) {
      in_pattern = star + 1;
      in_name = ++star_name;
    } else {
      return false;
    }
  }
  while (in_pattern < pattern.size() && pattern[in_pattern] == '*') ++in_pattern;
  return in_pattern == pattern.size();
}

bool is_glob(std::string_view text) { return text.find_first_of("*?[{\\") != text.npos; }

Result<std::vector<std::string>> expand_braces(std::string_view pattern) {
  std::vector<std::string> result;
  if (!expand(pattern, 100, result))
    return Error{Errc::usage, "the pattern '" + std::string{pattern.substr(0, 80)} +
                                  "' expands to too many names; use fewer braces, or name the folders"};
  return result;
}

}  // namespace heddle::work
