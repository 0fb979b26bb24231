#include "work/history/jhist_schema.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "work/history/jhist_fields.hpp"

namespace heddle::work {
namespace {

/// Writes a schema. A record is defined where it is used first, and named from then on.
class SchemaText {
public:
  [[nodiscard]] std::string event() {
    text_ =
        fmt::format(R"({{"type":"record","name":"Event","namespace":"{}","fields":[{{"name":"type",)", jhist_namespace);
    text_ += R"("type":{"type":"enum","name":"EventType","symbols":[)";
    for (std::size_t i = 0; i < jhist_event_types.size(); ++i)
      text_.append(i == 0 ? "\"" : ",\"").append(jhist_event_types[i]).append("\"");
    text_ += R"(]}},{"name":"event","type":[)";
    add_branches(std::make_index_sequence<std::variant_size_v<history::Event>>{});
    text_ += "]}]}";
    return std::move(text_);
  }

private:
  template <std::size_t... I>
  void add_branches(std::index_sequence<I...>) {
    ((text_ += I == 0 ? "" : ",", add_record<std::variant_alternative_t<I, history::Event>>()), ...);
  }

  template <class Record>
  void add_record() {
    const auto name = JhistRecord<Record>::name;
    if (!defined_.insert(name).second) {
      text_ += fmt::format("\"{}\"", name);
      return;
    }
    text_ += fmt::format(R"({{"type":"record","name":"{}","fields":[)", name);
    const char* separator = "";
    for_each_field<Record>([&](const auto& field) {
      text_ += fmt::format(R"({}{{"name":"{}","type":)", std::exchange(separator, ","), field.name);
      add_field(field);
      text_ += '}';
    });
    text_ += "]}";
  }

  template <class Record, class Value>
  void add_field(const Field<Record, Value>& field) {
    add_type(static_cast<const Value*>(nullptr));
    if (field.missing) text_ += fmt::format(R"(,"default":{})", *field.missing);
  }
  template <class Record, class Value>
  void add_field(const Nullable<Record, Value>&) {
    add_type(static_cast<const std::optional<Value>*>(nullptr));
  }
  template <class Record>
  void add_field(const TaskOf<Record>&) {
    text_ += R"("string")";
  }
  void add_field(const FixedText&) { text_ += R"("string")"; }
  void add_field(const FixedFalse&) { text_ += R"("boolean")"; }
  void add_field(const NullText&) { add_type(static_cast<const std::optional<std::string>*>(nullptr)); }
  void add_field(const NoNumbers&) { text_ += R"({"type":"array","items":"int"})"; }
  void add_field(const NoTexts&) { text_ += R"({"type":"map","values":"string"})"; }

  void add_type(const std::int64_t*) { text_ += R"("long")"; }
  void add_type(const std::int32_t*) { text_ += R"("int")"; }
  template <class Value>
  void add_type(const std::optional<Value>*) {
    text_ += R"(["null",)";
    add_type(static_cast<const Value*>(nullptr));
    text_ += R"(],"default":null)";
  }
  template <class Value>
  void add_type(const std::vector<Value>*) {
    text_ += R"({"type":"array","items":)";
    add_type(static_cast<const Value*>(nullptr));
    text_ += '}';
  }
  template <class Value>
  void add_type(const Value*) {
    if constexpr (IsJhistRecord<Value>) add_record<Value>();
    else text_ += R"("string")";
  }

  std::string text_;
  std::set<std::string_view> defined_;
};

}  // namespace

std::string jhist_schema() { return SchemaText{}.event(); }

}  // namespace heddle::work
