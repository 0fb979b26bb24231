// A .jhist file of any content, in both encodings. Its events can be written, and read back as the same events.
#include <string>

#include "tests/fuzz/fuzz_target.hpp"
#include "work/history/jhist_reader.hpp"
#include "work/history/jhist_writer.hpp"

HEDDLE_FUZZ_TARGET(jhist) {
  using namespace heddle;
  const auto content = work::read_jhist(input);
  HEDDLE_ASSERT(content.whole_bytes <= input.size(), "the whole events are longer than the file");
  HEDDLE_ASSERT(content.events.empty() || content.whole_bytes > 0, "an event has no bytes");
  const auto encoding =
      content.format == ports::JobHistoryFormat::avro_binary ? work::JhistEncoding::binary : work::JhistEncoding::json;
  std::string written = work::jhist_header(encoding);
  for (const auto& event : content.events) work::append_jhist(written, encoding, event);
  const auto again = work::read_jhist(written);
  HEDDLE_ASSERT(again.fault.empty(), again.fault);
  HEDDLE_ASSERT(again.events == content.events, "the events read differently");
}
