#include "policies/containers/requested_extras.hpp"

#include <array>
#include <utility>

namespace heddle::policies {

ExtraResources requested_extras(const ExtraResources& for_yarn, const std::map<std::string, std::int64_t>& of_executor,
                                const ExtraNames& names) {
  std::map<std::string, std::int64_t> amounts;
  for (const auto& [name, amount] : for_yarn)
    if (amount > 0) amounts[name] = amount;
  const std::array<std::pair<std::string, std::string>, 2> mapped{{{"gpu", names.gpu}, {"fpga", names.fpga}}};
  for (const auto& [kind, name] : mapped)
    if (const auto row = of_executor.find(kind); row != of_executor.end() && row->second > 0 && !name.empty())
      amounts[name] = row->second;
  ExtraResources wanted;
  for (const auto& [name, amount] : amounts) wanted.push_back({name, amount});
  return wanted;
}

}  // namespace heddle::policies
