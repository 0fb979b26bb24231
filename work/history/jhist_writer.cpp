#include "work/history/jhist_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "ports/event_fields.hpp"
#include "work/history/history_names.hpp"
#include "work/history/jhist_fields.hpp"
#include "work/history/jhist_schema.hpp"

namespace heddle::work {
namespace {

// -- types of events -------------------------------------------------------------------------------------

std::string attempt_type(const history::AttemptName& attempt, std::string_view what) {
  return fmt::format("{}_ATTEMPT_{}", attempt.task.is_reduce ? "REDUCE" : "MAP", what);
}

std::string type_of(const history::MasterStarted&) { return "AM_STARTED"; }
std::string type_of(const history::JobSubmitted&) { return "JOB_SUBMITTED"; }
std::string type_of(const history::JobQueueChanged&) { return "JOB_QUEUE_CHANGED"; }
std::string type_of(const history::JobPriorityChanged&) { return "JOB_PRIORITY_CHANGED"; }
std::string type_of(const history::JobInited&) { return "JOB_INITED"; }
std::string type_of(const history::JobTimesChanged&) { return "JOB_INFO_CHANGED"; }
std::string type_of(const history::JobStatusChanged&) { return "JOB_STATUS_CHANGED"; }
std::string type_of(const history::JobSucceeded&) { return "JOB_FINISHED"; }
std::string type_of(const history::JobUnsuccessful& event) { return "JOB_" + name_of(event.end); }
std::string type_of(const history::TaskStarted&) { return "TASK_STARTED"; }
std::string type_of(const history::TaskFinished&) { return "TASK_FINISHED"; }
std::string type_of(const history::TaskFailed&) { return "TASK_FAILED"; }
std::string type_of(const history::TaskUpdated&) { return "TASK_UPDATED"; }
std::string type_of(const history::AttemptStarted& event) { return attempt_type(event.attempt, "STARTED"); }
std::string type_of(const history::MapAttemptFinished&) { return "MAP_ATTEMPT_FINISHED"; }
std::string type_of(const history::ReduceAttemptFinished&) { return "REDUCE_ATTEMPT_FINISHED"; }
std::string type_of(const history::OtherAttemptFinished& event) {
  return event.type == AttemptType::job_setup ? "SETUP_ATTEMPT_FINISHED" : "CLEANUP_ATTEMPT_FINISHED";
}
std::string type_of(const history::AttemptUnsuccessful& event) {
  return attempt_type(event.attempt, event.end == history::BadEnd::failed ? "FAILED" : "KILLED");
}

// -- Avro-JSON -------------------------------------------------------------------------------------------

/// A value of a union is null, or an object with the name of its type.
class JsonLine {
public:
  explicit JsonLine(std::string& out) : out_{out} {}

  template <class Record>
  void add_event(std::string_view type, std::size_t, const Record& record) {
    out_.append(R"({"type":")").append(type).append(R"(","event":)");
    add_branch(record);
    out_ += "}\n";
  }

private:
  template <class Record>
  void add_record(const Record& record) {
    char separator = '{';
    for_each_field<Record>([&](const auto& field) {
      out_ += std::exchange(separator, ',');
      out_.append("\"").append(field.name).append("\":");
      add_field(record, field);
    });
    out_ += '}';
  }

  template <class Record, class Value>
  void add_field(const Record& record, const Field<Record, Value>& field) {
    add(record.*field.member);
  }
  template <class Record, class Value>
  void add_field(const Record& record, const Nullable<Record, Value>& field) {
    add_branch(record.*field.member);
  }
  template <class Record>
  void add_field(const Record& record, const TaskOf<Record>& field) {
    add((record.*field.member).task);
  }
  template <class Record>
  void add_field(const Record&, const FixedText& field) {
    ports::append_json_text(out_, field.text);
  }
  template <class Record>
  void add_field(const Record&, const FixedFalse&) {
    out_ += "false";
  }
  template <class Record>
  void add_field(const Record&, const NullText&) {
    out_ += "null";
  }
  template <class Record>
  void add_field(const Record&, const NoNumbers&) {
    out_ += "[]";
  }
  template <class Record>
  void add_field(const Record&, const NoTexts&) {
    out_ += "{}";
  }

