// Goal: each line of an event log is one JSON object for every text, and a log ends with its summary.
// Method: hostile texts in a real file; a descriptor that cannot be written.
#include "runtime/event_log/event_log_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

namespace heddle::runtime {
namespace event_log_writer_test {
namespace {

namespace json = boost::json;

/// A temporary file in the working folder.
struct ScratchLog {
  std::string path = "event_log_writer_test." + std::to_string(::getpid()) + ".jsonl";
  ~ScratchLog() { ::unlink(path.c_str()); }
  [[nodiscard]] std::vector<json::object> lines() const {
    std::vector<json::object> found;
    std::ifstream file{path};
    for (std::string line; std::getline(file, line);) found.push_back(json::parse(line).as_object());
    return found;
  }
};

Instant at(std::int64_t us) { return Instant{Duration{us}}; }

}  // namespace

BOOST_AUTO_TEST_CASE(texts_with_quotes_and_control_characters_read_back_unchanged) {
  const std::vector<std::string> texts = {R"(a "quoted" path)",
                                          R"(C:\back\slash)",
                                          "two\nlines\r\tand a tab",
                                          std::string{"nul \0 and \x1f", 11},
                                          "näïve ☃ 😀",
                                          "\x7f",
                                          R"({"event":"false"})"};
  const ScratchLog log;
  {
    EventLogWriter writer{*EventLogWriter::open_file(log.path)};
    for (const auto& text : texts) writer.write(at(1), "hosted", ports::EventFields{}.add("host", text));
    writer.write(at(2), "columned", ports::EventFields{}.add_column("hosts", texts));
  }
  const auto lines = log.lines();
  BOOST_REQUIRE_EQUAL(lines.size(), texts.size() + 2);
  for (std::size_t i = 0; i < texts.size(); ++i) BOOST_TEST(std::string{lines[i].at("host").as_string()} == texts[i]);
  const auto& column = lines[texts.size()].at("hosts").as_array();
  for (std::size_t i = 0; i < texts.size(); ++i) BOOST_TEST(std::string{column[i].as_string()} == texts[i]);
}

BOOST_AUTO_TEST_CASE(invalid_utf8_bytes_are_replaced_one_by_one) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"\xff", "\xef\xbf\xbd"},                                  // no lead byte
      {"a\xc3", "a\xef\xbf\xbd"},                                // cut off
      {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},                  // overlong
      {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},  // a surrogate
      {"\xf4\x90\x80\x80z", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz"},
  };
  for (const auto& [bytes, expected] : rows) {
    std::string out;
    ports::append_json_text(out, bytes);
    BOOST_TEST(std::string{json::parse(out).as_string()} == expected);
  }
}

BOOST_AUTO_TEST_CASE(fields_of_every_kind_read_back_unchanged) {
  const auto fields =
      ports::EventFields{}
          .add("number", std::int64_t{-5})
          .add("truth", true)
          .add("ratio", 0.1)
          .add("id", StageId{7})
          .add("wait", std::chrono::seconds{3})
          .add("word", "plain")
          .add("inside", ports::EventFields{}.add("a", 1))
          .add_column("column", std::vector<int>{1, 2, 3})
          .add_column("nothing", std::vector<int>{})
          .add_column("rows", std::vector<int>{4}, [](int value) { return ports::EventFields{}.add("v", value); });
  const auto object = json::parse("{" + fields.text() + "}").as_object();
  BOOST_TEST(json::serialize(object) ==
             R"({"number":-5,"truth":true,"ratio":1E-1,"id":7,"wait":3000000,"word":"plain","inside":{"a":1},)"
             R"("column":[1,2,3],)"
             R"("nothing":[],"rows":[{"v":4}]})");
}

BOOST_AUTO_TEST_CASE(the_last_line_has_the_newest_totals_and_the_number_of_lines) {
  const ScratchLog log;
  {
    EventLogWriter writer{*EventLogWriter::open_file(log.path)};
    writer.write(at(5), "first");
    writer.summarize(ports::EventFields{}.add("tasks", 1));
    writer.write(at(9), "second");
    writer.summarize(ports::EventFields{}.add("tasks", 2));
    writer.close();
    writer.write(at(10), "too_late");
  }
  const auto lines = log.lines();
  BOOST_REQUIRE_EQUAL(lines.size(), 3u);
  BOOST_TEST(json::serialize(lines.back()) == R"({"time_us":9,"event":"log_closed","lines":3,"tasks":2})");
}

