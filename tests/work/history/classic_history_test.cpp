// Goal: lines of Hadoop 1.2 read back as the events that were written, up to the first byte that is missing or wrong.
// Method: all kinds of events that the format has, cut at every byte; single lines written by hand.
#include "work/history/classic_history.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/history_events.hpp"
#include "work/history/classic_counters.hpp"

namespace heddle::work {
namespace classic_history_test {
namespace {

const std::string update = "Task TASKID=\"task_5_0001_m_000002\" FINISH_TIME=\"9\" .\n";

std::string file_of(const std::string& lines) { return std::string{classic_header} + lines; }

std::string line_of(const history::Event& event) {
  std::string line;
  append_classic(line, event);
  return line;
}

void check_fault(const std::string& file, std::size_t events, std::string_view fault) {
  const auto content = read_classic(file);
  BOOST_TEST(content.fault == fault);
  BOOST_TEST(content.events.size() == events);
}

BOOST_AUTO_TEST_CASE(lines_read_back_as_events_with_the_same_lines) {
  const auto events = history::sample_events();
  std::size_t lines = 0;
  for (const auto& event : events) {
    const auto line = line_of(event);
    const auto content = read_classic(file_of(line));
    BOOST_REQUIRE_MESSAGE(content.fault.empty(), content.fault << " in " << line);
    BOOST_TEST(content.events.size() == (line.empty() ? 0U : 1U));
    if (line.empty()) continue;
    ++lines;
    BOOST_TEST(content.events.front().index() == event.index());
    BOOST_TEST(line_of(content.events.front()) == line);
  }
  BOOST_TEST(lines == events.size() - 2);  // without MasterStarted and JobQueueChanged
}

BOOST_AUTO_TEST_CASE(events_whose_fields_the_format_has_read_back_equal) {
  history::TaskFailed failed{history::sample_map,         AttemptType::job_cleanup, 5, history::awkward_text,
                             history::sample_map_attempt, history::BadEnd::killed,  {}};
  const history::Event events[] = {
      failed, history::JobUnsuccessful{{5, 1}, 9, 2, 1, history::BadEnd::failed, history::awkward_text},
      history::TaskFinished{history::sample_reduce, AttemptType::reduce, 5, history::sample_counters(), {}},
      history::OtherAttemptFinished{history::sample_map_attempt, AttemptType::job_setup, 5, "", "h", "s", {}}};
  for (const auto& event : events) {
    const auto content = read_classic(file_of(line_of(event)));
    BOOST_REQUIRE(content.events.size() == 1U);
    BOOST_TEST((content.events.front() == event));
  }
}

BOOST_AUTO_TEST_CASE(a_classic_file_that_is_cut_at_any_byte_has_the_events_before_it_and_no_fault) {
  std::string text{classic_header};
  std::vector<std::size_t> ends;
  for (const auto& event : history::sample_events())
    if (const auto line = line_of(event); !line.empty()) ends.push_back((text += line).size());
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto content = read_classic(std::string_view{text}.substr(0, size));
    std::size_t whole = 0;
    while (whole < ends.size() && ends[whole] <= size) ++whole;
    BOOST_REQUIRE_MESSAGE(content.fault.empty(), size << ": " << content.fault);
    BOOST_REQUIRE(content.events.size() == whole);
    BOOST_REQUIRE(content.whole_bytes == (size < classic_header.size() ? 0
                                          : whole == 0                 ? classic_header.size()
                                                                       : ends[whole - 1]));
  }
}

BOOST_AUTO_TEST_CASE(a_line_has_the_keys_of_hadoop_in_its_order_with_escaped_values) {
  BOOST_TEST(
      line_of(history::AttemptStarted{
          {{{5, 1}, true, 2}, 3}, AttemptType::reduce, 9, "tracker_h:h.net/1", -1, -1, {}, "OFF_SWITCH", "VIRGIN"}) ==
      "ReduceAttempt TASK_TYPE=\"REDUCE\" TASKID=\"task_5_0001_r_000002\" "
      "TASK_ATTEMPT_ID=\"attempt_5_0001_r_000002_3\" START_TIME=\"9\" TRACKER_NAME=\"tracker_h:h\\.net/1\" "
      "HTTP_PORT=\"\" LOCALITY=\"OFF_SWITCH\" AVATAAR=\"VIRGIN\" .\n");
  BOOST_TEST(line_of(history::JobInited{{5, 1}, 9, 4, 1}) ==
             "Job JOBID=\"job_5_0001\" LAUNCH_TIME=\"9\" TOTAL_MAPS=\"4\" TOTAL_REDUCES=\"1\" JOB_STATUS=\"PREP\" .\n");
}

BOOST_AUTO_TEST_CASE(counters_escape_their_brackets) {
  history::Counters counters;
  counters.groups = {{"g(1)", "G\\", {{"c[", "C}", -5}}}, {"h", "H", {}}};
  const auto text = classic_counters_text(counters);
  BOOST_TEST(text == R"({(g\(1\))(G\\)[(c\[)(C\})(-5)]}{(h)(H)})");
  history::Counters again;
  BOOST_TEST(read_classic_counters(text, again));
  BOOST_TEST((again == counters));
  for (const auto* broken : {"{", "{(a)}", "{(a)(b)", "{(a)(b)[(c)(d)(e)]}", "{(a)(b)[(c)(d)(1)}", "x", "{(a(b)(c)}"})
    BOOST_TEST(!read_classic_counters(broken, again), broken);
}

BOOST_AUTO_TEST_CASE(a_bad_record_ends_reading_with_the_number_of_its_first_line) {
  check_fault(file_of(update + "Task  .\n" + update), 1, "line 3: expected a key and '='");
  check_fault(file_of("Job JOBNAME=\"two\nlines\" .\n"), 0, "line 2: the key JOBID is missing");
  check_fault(file_of("Task TASKID=\"a\nb\" SPLITS=\"\" START_TIME=\"1\" .\n" + update), 0,
              "line 2: the value of TASKID cannot be read");
  check_fault(file_of("Task TASKID=\"task_5_0001_m_000002\" ERROR=\"a\nb\" .\n" + update), 0,
              "line 2: 'Task' with these keys is not known");
  check_fault(file_of("Job JOBID=\"job_5_0001\" JOB_STATUS=\"a\nb\" .\nTask TASKID=\"\\a\" .\n"), 1,
              "line 4: expected one of \"=.\\ behind '\\'");
  check_fault(file_of("Jobs A=\"b\" .\n"), 0, "line 2: 'Jobs' with these keys is not known");
  check_fault(file_of("Task A=\"b\" . \n"), 0, "line 2: expected the end of the line behind '.'");
  check_fault(update, 0, "line 1: expected Meta");
}

BOOST_AUTO_TEST_CASE(unknown_keys_are_skipped) {
  const auto content =
      read_classic(file_of("Job JOBID=\"job_5_0001\" NEW=\"x\" JOB_PRIORITY=\"LOW\" WORKFLOW_ID=\"\" .\n" + update));
  BOOST_TEST(content.fault == "");
  BOOST_REQUIRE(content.events.size() == 2U);
  BOOST_TEST((content.events.front() == history::Event{history::JobPriorityChanged{{5, 1}, "LOW"}}));
}

}  // namespace
}  // namespace classic_history_test
}  // namespace heddle::work
