#include "work/history/classic_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "work/history/classic_counters.hpp"
#include "work/history/classic_fields.hpp"
#include "work/history/history_names.hpp"

namespace heddle::work {
namespace {

constexpr std::string_view map_prefix = "Map";
constexpr std::string_view reduce_prefix = "Reduce";
constexpr std::string_view attempt_word = "Attempt";

constexpr bool is_escaped(char symbol) { return symbol == '"' || symbol == '=' || symbol == '.' || symbol == '\\'; }

bool is_setup_or_cleanup(AttemptType type) { return type != AttemptType::map && type != AttemptType::reduce; }

// -- values ----------------------------------------------------------------------------------------------

void append_escaped(std::string& out, std::string_view text) {
  while (true) {
    const auto plain = static_cast<std::size_t>(std::find_if(text.begin(), text.end(), is_escaped) - text.begin());
    out.append(text.substr(0, plain));
    if (plain == text.size()) return;
    out.append(1, '\\').append(1, text[plain]);
    text.remove_prefix(plain + 1);
  }
}

void append_value(std::string& out, const std::string& text) { append_escaped(out, text); }
void append_value(std::string& out, const history::Counters& counters) {
  if (!counters.groups.empty()) append_escaped(out, classic_counters_text(counters));
}
// Numbers and names have no symbol to escape.
void append_value(std::string& out, std::int64_t number) {
  const fmt::format_int digits{number};
  out.append(digits.data(), digits.size());
}
/// A port that does not exist has an empty text in Hadoop.
void append_value(std::string& out, std::int32_t number) {
  if (number != -1) append_value(out, std::int64_t{number});
}
void append_value(std::string& out, AttemptType type) {
  if (type == AttemptType::job_setup) out += "SETUP";
  else if (type == AttemptType::job_cleanup) out += "CLEANUP";
  else out += name_of(type);
}
void append_value(std::string& out, history::BadEnd end) { out += name_of(end); }
template <class Value>
void append_value(std::string& out, const Value& value) {
  append_name(out, value);
}
template <class Value>
void append_value(std::string& out, const std::optional<Value>& value) {
  if (value) append_name(out, *value);
}

bool read_classic_text(std::string_view text, std::string& value) {
  value = text;
  return true;
}
bool read_classic_text(std::string_view text, std::int64_t& number) { return read_number(text, number); }
/// A port that does not exist has an empty text in Hadoop.
bool read_classic_text(std::string_view text, std::int32_t& number) {
  if (!text.empty()) return read_number(text, number);
  number = -1;
  return true;
}
bool read_classic_text(std::string_view text, history::Counters& counters) {
  return read_classic_counters(text, counters);
}
bool read_classic_text(std::string_view text, AttemptType& type) {
  if (text == "SETUP") type = AttemptType::job_setup;
  else if (text == "CLEANUP") type = AttemptType::job_cleanup;
  else return read_name(text, type);
  return true;
}
template <class Value>
bool read_classic_text(std::string_view text, std::optional<Value>& value) {
  return text.empty() || read_name(text, value.emplace());
}
template <class Value>
bool read_classic_text(std::string_view text, Value& value) {
  return read_name(text, value);
}

// -- writing ---------------------------------------------------------------------------------------------

template <class Record>
struct ClassicWriter {
  std::string& out;
  const Record& record;

  template <class Value>
  void operator()(const Key<Record, Value>& key) const {
    begin(key.name);
    append_value(out, record.*key.member);
    end();
  }
  void operator()(const TaskKey<Record>& key) const {
    begin(key.name);
    append_name(out, (record.*key.member).task);
    end();
  }
  void operator()(const FixedKey& key) const {
    begin(key.name);
    append_escaped(out, key.value);
    end();
  }

private:
  void begin(std::string_view key) const { out.append(key).append("=\""); }
  void end() const { out += "\" "; }
};

template <class Record>
void append_record(std::string& out, const Record& record) {
  if constexpr (IsClassicRecord<Record>) {
    if constexpr (ClassicLine<Record>::word == attempt_word)
      out += record.attempt.task.is_reduce ? reduce_prefix : map_prefix;
    out.append(ClassicLine<Record>::word).append(" ");
    for_each_key<Record>(ClassicWriter<Record>{out, record});
    out += ".\n";
  }
}

// -- reading ---------------------------------------------------------------------------------------------

struct ClassicPair {
  std::string_view key;
  std::string value;
};

struct ClassicRecordText {
  std::string_view word;
  std::vector<ClassicPair> pairs;
  [[nodiscard]] const std::string* find(std::string_view key) const {
    const auto found = std::find_if(pairs.begin(), pairs.end(), [&](const auto& each) { return each.key == key; });
    return found == pairs.end() ? nullptr : &found->value;
  }
};

enum class Cut : std::uint8_t { whole, torn, fault };

/// Cuts a file into records: a word, keys with quoted values, a full stop and the end of the line.
class ClassicCutter {
public:
  explicit ClassicCutter(std::string_view file) : file_{file} {}
  [[nodiscard]] bool is_over() const { return position_ == file_.size(); }
  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] const char* fault() const { return fault_; }