BOOST_AUTO_TEST_CASE(a_full_log_keeps_its_beginning_and_counts_dropped_events) {
  const ScratchLog log;
  constexpr std::int64_t limit = 1000;
  {
    EventLogWriter writer{*EventLogWriter::open_file(log.path), std::size_t{64} << 10, limit};
    for (std::int64_t i = 0; i < 100; ++i) writer.write(at(i), "counted", ports::EventFields{}.add("number", i));
    writer.write(at(100), "small");  // not even what would still fit: the end is one piece
    BOOST_TEST(writer.has_room());
  }
  const auto lines = log.lines();
  const auto kept = static_cast<std::int64_t>(lines.size()) - 2;
  BOOST_REQUIRE_GT(kept, 5);
  for (std::int64_t i = 0; i < kept; ++i) BOOST_TEST(lines[static_cast<std::size_t>(i)].at("number").as_int64() == i);
  const auto& cut = lines[static_cast<std::size_t>(kept)];
  BOOST_TEST((cut.at("event") == "events_cut"));
  BOOST_TEST(cut.at("count").as_int64() == 101 - kept);
  BOOST_TEST((lines.back().at("event") == "log_closed"));
  BOOST_TEST(lines.back().at("lines").as_int64() == kept + 2);
  std::int64_t bytes = 0;
  for (std::int64_t i = 0; i < kept; ++i)
    bytes += static_cast<std::int64_t>(json::serialize(lines[static_cast<std::size_t>(i)]).size()) + 1;
  BOOST_TEST(bytes <= limit + 100);
}

BOOST_AUTO_TEST_CASE(a_write_error_ends_the_log_and_is_reported) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  BOOST_REQUIRE(full >= 0);
  EventLogWriter writer{full};
  BOOST_TEST(writer.error().empty());
  writer.write(at(1), "lost");
  writer.close();
  BOOST_TEST(writer.error() == "No space left on device");
  BOOST_TEST(writer.has_room());
}

BOOST_AUTO_TEST_CASE(a_disk_that_hangs_fills_a_bounded_queue_and_drops_are_counted) {
  class Said final : public EventLogWriter {
  public:
    Said(int descriptor, std::vector<std::string>& texts)
        : EventLogWriter{descriptor, std::size_t{64} << 10}, texts_{texts} {}
    ~Said() override { close(); }

  private:
    void warn(const std::string& text) const override { texts_.push_back(text); }
    std::vector<std::string>& texts_;
  };
  constexpr std::int64_t written = 20'000;
  int ends[2];
  BOOST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  std::vector<std::string> texts;
  auto writer = std::make_unique<Said>(ends[1], texts);
  const std::string padding(100, 'x');
  for (std::int64_t i = 0; i < written; ++i)
    writer->write(at(i), "padded", ports::EventFields{}.add("padding", padding));
  BOOST_TEST(writer->waiting_bytes() <= (std::size_t{128} << 10) + 256);
  std::string text;
  std::thread reader{[&] {  // the disk works again
    char bytes[4096];
    for (ssize_t count = 0; (count = ::read(ends[0], bytes, sizeof bytes)) > 0;)
      text.append(bytes, static_cast<std::size_t>(count));
  }};
  writer.reset();
  reader.join();
  ::close(ends[0]);
  std::istringstream lines{text};
  std::int64_t kept = 0;
  std::int64_t dropped = 0;
  std::int64_t all = 0;
  json::object last;
  for (std::string line; std::getline(lines, line); ++all) {
    last = json::parse(line).as_object();
    if (last.at("event") == "padded") ++kept;
    if (last.at("event") == "events_dropped") dropped += last.at("count").as_int64();
  }
  BOOST_TEST(dropped > 0);
  BOOST_TEST(kept + dropped == written);
  BOOST_TEST(std::string{last.at("event").as_string()} == "log_closed");
  BOOST_TEST(last.at("lines").as_int64() == all);
  BOOST_TEST(texts.size() == 1U);
}

