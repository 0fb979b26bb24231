// Kind scheduler_script_capacity: the capacity rules against Hadoop's CapacityScheduler.
#include <stdexcept>

#include "tests/conformance/scheduler_script.hpp"

namespace heddle::conformance {
namespace scheduler_script_capacity_kind {
namespace {

using boost::json::object;
using boost::json::value;

std::string text_of(const value& what) {
  return what.is_string() ? std::string{what.as_string()} : boost::json::serialize(what);
}

policies::CapacityScheduler capacity_scheduler(const object& settings) {
  std::vector<config::HadoopProperty> properties;
  for (const auto& [key, what] : settings) properties.push_back({std::string{key}, text_of(what), 0});
  // The recorded classes read the limits of containers once per process, so all runs had the defaults, except for the
  // maximum of a queue.
  for (const char* type : {"maximum-allocation-mb", "maximum-allocation-vcores"})
    if (const value* most = settings.if_contains(std::string{"yarn.scheduler."} + type))
      properties.push_back({std::string{"yarn.scheduler.capacity.root."} + type, text_of(*most), 0});
  Result<config::CapacitySchedulerFile> file = config::read_capacity_properties(properties, "settings");
  if (!file) throw std::runtime_error{file.error().text};
  policies::CapacitySchedulerSettings capacity;
  capacity.minimum_allocation = Resource{1024, 1};
  capacity.maximum_allocation = Resource{8192, 4};
  if (const value* most = settings.if_contains("yarn.cluster.max-application-priority"))
    capacity.application_priority_max = most->to_number<std::int32_t>();
  return policies::CapacityScheduler{capacity, *file};
}

class CapacityScript : public SchedulerScript {
public:
  using SchedulerScript::SchedulerScript;

protected:
  void check_submission(std::int64_t app, const policies::SubmissionAnswer& answer, const object& expected) override {
    if (expected.contains("queue")) differ_unless("queue", expected.at("queue"), value(answer.queue));
    if (expected.contains("active")) differ_unless("active", expected.at("active"), is_active(app));
  }

  void check_application(std::int64_t app, const object& expected, const std::string& field) override {
    if (expected.contains("active")) differ_unless(field + ".active", expected.at("active"), is_active(app));
  }

  void check_queue(const std::string& name, const object& expected) override {
    const policies::RowIndex slot = capacity().queues().find(name);
    if (slot == policies::no_row) return differ_unless("queues." + name, expected, nullptr);
    const policies::CapacityQueue& queue = capacity().queues().at(slot);
    const auto check = [&](const char* field, const value& got) {
      if (const value* wanted = expected.if_contains(field))
        differ_unless("queues." + name + "." + field, *wanted, got);
    };
    const auto check_near = [&](const char* field, float got) {
      if (const value* wanted = expected.if_contains(field))
        differ_unless_near("queues." + name + "." + field, *wanted, static_cast<double>(got));
    };
    check("usage", pair(queue.used));
    check_near("used_capacity", queue.used_capacity);
    check_near("absolute_capacity", queue.shares.absolute_capacity);
    check_near("absolute_used", queue.absolute_used);
    check("active_apps", static_cast<std::int64_t>(queue.lists.running.size()));
    check("pending_apps", static_cast<std::int64_t>(queue.lists.waiting.size()));
    check("am_usage", pair(queue.masters.used));
  }

private:
  [[nodiscard]] const policies::CapacityScheduler& capacity() const {
    return std::get<policies::CapacityScheduler>(scheduler_.rules());
  }
  [[nodiscard]] bool is_active(std::int64_t app) const {
    return capacity().application(ledger().find_application(attempt(app).application)).is_running;
  }
};

void run(const object& test_case, Report& report) {
  CapacityScript script{policies::ResourceScheduler{capacity_scheduler(test_case.at("settings").as_object())}, report};
  script.run(test_case.at("steps").as_array());
}

const Kind kind{"scheduler_script_capacity", run};

}  // namespace
}  // namespace scheduler_script_capacity_kind
}  // namespace heddle::conformance
