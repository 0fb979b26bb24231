#include "work/history/jhist_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "work/history/avro_schema.hpp"
#include "work/history/history_names.hpp"
#include "work/history/jhist_fields.hpp"
#include "work/history/jhist_writer.hpp"

namespace heddle::work {
namespace {

namespace json = boost::json;

constexpr std::size_t line_bytes_usual = 1 << 16;  // memory for one event before the heap is used

// -- from JSON to events ---------------------------------------------------------------------------------

bool take_text(const json::value& value, std::string_view& text) {
  if (!value.is_string()) return false;
  text = {value.get_string().data(), value.get_string().size()};
  return true;
}

/// The value of a union that is not null: an object with the name of its type.
const json::value* branch_of(const json::value& value) {
  const auto* object = value.if_object();
  return object != nullptr && object->size() == 1 ? &object->begin()->value() : nullptr;
}

/// Reads records. `fault()` names the field that could not be read.
class JhistRecordReader {
public:
  template <class Record>
  bool take_record(const json::value& value, Record& record) {
    const auto* object = value.if_object();
    if (object == nullptr) return false;
    bool is_read = true;
    for_each_field<Record>([&](const auto& field) {
      if (!is_read || take_field(*object, record, field)) return;
      is_read = false;
      if (fault_.empty()) fault_ = field.name;
    });
    return is_read;
  }
  [[nodiscard]] std::string_view fault() const { return fault_; }

private:
  template <class Value>
  static constexpr bool is_id = std::is_same_v<Value, ApplicationId> || std::is_same_v<Value, AttemptId> ||
                                std::is_same_v<Value, history::TaskName> || std::is_same_v<Value, history::AttemptName>;

  template <class Record, class Value>
  bool take_field(const json::object& object, Record& record, const Field<Record, Value>& field) {
    const auto* value = object.if_contains(field.name);
    return value == nullptr ? !is_id<Value> : take(*value, record.*field.member);
  }
  template <class Record, class Value>
  bool take_field(const json::object& object, Record& record, const Nullable<Record, Value>& field) {
    const auto* value = object.if_contains(field.name);
    if (value == nullptr || value->is_null()) return true;
    const auto* branch = branch_of(*value);
    return branch != nullptr && take(*branch, record.*field.member);
  }
  template <class Record, class Other>
  bool take_field(const json::object&, Record&, const Other&) {
    return true;
  }

  template <class Value>
  bool take(const json::value& value, Value& into) {
    if constexpr (IsJhistRecord<Value>) {
      return take_record(value, into);
    } else if constexpr (std::is_integral_v<Value>) {
      const auto* number = value.if_int64();
      if (number == nullptr || *number < std::numeric_limits<Value>::min() ||
          *number > std::numeric_limits<Value>::max())
        return false;
      into = static_cast<Value>(*number);
      return true;
    } else {
      std::string_view text;
      if (!take_text(value, text)) return false;
      if constexpr (std::is_same_v<Value, std::string>) into = text;
      else return read_name(text, into);
      return true;
    }
  }
  template <class Value>
  bool take(const json::value& value, std::optional<Value>& into) {
    if (value.is_null()) return true;
    const auto* branch = branch_of(value);
    return branch != nullptr && take(*branch, into.emplace());
  }
  template <class Value>
  bool take(const json::value& value, std::vector<Value>& into) {
    const auto* items = value.if_array();
    if (items == nullptr) return false;
    into.reserve(items->size());
    for (const auto& item : *items)
      if (!take(item, into.emplace_back())) return false;
    return true;
  }

