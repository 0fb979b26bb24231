// Kind reduce_ramp_up: the two decisions about reduces as functions of numbers.
#include "policies/map_reduce/reduce_ramp_up.hpp"

#include "tests/conformance/json_fields.hpp"
#include "tests/conformance/kind.hpp"

namespace heddle::conformance {
namespace reduce_ramp_up_kind {
namespace {

namespace json = boost::json;
using namespace policies;

std::int32_t number(const json::object& fields, const char* name) { return fields.at(name).to_number<std::int32_t>(); }

float fraction(const json::value& value) { return static_cast<float>(value.to_number<double>()); }

Resource resource(const json::value& value) {
  return {value.at(0).to_number<std::int64_t>(), value.at(1).to_number<std::int64_t>()};
}

ReduceLoad read_load(const json::object& input) {
  ReduceLoad load;
  load.map = resource(input.at("map"));
  load.reduce = resource(input.at("reduce"));
  load.headroom = resource(input.at("headroom"));
  load.assigned_maps = number(input, "assigned_maps");
  load.scheduled_reduces = number(input, "scheduled_reduces");
  load.schedule_cores = input.at("schedule_vcores").as_bool();
  return load;
}

json::object schedule(const json::object& input) {
  ReduceScheduleInput in;
  in.load = read_load(input);
  in.load.scheduled_maps = number(input, "scheduled_maps");
  in.load.assigned_reduces = number(input, "assigned_reduces");
  in.total_maps = number(input, "total_maps");
  in.completed_maps = number(input, "completed_maps");
  in.pending_reduces = number(input, "pending_reduces");
  in.ramp_up_limit = fraction(input.at("rampup_limit"));
  in.slow_start = fraction(input.at("slowstart"));
  in.is_started = input.at("reduce_started").as_bool();
  const auto out = schedule_reduces(in);
  return {{"reduce_started", out.is_started},
          {"schedule_all", out.schedule_all},
          {"ramp_up", out.ramp_up},
          {"ramp_down", out.ramp_down}};
}

json::object preempt(const json::object& input) {
  std::vector<Duration> waits;
  for (const auto& age : input.at("scheduled_map_ages_ms").as_array())
    waits.emplace_back(std::chrono::milliseconds{age.to_number<std::int64_t>()});
  std::vector<float> progress;
  for (const auto& part : input.at("assigned_reduce_progress").as_array()) progress.push_back(fraction(part));
  ReducePreemptionInput in;
  in.load = read_load(input);
  in.load.scheduled_maps = static_cast<std::int32_t>(waits.size());
  in.load.assigned_reduces = static_cast<std::int32_t>(progress.size());
  in.map_waits = waits;
  in.delay_sec = number(input, "preempt_delay_sec");
  in.unconditional_delay_sec = number(input, "unconditional_preempt_delay_sec");
  in.preemption_limit = fraction(input.at("preemption_limit"));
  const auto out = preempt_reduces(in);
  const auto victims = choose_reduce_victims(progress, out.reduces);
  return {{"preempted", out.is_due},
          {"victims", json::value_from(victims)},
          {"scheduled_reduces_left", out.is_due ? 0 : in.load.scheduled_reduces}};
}

void run(const json::object& test_case, Report& report) {
  const auto& input = test_case.at("input").as_object();
  const auto& expected = test_case.at("expected").as_object();
  const auto got = input.at("function").as_string() == "schedule_reduces" ? schedule(input) : preempt(input);
  for (const auto& field : expected) report.check(-1, field.key(), field.value(), value_or_null(got, field.key()));
}

const Kind kind{"reduce_ramp_up", run};

}  // namespace
}  // namespace reduce_ramp_up_kind
}  // namespace heddle::conformance
