#include "work/records/key_field.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "model/java_number.hpp"

namespace heddle::work {
namespace {

Error wrong(std::string_view argument) {
  return Error{Errc::usage, "key option '" + std::string{argument} + "' is not of the form -kF[.C][,F[.C]][nr]"};
}

// Parses one -k argument from left to right.
class KeyFieldParser {
public:
  explicit KeyFieldParser(std::string_view text) : text_{text} {}

  bool parse(KeyField& field) {
    if (!number(field.begin_field)) return false;
    if (accept('.') && !number(field.begin_character)) return false;
    flags(field);
    if (at_end()) return true;
    if (!accept(',') || !number(field.end_field)) return false;
    if (accept('.') && !number(field.end_character)) return false;
    flags(field);
    return at_end();
  }

private:
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  bool accept(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool number(std::int32_t& to) {
    accept('+');
    const auto* begin = text_.data() + at_;
    const auto [end, fault] = std::from_chars(begin, text_.data() + text_.size(), to);
    if (fault != std::errc{}) return false;
    at_ += static_cast<std::size_t>(end - begin);
    return true;
  }
  void flags(KeyField& field) {
    for (;;) {
      if (accept('n')) field.numeric = true;
      else if (accept('r')) field.reverse = true;
      else return;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  constexpr std::string_view blanks = " \t\n\r\f";
  for (auto at = text.find_first_not_of(blanks); at != text.npos; at = text.find_first_not_of(blanks, at)) {
    const auto end = std::min(text.find_first_of(blanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

}  // namespace

Result<KeyFields> parse_key_fields(std::string_view options) {
  KeyFields result;
  const auto words = words_of(options);
  KeyField all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto word = words[i];
    if (word == "-n" || word == "-nr") all.numeric = true;
    if (word == "-r" || word == "-nr") all.reverse = true;
    if (!word.starts_with("-k")) continue;  // as Hadoop, ignore every other word, also "-rn"
    auto argument = word.substr(2);
    if (argument.empty() && i + 1 < words.size()) argument = words[++i];
    KeyField field;
    if (!KeyFieldParser{argument}.parse(field)) return wrong(word);
    result.fields.push_back(field);
    result.has_positions = true;
  }
  for (auto& field : result.fields) {
    if (field.numeric || field.reverse) continue;
    field.numeric = all.numeric;
    field.reverse = all.reverse;
  }
  if (result.fields.empty() && !options.empty()) result.fields.push_back(all);
  return result;
}

KeyCutter::KeyCutter(KeyFields fields, std::string_view separator)
    : fields_{std::move(fields)}, separator_{separator} {}

void KeyCutter::cut(std::string_view key, std::vector<std::int32_t>& lengths) const {
  lengths.clear();
  if (!fields_.has_positions) return lengths.push_back(0);
  std::size_t start = 0;
  for (;;) {
    const auto at = separator_.empty() ? key.npos : key.find(separator_, start);
    if (at == key.npos) break;
    lengths.push_back(static_cast<std::int32_t>(at - start));
    start = at + 1;
  }
  lengths.push_back(static_cast<std::int32_t>(key.size() - start));
}

KeyRange KeyCutter::range(std::string_view key, const std::vector<std::int32_t>& lengths, const KeyField& field) const {
  const auto size = static_cast<std::int32_t>(key.size());
  const auto step = static_cast<std::int32_t>(separator_.size());
  const auto count = static_cast<std::int32_t>(lengths.size());
  const auto start_of = [&](std::int32_t wanted) {
    std::int32_t position = 0;
    for (std::int32_t i = 1; i < wanted; ++i) position += lengths[static_cast<std::size_t>(i - 1)] + step;
    return position;
  };
  KeyRange range;
  if (count < field.begin_field) return range;
  const auto begin = java::wrap_add(start_of(field.begin_field), field.begin_character);
  if (begin > size || begin < 1) return range;
  range.begin = begin - 1;
  range.end = size;
  if (field.end_field <= 0 || count < field.end_field) return range;
  auto end = java::wrap_add(start_of(field.end_field), field.end_character);
  if (field.end_character == 0) end += lengths[static_cast<std::size_t>(field.end_field - 1)];
  if (end <= size) range.end = end;
  return range;
}

}  // namespace heddle::work
