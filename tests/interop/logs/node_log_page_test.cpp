// Goal: answers of NodeManagers about logs are read. Method: answers of Hadoop 3.4 and 2, whole and in pieces, damaged.
#include "interop/logs/node_log_page.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/decoder_memory.hpp"

namespace heddle::interop {
namespace node_log_page_test {
namespace {

const std::string content = "first\nEnd of LogType:stderr\nlast";

std::string page(const std::string& text, std::size_t length) {
  return "Container: container_1_0001_01_000001 on h1:8041\nLogAggregationType: LOCAL\n====\nLogType:stderr\n"
         "LogLastModifiedTime:Fri Nov 27 14:31:02 +0000 2026\nLogLength:" +
         std::to_string(length) + "\nLogContents:\n" + text +
         "End of LogType:stderr.This log file belongs to a running container\n***\n";
}

/// The content of an answer that arrives in pieces of this size, or the error.
std::string read(const std::string& answer, std::size_t piece) {
  std::string made;
  NodeLogPage reader{[&made](std::string_view bytes) {
    made += bytes;
    return Result<Done>{Done{}};
  }};
  for (std::size_t at = 0; at < answer.size(); at += piece)
    if (auto taken = reader.take(std::string_view{answer}.substr(at, piece)); !taken) return taken.error().text;
  if (auto finished = reader.finish(); !finished) return finished.error().text;
  return made;
}

BOOST_AUTO_TEST_CASE(the_content_is_what_lies_between_the_lines_of_hadoop_3) {
  for (const std::size_t piece : {1U, 7U, 1000U}) {
    BOOST_TEST(read(page(content, content.size()), piece) == content);
    BOOST_TEST(read(page("", 0), piece) == "");
  }
}

BOOST_AUTO_TEST_CASE(the_answer_of_hadoop_2_is_the_content) {
  for (const std::size_t piece : {1U, 7U, 1000U})
    for (const std::string text : {"plain\n", "", "Cont", "Container"}) BOOST_TEST(read(text, piece) == text);
}

BOOST_AUTO_TEST_CASE(missing_content_is_an_error) {
  const auto whole = page(content, content.size());
  const auto cut = whole.substr(0, whole.find(content) + 5);
  BOOST_TEST(read(cut, 7) == "the NodeManager's answer ends 27 bytes too early");
  BOOST_TEST(read("Container: x\n" + std::string(20000, 'x'), 1000) ==
             "the NodeManager's answer has no content of a log file");
  BOOST_TEST(read("Container: x\nLogLength:many\nLogContents:\nabc", 1000) ==
             "the NodeManager's answer has a log file without length");
  BOOST_TEST(read("Container: x\nLogContents:\nabc", 1000) == "the NodeManager's answer has no content of a log file");
}

BOOST_AUTO_TEST_CASE(a_list_has_names_and_sizes) {
  const auto listed = parse_log_list(
      R"({"containerLogsInfo":{"containerLogInfo":[{"fileName":"stdout","fileSize":"12","lastModifiedTime":"x"},)"
      R"({"fileName":"stderr","fileSize":0}],"logAggregationType":"LOCAL","containerId":"container_1",)"
      R"("nodeId":"h1:1"}})");
  BOOST_REQUIRE(listed.has_value());
  BOOST_REQUIRE(listed->size() == 2U);
  BOOST_TEST((*listed)[0].name == "stderr");
  BOOST_TEST((*listed)[1].bytes == 12);
  BOOST_TEST((*listed)[1].container == "container_1");
}

BOOST_AUTO_TEST_CASE(a_list_of_two_sources_names_each_file_once) {
  const auto listed = parse_log_list(
      R"({"containerLogsInfo":[{"containerLogInfo":{"fileName":"stdout","fileSize":"12"},"containerId":"c"},)"
      R"({"containerLogInfo":[{"fileName":"stdout","fileSize":"9"}],"containerId":"c"},{"containerId":"c"}]})");
  BOOST_REQUIRE(listed.has_value());
  BOOST_REQUIRE(listed->size() == 1U);
  BOOST_TEST(listed->front().bytes == 12);
}

BOOST_AUTO_TEST_CASE(another_document_is_no_list) {
  for (const auto* text :
       {"", "{}", "[]", "null", "<html>", R"({"containerLogsInfo":1})",
        R"({"containerLogsInfo":{"containerLogInfo":[]}})",
        R"({"containerLogsInfo":{"containerId":"c","containerLogInfo":[{"fileName":"a"}]}})",
        R"({"containerLogsInfo":{"containerId":"c","containerLogInfo":[{"fileName":"a","fileSize":"-1"}]}})",
        R"({"containerLogsInfo":{"containerId":"c","containerLogInfo":[{"fileName":"a","fileSize":"1x"}]}})"})
    BOOST_TEST((parse_log_list(text).error().code == Errc::corrupt), text);
}

BOOST_AUTO_TEST_CASE(hostile_answers_need_little_memory) {
  const std::string files = R"({"containerLogsInfo":{"containerId":"c","containerLogInfo":[)";
  const std::string inputs[] = {
      tests::repeated("["),
      tests::repeated("{\"a\":"),
      "[" + tests::repeated("0,"),
      "[" + tests::repeated("{},"),
      "{" + tests::repeated("\"\":0,"),
      files + tests::repeated(R"({"fileName":"a","fileSize":"1"},)"),
      files + tests::repeated(R"({"fileName":"a","fileSize":"1"},)") + R"({"fileName":"a","fileSize":"1"}]}})",
      tests::repeated("LogType:stderr\n"),
      "LogType:a\nLogLength:99999999999\nLogContents:\n" + tests::repeated("x"),
      tests::repeated("\n")};
  for (const auto& answer : inputs) {
    const auto name = answer.substr(0, 40);
    tests::check_decoder_memory("a list that begins with " + name, [&] { (void)parse_log_list(answer).has_value(); });
    tests::check_decoder_memory("a page that begins with " + name, [&] {
      NodeLogPage page{[](std::string_view) { return Result<Done>{Done{}}; }};
      constexpr std::size_t piece = 64 << 10;
      for (std::size_t at = 0; at < answer.size(); at += piece)
        if (!page.take(std::string_view{answer}.substr(at, piece))) return;
      (void)page.finish().has_value();
    });
  }
}

}  // namespace
}  // namespace node_log_page_test
}  // namespace heddle::interop
