// Goal: a .jhist file reads back as the events that were written, up to the first byte that is missing or wrong.
// Method: all kinds of events in both encodings, cut at every byte; single lines and bytes written by hand.
#include "work/history/jhist_reader.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

#include "tests/support/history_events.hpp"
#include "work/history/jhist_schema.hpp"
#include "work/history/jhist_writer.hpp"

namespace heddle::work {
namespace jhist_test {
namespace {

constexpr JhistEncoding encodings[] = {JhistEncoding::json, JhistEncoding::binary};
const std::string update = R"({"type":"TASK_UPDATED","event":{"org.apache.hadoop.mapreduce.jobhistory.TaskUpdated":)"
                           R"({"taskid":"task_5_0001_m_000002","finishTime":9}}})";

/// A file with the events, and the length after each of them.
struct Written {
  std::string text;
  std::vector<std::size_t> ends;
};

Written write_all(JhistEncoding encoding) {
  Written written{jhist_header(encoding), {}};
  for (const auto& event : history::sample_events()) {
    append_jhist(written.text, encoding, event);
    written.ends.push_back(written.text.size());
  }
  return written;
}

std::string json_file(const std::string& lines) { return jhist_header(JhistEncoding::json) + lines; }

void check_fault(const std::string& file, std::size_t events, std::string_view fault) {
  const auto content = read_jhist(file);
  BOOST_TEST(content.fault == fault);
  BOOST_TEST(content.events.size() == events);
}

BOOST_AUTO_TEST_CASE(the_sample_has_all_kinds_of_events) {
  std::set<std::size_t> kinds;
  for (const auto& event : history::sample_events()) kinds.insert(event.index());
  BOOST_TEST(kinds.size() == std::variant_size_v<history::Event>);
}

BOOST_AUTO_TEST_CASE(all_events_read_back_as_they_were_written) {
  for (const auto encoding : encodings) {
    const auto written = write_all(encoding);
    const auto content = read_jhist(written.text);
    BOOST_TEST(content.fault == "");
    BOOST_TEST(content.whole_bytes == written.text.size());
    BOOST_TEST((content.events == history::sample_events()));
    BOOST_TEST((content.format == (encoding == JhistEncoding::json ? ports::JobHistoryFormat::avro_json
                                                                   : ports::JobHistoryFormat::avro_binary)));
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_is_cut_at_any_byte_has_the_events_before_it_and_no_fault) {
  const auto events = history::sample_events();
  for (const auto encoding : encodings) {
    const auto written = write_all(encoding);
    const auto head = jhist_header(encoding).size();
    for (std::size_t size = 0; size < written.text.size(); ++size) {
      const auto content = read_jhist(std::string_view{written.text}.substr(0, size));
      std::size_t whole = 0;
      while (whole < written.ends.size() && written.ends[whole] <= size) ++whole;
      BOOST_REQUIRE_MESSAGE(content.fault.empty(), size << ": " << content.fault);
      BOOST_REQUIRE(content.events ==
                    std::vector<history::Event>(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(whole)));
      BOOST_REQUIRE(content.whole_bytes == (size < head ? 0 : whole == 0 ? head : written.ends[whole - 1]));
    }
  }
}

BOOST_AUTO_TEST_CASE(an_event_in_avro_json_names_the_type_of_each_union) {
  std::string text;
  append_jhist(
      text, JhistEncoding::json,
      history::TaskFailed{{{5, 1}, false, 2}, AttemptType::map, 9, "no \"disk\"", {}, history::BadEnd::failed, {}});
  BOOST_TEST(text == R"({"type":"TASK_FAILED","event":{"org.apache.hadoop.mapreduce.jobhistory.TaskFailed":{)"
                     R"("taskid":"task_5_0001_m_000002","taskType":"MAP","finishTime":9,"error":"no \"disk\"",)"
                     R"("failedDueToAttempt":null,"status":"FAILED","counters":{)"
                     R"("org.apache.hadoop.mapreduce.jobhistory.JhCounters":{"name":"COUNTERS","groups":[]}}}}})"
                     "\n");
}

BOOST_AUTO_TEST_CASE(an_event_in_avro_binary_has_its_type_its_branch_and_its_fields) {
  std::string text;
  append_jhist(text, JhistEncoding::binary, history::TaskUpdated{{{5, 1}, false, 2}, 300});
  // The numbers 13, 17, 20 and 300 as zigzag varints.
  BOOST_TEST(text == std::string("\x1a\x22\x28task_5_0001_m_000002\xd8\x04"));
}

BOOST_AUTO_TEST_CASE(a_bad_line_ends_reading_with_its_number_and_the_reason) {
  check_fault(json_file(update + "\n{\"type\":\n" + update + "\n"), 1, "line 4: incomplete JSON");
  check_fault(json_file("[]\n"), 0, "line 3: it is no event");
  check_fault(json_file(R"({"type":"TASK_UPDATED","event":{"x.Unheard":{}}})"
                        "\n"),
              0, "line 3: the event 'Unheard' is not known");
  check_fault(json_file(R"({"type":"TASK_UPDATED","event":{"TaskUpdated":{"finishTime":1}}})"
                        "\n"),
              0, "line 3: the field 'taskid' of TaskUpdated cannot be read");
  check_fault(json_file(R"({"event":{"JobInited":{"jobid":"job_5_0001","totalMaps":2147483648}}})"
                        "\n"),
              0, "line 3: the field 'totalMaps' of JobInited cannot be read");
}

BOOST_AUTO_TEST_CASE(a_file_of_another_kind_is_refused_at_its_first_line) {
  check_fault("Avro-Xml\n{}\n", 0, "line 1: expected 'Avro-Json' or 'Avro-Binary'");
  check_fault("Avro-Binary\n{}\nx", 0, "line 2: the schema cannot be used: the type '' is not known");
}

BOOST_AUTO_TEST_CASE(empty_lines_and_unknown_fields_are_skipped) {
  const auto content =
      read_jhist(json_file("\n" + update + "\n\n" +
                           R"({"more":1,"event":{"TaskUpdated":{"new":[1],"taskid":"task_5_0001_r_000002"}}})" + "\n"));
  BOOST_TEST(content.fault == "");
  BOOST_REQUIRE(content.events.size() == 2U);
  BOOST_TEST((content.events.back() == history::Event{history::TaskUpdated{{{5, 1}, true, 2}, 0}}));
}

BOOST_AUTO_TEST_CASE(null_of_an_older_file_leaves_the_default) {
  const auto content = read_jhist(json_file(
      R"({"event":{"JobUnsuccessfulCompletion":{"jobid":"job_5_0001","jobStatus":"KILLED","diagnostics":null}}})"
      "\n"));
  BOOST_TEST(content.fault == "");
  history::JobUnsuccessful expected;
  expected.job = {5, 1};
  expected.end = history::BadEnd::killed;
  BOOST_REQUIRE(content.events.size() == 1U);
  BOOST_TEST((content.events.front() == history::Event{expected}));
}

BOOST_AUTO_TEST_CASE(an_attempt_without_success_may_have_counters_or_null) {
  const std::string counters = R"({"org.apache.hadoop.mapreduce.jobhistory.JhCounters":{"name":"COUNTERS","groups":[)"
                               R"({"name":"Mine","displayName":"Mine","counts":[)"
                               R"({"name":"n","displayName":"n","value":5}]}]}})";
  const history::Counters mine{"COUNTERS", {{"Mine", "Mine", {{"n", "n", 5}}}}};
  for (const bool has_counters : {true, false}) {
    const auto content =
        read_jhist(json_file(R"({"event":{"TaskAttemptUnsuccessfulCompletion":{)"
                             R"("attemptId":"attempt_5_0001_m_000002_0","status":"KILLED","counters":)" +
                             (has_counters ? counters : std::string{"null"}) + "}}}\n"));
    BOOST_TEST(content.fault == "");
    BOOST_REQUIRE(content.events.size() == 1U);
    const auto* event = std::get_if<history::AttemptUnsuccessful>(&content.events.front());
    BOOST_REQUIRE(event != nullptr);
    BOOST_TEST((event->counters == (has_counters ? mine : history::Counters{})));
  }
}

BOOST_AUTO_TEST_CASE(a_binary_file_is_read_by_its_own_schema) {
  // Another version: an own order of records and fields, a new field, and a long name in the record.
  const std::string schema =
      R"({"type":"record","name":"Event","namespace":"n","fields":[{"name":"event","type":[)"
      R"({"type":"record","name":"Other","fields":[{"name":"a","type":"int"}]},)"
      R"({"type":"record","name":"TaskUpdated","fields":[{"name":"finishTime","type":"long"},)"
      R"({"name":"new","type":{"type":"map","values":["null","boolean"]}},{"name":"taskid","type":"string"}]}]}]})";
  const std::string event("\x02\x12\x02\x02k\x02\x01\x00\x28task_5_0001_m_000002", 29);
  const auto content = read_jhist("Avro-Binary\n" + schema + "\n" + event);
  BOOST_TEST(content.fault == "");
  BOOST_REQUIRE(content.events.size() == 1U);
  BOOST_TEST((content.events.front() == history::Event{history::TaskUpdated{{{5, 1}, false, 2}, 9}}));
}

BOOST_AUTO_TEST_CASE(a_wrong_byte_in_a_binary_file_ends_reading_with_the_number_of_the_event) {
  auto written = jhist_header(JhistEncoding::binary);
  const history::Event event = history::TaskUpdated{{{5, 1}, false, 2}, 300};
  append_jhist(written, JhistEncoding::binary, event);
  const auto first = written.size();
  append_jhist(written, JhistEncoding::binary, event);
  written[first] = '\x7f';
  check_fault(written, 1,
              "event 2, at byte " + std::to_string(first) +
                  ": 'org.apache.hadoop.mapreduce.jobhistory.EventType' has no symbol -64");
}

}  // namespace
}  // namespace jhist_test
}  // namespace heddle::work