  template <class Value>
  void add(const Value& value) {
    if constexpr (IsJhistRecord<Value>) add_record(value);
    else if constexpr (std::is_same_v<Value, std::string>) ports::append_json_text(out_, value);
    else if constexpr (std::is_integral_v<Value>) add_number(value);
    else ports::append_json_text(out_, name_of(value));
  }
  template <class Value>
  void add(const std::optional<Value>& value) {
    if (value) add_branch(*value);
    else out_ += "null";
  }
  template <class Value>
  void add(const std::vector<Value>& values) {
    out_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out_ += ',';
      add(values[i]);
    }
    out_ += ']';
  }
  void add_number(std::int64_t number) {
    const fmt::format_int digits{number};
    out_.append(digits.data(), digits.size());
  }
  template <class Value>
  void add_branch(const Value& value) {
    out_ += "{\"";
    if constexpr (IsJhistRecord<Value>) out_.append(jhist_namespace).append(".").append(JhistRecord<Value>::name);
    else out_ += "string";
    out_ += "\":";
    add(value);
    out_ += '}';
  }

  std::string& out_;
};

// -- Avro-Binary -----------------------------------------------------------------------------------------

/// Numbers are zigzag varints, texts have their length before them, a union its index.
class BinaryBytes {
public:
  explicit BinaryBytes(std::string& out) : out_{out} {}

  template <class Record>
  void add_event(std::string_view type, std::size_t branch, const Record& record) {
    const auto symbol = std::find(jhist_event_types.begin(), jhist_event_types.end(), type);
    add_number(symbol - jhist_event_types.begin());
    add_number(static_cast<std::int64_t>(branch));
    add_record(record);
  }

private:
  static constexpr std::int64_t value_branch = 1;  // of a union of null and a value

  template <class Record>
  void add_record(const Record& record) {
    for_each_field<Record>([&](const auto& field) { add_field(record, field); });
  }

  template <class Record, class Value>
  void add_field(const Record& record, const Field<Record, Value>& field) {
    add(record.*field.member);
  }
  template <class Record, class Value>
  void add_field(const Record& record, const Nullable<Record, Value>& field) {
    add_number(value_branch);
    add(record.*field.member);
  }
  template <class Record>
  void add_field(const Record& record, const TaskOf<Record>& field) {
    add((record.*field.member).task);
  }
  template <class Record>
  void add_field(const Record&, const FixedText& field) {
    add_text(field.text);
  }
  /// False, null, and the end of an array or a map are one zero byte each.
  template <class Record, class Empty>
  void add_field(const Record&, const Empty&) {
    out_ += '\0';
  }

  template <class Value>
  void add(const Value& value) {
    if constexpr (IsJhistRecord<Value>) add_record(value);
    else if constexpr (std::is_same_v<Value, std::string>) add_text(value);
    else if constexpr (std::is_integral_v<Value>) add_number(value);
    else add_text(name_of(value));
  }
  template <class Value>
  void add(const std::optional<Value>& value) {
    add_number(value ? value_branch : 0);
    if (value) add(*value);
  }
  /// One block with all items, then a block without any.
  template <class Value>
  void add(const std::vector<Value>& values) {
    if (!values.empty()) {
      add_number(static_cast<std::int64_t>(values.size()));
      for (const auto& each : values) add(each);
    }
    add_number(0);
  }
  void add_text(std::string_view text) {
    add_number(static_cast<std::int64_t>(text.size()));
    out_ += text;
  }
  void add_number(std::int64_t number) {
    auto rest = (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
    for (; rest >= 0x80; rest >>= 7) out_ += static_cast<char>(rest | 0x80);
    out_ += static_cast<char>(rest);
  }

  std::string& out_;
};

}  // namespace

std::string jhist_header(JhistEncoding encoding) {
  static const std::string schema = jhist_schema();
  return fmt::format("{}\n{}\n", encoding == JhistEncoding::json ? jhist_json_version : jhist_binary_version, schema);
}

void append_jhist(std::string& out, JhistEncoding encoding, const history::Event& event) {
  std::visit(
      [&](const auto& record) {
        const auto type = type_of(record);
        if (encoding == JhistEncoding::json) JsonLine{out}.add_event(type, event.index(), record);
        else BinaryBytes{out}.add_event(type, event.index(), record);
      },
      event);
}

}  // namespace heddle::work
