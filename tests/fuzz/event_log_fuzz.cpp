#include "policies/cluster/scheduler/resource_inputs.hpp"
#include "policies/containers/container_inputs.hpp"
#include "policies/tasks/types/task_scheduler_settings.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/replay.hpp"

namespace heddle::tests {
namespace {

/// Reads lines of each kind without any decision.
class Reading final : public Replay {
public:
  Reading() {
    add("settings", [](const EventLine& line) {
      static_cast<void>(value_of<policies::TaskSchedulerSettings>(line));
      return runtime::EffectDigest{};
    });
    add("columns", [](const EventLine& line) {
      static_cast<void>(value_of<policies::resource_input::AsksMade>(line));
      static_cast<void>(value_of<policies::container_input::CallAnswered>(line));
      static_cast<void>(value_of<policies::container_input::TotalsRequested>(line));
      static_cast<void>(time_of(line));
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