  std::string_view fault_;
};

/// Reads the record whose name is `name`. Returns why it cannot; empty if it can.
template <class Record>
bool try_record(std::string_view name, const json::value& value, std::vector<history::Event>& events,
                std::string& fault) {
  if (name != JhistRecord<Record>::name) return false;
  JhistRecordReader reader;
  auto& record = std::get<Record>(events.emplace_back(std::in_place_type<Record>));
  if (reader.take_record(value, record)) return true;
  fault = fmt::format("the field '{}' of {} cannot be read", reader.fault(), name);
  events.pop_back();
  return true;
}

template <std::size_t... I>
bool take_record_named(std::string_view name, const json::value& value, std::vector<history::Event>& events,
                       std::string& fault, std::index_sequence<I...>) {
  return (try_record<std::variant_alternative_t<I, history::Event>>(name, value, events, fault) || ...);
}

/// Adds the event. Returns why it cannot; empty if it can.
std::string take_event(const json::value& value, std::vector<history::Event>& events) {
  const auto* object = value.if_object();
  const auto* of_union = object == nullptr ? nullptr : object->if_contains("event");
  const auto* branch = of_union == nullptr ? nullptr : branch_of(*of_union);
  if (branch == nullptr) return "it is no event";
  const auto key = of_union->get_object().begin()->key();
  std::string_view name{key.data(), key.size()};
  name.remove_prefix(std::min(name.rfind('.') + 1, name.size()));
  std::string fault;
  constexpr auto records = std::make_index_sequence<std::variant_size_v<history::Event>>{};
  if (!take_record_named(name, *branch, events, fault, records))
    return fmt::format("the event '{}' is not known", name);
  return fault;
}

// -- files -----------------------------------------------------------------------------------------------

/// Cuts whole lines. A line without an end is torn, and is not returned.
class WholeLines {
public:
  explicit WholeLines(std::string_view file) : file_{file} {}
  [[nodiscard]] bool next(std::string_view& line) {
    const auto end = file_.find('\n', position_);
    if (end == std::string_view::npos) return false;
    line = file_.substr(position_, end - position_);
    position_ = end + 1;
    ++number_;
    return true;
  }
  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] std::size_t number() const { return number_; }

private:
  std::string_view file_;
  std::size_t position_ = 0;
  std::size_t number_ = 0;
};

/// Hadoop writes an empty line behind some events.
void read_json_events(WholeLines lines, ports::JobHistoryContent& content) {
  std::vector<unsigned char> room(line_bytes_usual);
  for (std::string_view line; lines.next(line); content.whole_bytes = lines.position()) {
    if (line.empty()) continue;
    json::monotonic_resource memory{room.data(), room.size()};
    boost::system::error_code failed;
    const auto value = json::parse({line.data(), line.size()}, failed, &memory);
    const auto why = failed ? failed.message() : take_event(value, content.events);
    if (!why.empty()) {
      content.fault = fmt::format("line {}: {}", lines.number(), why);
      return;
    }
  }
}

void read_binary_events(std::string_view schema_line, std::string_view bytes, ports::JobHistoryContent& content) {
  const auto schema = parse_avro_schema(schema_line);
  if (!schema) {
    content.fault = "line 2: " + schema.error().text;
    return;
  }
  const auto begin = content.whole_bytes;
  std::vector<unsigned char> room(line_bytes_usual);
  AvroDecoder decoder{*schema, bytes};
  while (true) {
    json::monotonic_resource memory{room.data(), room.size()};
    json::value value(json::storage_ptr{&memory});
    const auto outcome = decoder.next(value);
    if (outcome == AvroDecoder::Outcome::end || outcome == AvroDecoder::Outcome::torn) return;
    const auto why = outcome == AvroDecoder::Outcome::fault ? decoder.fault() : take_event(value, content.events);
    if (!why.empty()) {
      content.fault = fmt::format("event {}, at byte {}: {}", content.events.size() + 1, content.whole_bytes, why);
      return;
    }
    content.whole_bytes = begin + decoder.position();
  }
}

}  // namespace

ports::JobHistoryContent read_jhist(std::string_view file) {
  ports::JobHistoryContent content;
  WholeLines lines{file};
  std::string_view version;
  std::string_view schema;
  if (!lines.next(version)) return content;
  if (version != jhist_json_version && version != jhist_binary_version) {
    content.fault = fmt::format("line 1: expected '{}' or '{}'", jhist_json_version, jhist_binary_version);
    return content;
  }
  if (!lines.next(schema)) return content;
  content.whole_bytes = lines.position();
  content.format =
      version == jhist_json_version ? ports::JobHistoryFormat::avro_json : ports::JobHistoryFormat::avro_binary;
  if (content.format == ports::JobHistoryFormat::avro_json) read_json_events(lines, content);
  else read_binary_events(schema, file.substr(lines.position()), content);
  return content;
}

}  // namespace heddle::work
