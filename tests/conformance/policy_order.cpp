// Kind policy_order: all pairs of a list under one comparator.
#include "policies/cluster/fair_order.hpp"
#include "tests/conformance/kind.hpp"

namespace heddle::conformance {
namespace policy_order_kind {
namespace {

Resource pair(const boost::json::value& value) {
  return {value.as_array()[0].as_int64(), value.as_array()[1].as_int64()};
}

void run(const boost::json::object& test_case, Report& report) {
  const boost::json::object& input = test_case.at("input").as_object();
  const std::string_view word = input.at("policy").as_string();
  const auto policy = word == "fair"  ? policies::FairPolicy::fair
                      : word == "drf" ? policies::FairPolicy::dominant_resource
                                      : policies::FairPolicy::fifo;
  std::vector<policies::FairSortKey> keys;
  for (const boost::json::value& each : input.at("schedulables").as_array()) {
    const boost::json::object& entry = each.as_object();
    keys.push_back({pair(entry.at("usage")), pair(entry.at("demand")), pair(entry.at("min_share")),
                    static_cast<float>(entry.at("weight").to_number<double>()), entry.at("start_time").as_int64(),
                    std::string_view{entry.at("name").as_string()}});
  }
  boost::json::array got;
  for (const policies::FairSortKey& a : keys) {
    boost::json::array row;
    for (const policies::FairSortKey& b : keys)
      row.emplace_back(policies::compare(policy, a, b, pair(input.at("cluster"))));
    got.emplace_back(std::move(row));
  }
  report.check(-1, "compare", test_case.at("expected").at("compare"), got);
}

const Kind kind{"policy_order", run};

}  // namespace
}  // namespace policy_order_kind
}  // namespace heddle::conformance