/// A pipe whose writer waits as for a slow disk until the test reads.
class SlowDisk {
public:
  SlowDisk() {
    BOOST_REQUIRE(::pipe2(ends_, O_CLOEXEC) == 0);
    BOOST_REQUIRE(::fcntl(ends_[0], F_SETFL, O_NONBLOCK) == 0);
  }
  ~SlowDisk() { ::close(ends_[0]); }
  SlowDisk(const SlowDisk&) = delete;
  SlowDisk& operator=(const SlowDisk&) = delete;
  [[nodiscard]] int writing_end() const { return ends_[1]; }
  /// The next write waits. Precondition: all bytes have been read.
  void fill() const {
    const std::string full(static_cast<std::size_t>(::fcntl(ends_[1], F_GETPIPE_SZ)), '\n');
    BOOST_REQUIRE(::write(ends_[1], full.data(), full.size()) == static_cast<ssize_t>(full.size()));
  }
  /// Reads until the writer has written `text`.
  void read_until(const std::string& text) const {
    std::string found;
    char bytes[4096];
    while (found.find(text) == std::string::npos) {
      const auto count = ::read(ends_[0], bytes, sizeof bytes);
      if (count > 0) found.append(bytes, static_cast<std::size_t>(count));
      else std::this_thread::yield();
    }
  }

private:
  int ends_[2]{};
};

/// An event log with a clock that the test sets, and its warnings.
class TimedLog final : public EventLogWriter {
public:
  using Time = std::chrono::steady_clock::time_point;
  TimedLog(int descriptor, std::vector<std::string>& warnings, const Time& time)
      : EventLogWriter{descriptor, std::size_t{64} << 10}, warnings_{warnings}, time_{time} {}
  ~TimedLog() override { close(); }
  /// Writes until there is no room, with the disk hanging.
  void fill(const SlowDisk& disk) {
    disk.fill();
    write(at(1), "first");
    while (waiting_bytes() > 0) std::this_thread::yield();  // the thread of the writer waits with it for the disk
    const auto padding = ports::EventFields{}.add("padding", std::string(1000, 'x'));
    while (has_room()) write(at(2), "padded", padding);
    write(at(3), "last");
  }

private:
  void warn(const std::string& text) const override { warnings_.push_back(text); }
  [[nodiscard]] Time now() const override { return time_; }
  std::vector<std::string>& warnings_;
  const Time& time_;
};

BOOST_AUTO_TEST_CASE(after_10_seconds_without_room_one_warning_says_that_no_more_tasks_start) {
  using namespace std::chrono_literals;
  const SlowDisk disk;
  std::vector<std::string> warnings;
  TimedLog::Time time{1h};
  TimedLog log{disk.writing_end(), warnings, time};
  log.fill(disk);
  time += 9999ms;
  BOOST_TEST(!log.has_room());
  disk.read_until("\"last\"");
  BOOST_TEST(log.has_room());  // the 10 s start again
  log.fill(disk);
  time += 9999ms;
  BOOST_TEST(!log.has_room());
  BOOST_TEST(warnings.empty());
  time += 1ms;
  BOOST_TEST(!log.has_room());
  BOOST_REQUIRE(warnings.size() == 1U);
  BOOST_TEST(warnings[0] == "is behind because its disk is too slow; no more tasks start until it has caught up");
  time += 1h;
  BOOST_TEST(!log.has_room());
  disk.read_until("\"last\"");
  BOOST_TEST(log.has_room());
  BOOST_TEST(warnings.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_log_is_not_written_through_a_symbolic_link) {
  const ScratchLog log;
  std::ofstream{log.path} << "kept";
  const std::string link = log.path + ".link";
  BOOST_REQUIRE(::symlink(log.path.c_str(), link.c_str()) == 0);
  BOOST_TEST(!EventLogWriter::open_file(link));
  ::unlink(link.c_str());
  std::ifstream file{log.path};
  std::string content;
  BOOST_REQUIRE(static_cast<bool>(std::getline(file, content)));
  BOOST_TEST(content == "kept");
}

}  // namespace event_log_writer_test
}  // namespace heddle::runtime
