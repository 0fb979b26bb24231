// Goal: a body stops when its attempt is killed, even with unread input.
// Method: an endless input that sets the kill flag itself.
#include "work/tasks/body_runner.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>

#include "work/tasks/task_stream.hpp"

namespace body_runner_test {

namespace {

using namespace heddle;
using namespace heddle::work;

class KillingInput final : public TaskInput {
public:
  explicit KillingInput(std::atomic<bool>& is_killed) : is_killed_{is_killed} {}
  [[nodiscard]] Result<bool> next(RecordBatch& batch) override {
    batch.assign(1, {"key", "value"});
    if (++batches == 3) is_killed_ = true;
    return batches < 1'000'000;
  }
  [[nodiscard]] Result<bool> next_text(std::string_view&) override { return false; }
  int batches = 0;

private:
  std::atomic<bool>& is_killed_;
};

BOOST_AUTO_TEST_CASE(an_identity_body_stops_when_its_attempt_is_killed) {
  std::atomic<bool> is_killed{false};
  KillingInput input{is_killed};
  NoOutput output;
  BodyContext body_context;
  body_context.is_killed = &is_killed;
  const auto end = run_body(IdentityBody{}, nullptr, body_context, nullptr, input, output);
  BOOST_TEST((end.failure == FailureKind::none));
  BOOST_TEST(input.batches == 3);
}

}  // namespace

}  // namespace body_runner_test
