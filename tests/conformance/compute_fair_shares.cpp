// Kind compute_fair_shares: one resource type divided over a list.
#include "policies/cluster/fair/fair_share.hpp"
#include "tests/conformance/kind.hpp"

namespace heddle::conformance {
namespace compute_fair_shares_kind {
namespace {

void run(const boost::json::object& test_case, Report& report) {
  const boost::json::object& input = test_case.at("input").as_object();
  std::vector<policies::ShareInput> inputs;
  for (const boost::json::value& each : input.at("schedulables").as_array()) {
    const boost::json::object& entry = each.as_object();
    policies::ShareInput share;
    share.weight = static_cast<float>(entry.at("weight").to_number<double>());
    share.minimum = entry.at("min").as_int64();
    share.maximum = entry.at("max").as_int64();
    share.is_queue = entry.at("queue").as_bool();
    share.is_active = entry.at("active").as_bool();
    inputs.push_back(share);
  }
  std::vector<std::int64_t> shares;
  const auto shares_kind =
      input.at("steady").as_bool() ? policies::ShareKind::steady : policies::ShareKind::instantaneous;
  policies::compute_fair_shares(inputs, input.at("total").as_int64(), shares_kind, shares);
  boost::json::array got;
  for (const std::int64_t share : shares) got.emplace_back(share);
  report.check(-1, "shares", test_case.at("expected").at("shares"), got);
}

const Kind kind{"compute_fair_shares", run};

}  // namespace
}  // namespace compute_fair_shares_kind
}  // namespace heddle::conformance