  [[nodiscard]] Cut next(ClassicRecordText& record) {
    record.pairs.clear();
    if (!read_until(' ', record.word)) return end("a word and a space");
    while (position_ < file_.size() && file_[position_] != '.') {
      auto& pair = record.pairs.emplace_back();
      if (!read_until('=', pair.key)) return end("a key and '='");
      if (!skip('"')) return end("'\"' before a value");
      if (const auto cut = read_value(pair.value); cut != Cut::whole) return cut;
      if (!skip(' ')) return end("a space behind a value");
    }
    return skip('.') && skip('\n') ? Cut::whole : end("the end of the line behind '.'");
  }

private:
  Cut end(const char* expected) {
    fault_ = expected;
    return is_over() ? Cut::torn : Cut::fault;
  }
  bool skip(char symbol) {
    if (is_over() || file_[position_] != symbol) return false;
    ++position_;
    return true;
  }
  /// Words and keys have letters, digits and underscores.
  bool read_until(char end, std::string_view& word) {
    const auto begin = position_;
    const auto is_letter = [](char c) {
      return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    };
    while (!is_over() && is_letter(file_[position_])) ++position_;
    word = file_.substr(begin, position_ - begin);
    return !word.empty() && skip(end);
  }
  Cut read_value(std::string& value) {
    while (!is_over()) {
      const char symbol = file_[position_++];
      if (symbol == '"') return Cut::whole;
      if (symbol != '\\') {
        value += symbol;
        continue;
      }
      if (is_over()) break;
      if (!is_escaped(file_[position_])) return end("one of \"=.\\ behind '\\'");
      value += file_[position_++];
    }
    return end("'\"' behind a value");
  }

  std::string_view file_;
  std::size_t position_ = 0;
  const char* fault_ = "";
};

template <class Record>
struct ClassicReader {
  const ClassicRecordText& text;
  Record& record;
  std::string& fault;

  template <class Value>
  void operator()(const Key<Record, Value>& key) const {
    const auto* value = text.find(key.name);
    if (value == nullptr || !fault.empty() || read_classic_text(*value, record.*key.member)) return;
    fault = fmt::format("the value of {} cannot be read", key.name);
  }
  template <class Other>
  void operator()(const Other&) const {}
};

/// The key with the id of a record comes first, or behind the type of an attempt.
std::string_view id_key(std::string_view word) {
  return word == "Job" ? "JOBID" : word == "Task" ? "TASKID" : "TASK_ATTEMPT_ID";
}

/// True if the text is this record; then it is added, or `fault` has the reason why it cannot be read.
template <class Record>
bool try_classic(const ClassicRecordText& text, std::string_view word, std::vector<history::Event>& events,
                 std::string& fault) {
  using Line = ClassicLine<Record>;
  if (word != Line::word || text.find(Line::marker) == nullptr) return false;
  Record record;
  if (text.find(id_key(word)) == nullptr) fault = fmt::format("the key {} is missing", id_key(word));
  for_each_key<Record>(ClassicReader<Record>{text, record, fault});
  if constexpr (std::is_same_v<Record, history::MapAttemptFinished>)
    if (fault.empty() && is_setup_or_cleanup(record.type)) return false;
  if (fault.empty()) events.emplace_back(std::move(record));
  return true;
}

/// Returns why the record is no event; empty if it is one.
std::string take_classic(const ClassicRecordText& text, std::vector<history::Event>& events) {
  auto word = text.word;
  for (const auto prefix : {map_prefix, reduce_prefix})
    if (word.starts_with(prefix) && word.substr(prefix.size()) == attempt_word) word = attempt_word;
  std::string fault;
  const auto try_all = [&]<class... Record>(const std::tuple<Record...>*) {
    return (try_classic<Record>(text, word, events, fault) || ...);
  };
  if (!try_all(static_cast<const ClassicRecords*>(nullptr)))
    return fmt::format("'{}' with these keys is not known", text.word);
  return fault;
}

}  // namespace

void append_classic(std::string& out, const history::Event& event) {
  std::visit([&](const auto& record) { append_record(out, record); }, event);
}

ports::JobHistoryContent read_classic(std::string_view file) {
  ports::JobHistoryContent content;
  content.format = ports::JobHistoryFormat::classic;
  ClassicCutter cutter{file};
  std::size_t line = 1;
  for (ClassicRecordText record; !cutter.is_over();) {
    const auto begin = cutter.position();
    const auto cut = cutter.next(record);
    if (cut == Cut::torn) return content;
    std::string why;
    if (cut == Cut::fault) why = fmt::format("expected {}", cutter.fault());
    else if (line == 1) why = record.word == "Meta" ? "" : "expected Meta";
    else why = take_classic(record, content.events);
    if (!why.empty()) {
      content.fault = fmt::format("line {}: {}", line, why);
      return content;
    }
    content.whole_bytes = cutter.position();
    line += static_cast<std::size_t>(std::count(file.begin() + static_cast<std::ptrdiff_t>(begin),
                                                file.begin() + static_cast<std::ptrdiff_t>(content.whole_bytes), '\n'));
  }
  return content;
}

}  // namespace heddle::work
