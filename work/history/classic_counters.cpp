#include "work/history/classic_counters.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "work/history/history_names.hpp"

namespace heddle::work {
namespace {

/// These get a backslash before them.
constexpr bool needs_backslash(char symbol) {
  return symbol == '{' || symbol == '}' || symbol == '[' || symbol == ']' || symbol == '(' || symbol == ')' ||
         symbol == '\\';
}

void append_unit(std::string& out, std::string_view text) {
  out += '(';
  while (true) {
    const auto plain = static_cast<std::size_t>(std::find_if(text.begin(), text.end(), needs_backslash) - text.begin());
    out.append(text.substr(0, plain));
    if (plain == text.size()) break;
    out.append(1, '\\').append(1, text[plain]);
    text.remove_prefix(plain + 1);
  }
  out += ')';
}

class CounterText {
public:
  explicit CounterText(std::string_view text) : rest_{text} {}
  [[nodiscard]] bool is_over() const { return rest_.empty(); }
  [[nodiscard]] bool is_next(char symbol) const { return rest_.starts_with(symbol); }
  [[nodiscard]] bool skip(char symbol) {
    if (!is_next(symbol)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  [[nodiscard]] bool read_unit(std::string& text) {
    if (!skip('(')) return false;
    while (!rest_.empty() && !is_next(')')) {
      if (is_next('\\')) rest_.remove_prefix(1);
      else if (needs_backslash(rest_.front())) return false;
      if (rest_.empty()) return false;
      text += rest_.front();
      rest_.remove_prefix(1);
    }
    return skip(')');
  }

private:
  std::string_view rest_;
};

bool read_counter(CounterText& text, history::Counter& counter) {
  std::string number;
  return text.skip('[') && text.read_unit(counter.name) && text.read_unit(counter.display_name) &&
         text.read_unit(number) && read_number(number, counter.value) && text.skip(']');
}

}  // namespace

std::string classic_counters_text(const history::Counters& counters) {
  std::string text;
  for (const auto& group : counters.groups) {
    text += '{';
    append_unit(text, group.name);
    append_unit(text, group.display_name);
    for (const auto& counter : group.counters) {
      text += '[';
      append_unit(text, counter.name);
      append_unit(text, counter.display_name);
      append_unit(text, std::to_string(counter.value));
      text += ']';
    }
    text += '}';
  }
  return text;
}

bool read_classic_counters(std::string_view text, history::Counters& counters) {
  CounterText rest{text};
  while (!rest.is_over()) {
    auto& group = counters.groups.emplace_back();
    if (!rest.skip('{') || !rest.read_unit(group.name) || !rest.read_unit(group.display_name)) return false;
    while (rest.is_next('['))
      if (!read_counter(rest, group.counters.emplace_back())) return false;
    if (!rest.skip('}')) return false;
  }
  return true;
}

}  // namespace heddle::work
