#include "policies/containers/requested_resources.hpp"

#include <array>
#include <utility>

namespace heddle::policies {

ResourceAmounts requested_others(const std::vector<ResourceAmount>& for_yarn,
                                 const std::map<std::string, std::int64_t>& of_executor,
                                 const DeviceResourceNames& names) {
  ResourceAmounts wanted;
  for (const auto& [name, amount] : for_yarn)
    if (amount > 0) wanted.set(name, amount);
  const std::array<std::pair<std::string, std::string>, 2> mapped{{{"gpu", names.gpu}, {"fpga", names.fpga}}};
  for (const auto& [kind, name] : mapped)
    if (const auto row = of_executor.find(kind); row != of_executor.end() && row->second > 0 && !name.empty())
      wanted.set(name, row->second);
  return wanted;
}

}  // namespace heddle::policies
