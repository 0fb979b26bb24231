// Kind container_placement: one call of the placement function per case.
#include "policies/containers/container_placement.hpp"

#include <set>
#include <string>

#include "policies/containers/resource_name_table.hpp"
#include "tests/conformance/kind.hpp"
#include "tests/conformance/racks.hpp"

namespace heddle::conformance {
namespace container_placement_kind {
namespace {

namespace json = boost::json;

struct Case {
  policies::ResourceNameTable places{RackTable{}};
  std::vector<std::vector<ResourceNameId>> pending;
  policies::PlacementInput input;
};

void read(const json::object& fields, Case& out) {
  out.input.containers = fields.at("containers").to_number<std::int32_t>();
  out.input.locality_tasks = fields.at("locality_tasks").to_number<std::int32_t>();
  out.input.tasks_per_executor = fields.at("tasks_per_executor").to_number<std::int32_t>();
  require(out.input.containers >= 0 && out.input.tasks_per_executor > 0,
          "containers or tasks of an executor out of range");
  const auto& allocated = fields.at("allocated").as_object();
  for (const auto& hint : fields.at("hints").as_object()) {
    const auto* running = allocated.if_contains(hint.key());
    out.input.hints.push_back({out.places.host(hint.key()), hint.value().to_number<std::int32_t>(),
                               running == nullptr ? 0 : running->to_number<std::int32_t>()});
  }
  for (const auto& request : fields.at("pending").as_array()) {
    std::vector<ResourceNameId> hosts;
    for (const auto& host : request.as_array()) hosts.push_back(out.places.host(std::string{host.as_string()}));
    out.pending.push_back(std::move(hosts));
  }
  for (const auto& hosts : out.pending) out.input.pending.push_back({1, hosts});
}

json::array sorted(const std::set<std::string>& names) {
  json::array list;
  for (const auto& name : names) list.emplace_back(name);
  return list;
}

json::object element(std::int32_t count, const std::set<std::string>& nodes) {
  std::set<std::string> racks;
  for (const auto& node : nodes) racks.insert(rack_of(node));
  json::object entry;
  entry["count"] = count;
  entry["nodes"] = sorted(nodes);
  entry["racks"] = sorted(racks);
  return entry;
}

/// Joins equal neighbours, since both sides may divide them differently.
json::array joined(const json::array& entries) {
  json::array out;
  for (const auto& entry : entries) {
    auto* last = out.empty() ? nullptr : out.back().if_object();
    if (last != nullptr && last->at("nodes") == entry.at("nodes") && last->at("racks") == entry.at("racks"))
      last->at("count") = last->at("count").to_number<std::int64_t>() + entry.at("count").to_number<std::int64_t>();
    else out.push_back(entry);
  }
  return out;
}

void run(const json::object& test_case, Report& report) {
  Case input;
  read(test_case.at("input").as_object(), input);
  const auto placement = policies::place_containers(input.input);
  json::array got;
  if (placement.free > 0) got.push_back(element(placement.free, {}));
  for (const auto& group : placement.groups) {
    std::set<std::string> nodes;
    for (std::int32_t i = 0; i < group.hosts; ++i)
      nodes.insert(input.places.name(placement.hosts[static_cast<std::size_t>(i)]));
    got.push_back(element(group.count, nodes));
  }
  report.check(-1, "expected", joined(test_case.at("expected").as_array()), joined(got));
}

const Kind kind{"container_placement", run};

}  // namespace
}  // namespace container_placement_kind
}  // namespace heddle::conformance
