#include "actors/driver/decider_settings_fields.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/event_log_reader.hpp"

namespace heddle::tests {
namespace {

/// Reads a line of each kind that a log has, and decides nothing.
class Reading final : public Replay {
public:
  Reading() {
    add("settings", [](const EventLine& line) {
      static_cast<void>(value_of<policies::TaskSchedulerSettings>(line));
      return runtime::EffectDigest{};
    });
    add("columns", [](const EventLine& line) {
      static_cast<void>(ids<ExecutorId>(line, "executors"));
      static_cast<void>(texts(line, "names"));
      static_cast<void>(resource(line, "resource"));
      static_cast<void>(time_of(line));
      static_cast<void>(truth(line, "full"));
      return runtime::EffectDigest{};
    });
  }
};

}  // namespace
}  // namespace heddle::tests

HEDDLE_FUZZ_TARGET(event_log) {
  heddle::tests::Reading reading;
  std::size_t lines = 0;
  for (std::size_t at = 0; at < input.size(); ++lines) {
    const auto end = input.find('\n', at);
    reading.take(std::string{input.substr(at, end == std::string_view::npos ? end : end - at)});
    at = end == std::string_view::npos ? input.size() : end + 1;
  }
  HEDDLE_ASSERT(reading.differences().size() <= lines, "one difference a line at most");
}
